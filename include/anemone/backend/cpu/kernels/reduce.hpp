#pragma once

#include "../../../base/formatted.hpp"
#include "../../../base/way.hpp"
#include "elementwise.hpp"
#include "lines.hpp"
#include "reduction_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

/// A set of axes, bit i for axis i.
using axis_set = unsigned;

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Where each element of x [shape] goes to in a result without the `reduced` axes.
struct reduction_walk {
    std::int64_t kept = 1;   ///< elements of the result
    std::int64_t folded = 1; ///< elements that fold into one of them
    kernels::loop_nest<2> nest{};

    reduction_walk(const extents& shape, axis_set reduced) {
        extents out_strides = row_major_strides(shape);
        for (int axis = shape.rank - 1; axis >= 0; --axis) {
            const bool folds = (reduced >> static_cast<unsigned>(axis) & 1U) != 0;
            out_strides[axis] = folds ? 0 : kept;
            (folds ? folded : kept) *= shape[axis];
        }
        nest = kernels::loop_nest<2>{shape, {row_major_strides(shape), out_strides}}.collapsed();
    }

    /// The axis of the nest along which threads share the work: the longest of those that are kept, the outermost of
    /// equals; -1: all are reduced.
    constexpr int shared_axis() const {
        int best = -1;
        for (int axis = 0; axis < nest.shape.rank; ++axis) {
            const bool longer = best < 0 || nest.shape[axis] > nest.shape[best];
            best = nest.strides[1][axis] != 0 && longer ? axis : best;
        }
        return best;
    }
};

/// The fp32 results and, for reduce_log_sum_exp, the maxima.
constexpr scratch_sizes scratch_of_reduction(op kind, const reduction_walk& walk) {
    const std::int64_t rows = kind == op::reduce_log_sum_exp ? 2 : 1;
    return {rows * in_cache_lines(walk.kept * static_cast<std::int64_t>(sizeof(float))), 0};
}

/// Where the first extreme of a line is; the first NaN before any. The keys of numbers are ordered as they are, and the
/// extreme key is found in a loop without branches.
ANEMONE_INLINE std::int64_t place_of_extreme(op kind, const half* line, std::int64_t count, std::int64_t stride) {
    const unsigned flip = kind == op::arg_max ? 0U : 0xFFFFU; // the least becomes the largest
    const auto key = [line, stride, flip](std::int64_t i) {
        const unsigned bits = line[i * stride].bits;
        const unsigned magnitude = bits & 0x7FFFU;
        const unsigned ordered = (bits & 0x8000U) != 0 ? 0x8000U - magnitude : 0x8000U + magnitude; // the zeros are one
        return static_cast<std::uint16_t>(magnitude > 0x7C00U ? 0xFFFFU : ordered ^ flip);
    };
    std::uint16_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint16_t next = key(i);
        most = next > most ? next : most;
    }
    std::int64_t place = 0;
    while (key(place) != most) {
        ++place;
    }
    return place;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// A reduction over a set of axes; `out` is dense over the remaining axes, in order (whether reduced axes stay as
/// extents of one is up to the caller's shape). fp32 inside, one rounding; maximum and minimum propagate NaN;
/// reduce_log_sum_exp subtracts the maximum before exponentiating. An empty set copies (what the operation does to a
/// single element). Over no elements, sums and norms are 0, the mean is NaN and the logarithms are -infinity. Throws
/// errc::argument on another operation, an axis that does not exist, or a maximum or minimum of nothing. A workers brings
/// detail::scratch_of_reduction of memory; without any, the function allocates it.
ANEMONE_API void reduce(const kernel_table& table, op kind, const half* x, const extents& shape, axis_set reduced,
                        half* out, const worker_threads& workers = {});

/// Index of the largest or smallest value along one axis, the first of equals; the first NaN wins. `Index` is an
/// integer type or half (which holds indices to 2048 exactly). Throws errc::argument on another operation, an axis that
/// is not there, an axis of extent zero, or one too long for an integer Index.
template <class Index>
void arg_reduce(op kind, const half* x, const extents& shape, int axis, Index* out,
                const worker_threads& workers = {}) {
    detail::require(is_arg_reduction(kind), "arg_reduce", [&] { return formatted("{} gives no index", name(kind)); });
    const detail::axis_view view = detail::view_of_axis(shape, axis);
    detail::require(view.count > 0, name(kind).data(), "the axis has extent 0");
    if constexpr (std::is_integral_v<Index>) {
        detail::require(std::in_range<Index>(view.count - 1), name(kind).data(),
                        [&] { return formatted("the index type does not hold {}", view.count - 1); });
    }
    const std::int64_t grain = std::max<std::int64_t>(detail::elements_of_a_part / view.count, 1);
    workers.share(view.outer * view.inner, grain, [&](std::int64_t first, std::int64_t last, std::byte*) {
        for (std::int64_t line = first; line < last; ++line) {
            const half* const row = x + line / view.inner * view.count * view.inner + line % view.inner;
            const std::int64_t best = detail::place_of_extreme(kind, row, view.count, view.inner);
            if constexpr (std::is_same_v<Index, half>) {
                out[line] = half(static_cast<double>(best));
            } else {
                out[line] = static_cast<Index>(best);
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "reduce.ipp"
#endif
