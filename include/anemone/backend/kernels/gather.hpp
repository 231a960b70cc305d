#pragma once

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../values/half.hpp"
#include "moves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

/// Data-dependent moves: gathers, and slices whose start is given by a tensor.
namespace ane::kernels::inline ANEMONE_WAY {

/// What a negative index means: an element counted from the end, as in ONNX, or an error (the engine's indices are
/// unsigned).
enum class negative_index : std::uint8_t { counts_from_the_end, is_refused };

} // namespace ane::kernels::inline ANEMONE_WAY

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// Converts an element of a tensor of positions to an integer. Throws errc::argument, naming the operation, if it is
/// not whole.
ANEMONE_API std::int64_t whole_number(double value, std::int64_t place, const std::string& operation);

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

/// Reads the indices of one node. Each must be a whole number within its axis; any other throws errc::argument, which
/// names the operation, the position of the index, its value and the limits.
struct index_reader {
    std::string operation;
    negative_index negative = negative_index::counts_from_the_end;

    std::int64_t operator()(double value, std::int64_t place, std::int64_t extent) const {
        const std::int64_t index = detail::whole_number(value, place, operation);
        const std::int64_t least = negative == negative_index::is_refused ? 0 : -extent;
        if (index < least || index >= extent) {
            throw error(errc::argument, operation,
                        formatted("index {} is {}, outside {} to {}", place, index, least, extent - 1));
        }
        return index < 0 ? index + extent : index;
    }
};

/// A gather in plain numbers.
struct gather_shape {
    op kind = op::gather;
    extents x{};     ///< of the operand
    extents index{}; ///< of the indices
    int along = 0;   ///< the axis of gather and gather_along_axis
};
constexpr gather_shape gather_shape_of(const graph_view& g, const node& n) {
    return {n.kind, g.operand(n, 0).shape, g.operand(n, 1).shape, n.kind == op::gather_nd ? 0 : n.get<axis>().index};
}

} // namespace ane::kernels::inline ANEMONE_WAY

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// The product of the extents after an axis.
constexpr std::int64_t count_behind(const extents& shape, int axis) {
    std::int64_t count = 1;
    for (int i = axis + 1; i < shape.rank; ++i) {
        count *= shape[i];
    }
    return count;
}

template <class Index, class Visit>
void visit_gather(const gather_shape& s, const Index* index, const index_reader& read, const Visit& visit) {
    const std::int64_t extent = s.x[s.along];
    const std::int64_t run = count_behind(s.x, s.along);
    const std::int64_t before = s.x.count() / (extent * run);
    const std::int64_t count = s.index.count();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t from = read(index[i], i, extent);
        for (std::int64_t outer = 0; outer < before; ++outer) {
            visit((outer * count + i) * run, (outer * extent + from) * run, run);
        }
    }
}

template <class Index, class Visit>
void visit_gather_along_axis(const gather_shape& s, const Index* index, const index_reader& read, const Visit& visit) {
    const std::int64_t extent = s.x[s.along];
    const std::int64_t behind = count_behind(s.x, s.along);
    const std::int64_t count = s.index.count();
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t outer = i / (s.index[s.along] * behind);
        visit(i, (outer * extent + read(index[i], i, extent)) * behind + i % behind, std::int64_t{1});
    }
}

template <class Index, class Visit>
void visit_gather_nd(const gather_shape& s, const Index* index, const index_reader& read, const Visit& visit) {
    const auto depth = static_cast<int>(s.index.width());
    const extents steps = row_major_strides(s.x);
    const std::int64_t run = steps[depth - 1];
    const std::int64_t rows = s.index.count() / depth;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t from = 0;
        for (int k = 0; k < depth; ++k) {
            const std::int64_t place = row * depth + k;
            from += read(index[place], place, s.x[k]) * steps[k];
        }
        visit(row * run, from, run);
    }
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

/// visit(to, from, count) for each run of elements that lie together in the operand and in the result. An index is fp16
/// or, in the reference, a double.
template <class Index, class Visit>
void for_each_gathered(const gather_shape& s, const Index* index, const index_reader& read, const Visit& visit) {
    if (s.kind == op::gather) {
        detail::visit_gather(s, index, read, visit);
    } else if (s.kind == op::gather_along_axis) {
        detail::visit_gather_along_axis(s, index, read, visit);
    } else {
        detail::visit_gather_nd(s, index, read, visit);
    }
}

/// A dynamic_slice in plain numbers: a window that spans every axis but one, and moves along that one.
struct dynamic_slice_shape {
    extents x{};
    extents result{};
    int along = -1;         ///< -1: the window spans every axis and does not move
    std::int64_t begin = 0; ///< of the window at start 0

    /// Where the window begins on its axis: at any whole number. Elements outside the tensor read as zero. A window
    /// that spans every axis cannot move, and accepts only 0.
    std::int64_t begin_at(double start, const std::string& operation) const {
        const std::int64_t given = detail::whole_number(start, 0, operation);
        if (along < 0 && given != 0) {
            throw error(errc::argument, operation,
                        formatted("index 0 is {}, but the window spans every axis: it starts at 0", given));
        }
        return begin + given;
    }

    /// The move of the elements that lie in the tensor when the window begins there.
    element_move move_from(std::int64_t first) const {
        element_move m{0, result, 0, row_major_strides(result), 0, row_major_strides(x), {}};
        if (along >= 0) {
            const std::int64_t inside = std::clamp<std::int64_t>(first, 0, x[along]);
            const std::int64_t end = std::clamp<std::int64_t>(first + result[along], 0, x[along]);
            m.shape[along] = end - inside;
            if (end > inside) {
                m.to_first = (inside - first) * m.to[along];
                m.from_first = inside * m.from[along];
            }
        }
        return m;
    }
};
constexpr dynamic_slice_shape dynamic_slice_shape_of(const graph_view& g, const node& n) {
    dynamic_slice_shape s{g.operand(n, 0).shape, n.shape, -1, 0};
    for (int i = 0; i < s.x.rank; ++i) {
        if (s.result[i] < s.x[i]) {
            s.along = i;
            s.begin = n.get<window>().begin[i];
        }
    }
    return s;
}

/// Throws what a run would throw, for positions that are known when the graph is compiled. `index` is operand 1 of a
/// gather or a dynamic_slice.
ANEMONE_API void require_indices(const graph_view& g, const node& n, const half* index, const index_reader& read);

/// Whether an operation reads positions from its second operand.
constexpr bool reads_indices(op kind) noexcept {
    return kind == op::gather || kind == op::gather_along_axis || kind == op::gather_nd || kind == op::dynamic_slice;
}

} // namespace ane::kernels::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "gather.ipp"
#endif
