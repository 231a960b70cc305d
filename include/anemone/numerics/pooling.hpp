#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/op.hpp"
#include "../graph/sequence.hpp"
#include "elementwise.hpp"
#include "kernel_shapes.hpp"
#include "reduction.hpp"
#include "row_reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// The results of neighbouring windows that lie between the left and the right edge of a plane: columns [begin, end).
struct inner_windows {
    std::int64_t begin;
    std::int64_t end;

    static inner_windows of(const pool_shape& s) {
        const std::int64_t first = (s.pad_left + s.stride_width - 1) / s.stride_width;
        const std::int64_t room = s.in_width + s.pad_left - s.kernel_width;
        const std::int64_t last = room < 0 ? 0 : room / s.stride_width + 1;
        return {std::min(first, s.out_width), std::max(std::min(first, s.out_width), std::min(last, s.out_width))};
    }
};

/// Pools planes whose elements are squares already where the kind asks for them.
class plane_pool {
public:
    ANEMONE_INLINE plane_pool(const datapath& path, op kind, const pool_shape& s)
        : path_(path), kind_(kind), s_(s), inner_(inner_windows::of(s)), kernels_(best_row_kernels()) {}

    ANEMONE_INLINE void run(const half* plane, half* out) {
        for (std::int64_t oy = 0; oy < s_.out_height; ++oy) {
            half* const row = out + oy * s_.out_width;
            const std::int64_t top = oy * s_.stride_height - s_.pad_top;
            const std::int64_t first = std::max<std::int64_t>(top, 0);
            const std::int64_t rows = std::min(top + s_.kernel_height, s_.in_height) - first;
            const bool wide = rows > 0 && inner_.end - inner_.begin >= least_columns;
            for (std::int64_t ox = 0; ox < s_.out_width; ++ox) {
                if (wide && ox == inner_.begin) {
                    columns(plane, first, rows, oy, row);
                    ox = inner_.end - 1;
                } else {
                    row[ox] = window(plane, first, rows, oy, ox);
                }
            }
        }
    }

private:
    static constexpr std::int64_t least_columns = 8;

    /// The windows of one row that no edge cuts, beside each other: an element of each in a line.
    ANEMONE_INLINE void columns(const half* plane, std::int64_t first, std::int64_t rows, std::int64_t oy, half* row) {
        const std::int64_t count = inner_.end - inner_.begin;
        lines_.resize(static_cast<std::size_t>(rows * s_.kernel_width * count));
        half* line = lines_.data();
        for (std::int64_t y = first; y < first + rows; ++y) {
            for (std::int64_t k = 0; k < s_.kernel_width; ++k, line += count) {
                const half* const from = plane + y * s_.in_width + inner_.begin * s_.stride_width - s_.pad_left + k;
                for (std::int64_t c = 0; c < count; ++c) {
                    line[c] = from[c * s_.stride_width];
                }
            }
        }
        const std::int64_t values = rows * s_.kernel_width;
        half* const to = row + inner_.begin;
        if (kind_ != op::avg_pool) {
            reduce_columns(kernels_, path_, kind_ == op::max_pool ? op::reduce_max : op::reduce_sum, lines_.data(),
                           values, count, count, to);
            for (std::int64_t c = 0; kind_ == op::l2_pool && c < count; ++c) {
                to[c] = square_root(path_, to[c]);
            }
            return;
        }
        if (sums_.size() != static_cast<std::size_t>(count)) {
            sums_ = sequence<reduction_sum>(static_cast<std::size_t>(count));
        }
        if (has_row_sums(path_)) {
            kernels_.column_sums(lines_.data(), values, count, count, sums_.data());
        } else {
            for (std::int64_t c = 0; c < count; ++c) {
                sums_[static_cast<std::size_t>(c)] = sum_reduction(path_, lines_.data() + c, values, count);
            }
        }
        store_sums(kernels_, path_, sums_, values, std::max<std::int64_t>(averaged_places(s_, oy, inner_.begin), 1),
                   to);
    }

    ANEMONE_INLINE half window(const half* plane, std::int64_t first, std::int64_t rows, std::int64_t oy,
                               std::int64_t ox) {
        const std::int64_t left = ox * s_.stride_width - s_.pad_left;
        const std::int64_t begin = std::max<std::int64_t>(left, 0);
        const std::int64_t end = std::min(left + s_.kernel_width, s_.in_width);
        rows = std::max<std::int64_t>(rows, 0); // of a window that lies beside the plane there are none
        const std::int64_t width = std::max<std::int64_t>(end - begin, 0);
        const std::int64_t inside = rows * width;
        lines_.resize(static_cast<std::size_t>(inside));
        for (std::int64_t y = 0; y < rows; ++y) {
            std::copy_n(plane + (first + y) * s_.in_width + begin, width, lines_.data() + y * width);
        }
        if (kind_ == op::max_pool) {
            return reduce(path_, op::reduce_max, lines_.data(), inside, 1);
        }
        const reduction_sum sum = row_sum(kernels_, path_, lines_.data(), inside);
        if (kind_ == op::l2_pool) {
            return square_root(path_, store_sum(path_, sum));
        }
        return store_sum(path_, sum, std::max<std::int64_t>(averaged_places(s_, oy, ox), 1));
    }

    const datapath& path_;
    op kind_;
    const pool_shape& s_;
    inner_windows inner_;
    row_kernels kernels_;
    std::vector<half> lines_;
    sequence<reduction_sum> sums_;
};

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// max_pool, avg_pool or l2_pool of x [N, C, H, W]. The average is a mean of the reduction path, lanes in row order,
/// over `averaged_places`.
/// l2: squares in fp16, their sum by the reduction path, the root by its table (inferred). The maximum ignores padding;
/// a window that lies wholly in the padding throws.
ANEMONE_INLINE void pool(const datapath& path, op kind, const pool_shape& s, const half* x, half* out) {
    if (!is_pool(kind)) {
        throw error(errc::argument, std::string(name(kind)), "is not a pooling operation");
    }
    detail::plane_pool planes(path, kind, s);
    const std::int64_t size = s.in_height * s.in_width;
    std::vector<half> squares(kind == op::l2_pool ? static_cast<std::size_t>(size) : 0);
    for (std::int64_t plane = 0; plane < s.batch * s.channels; ++plane) {
        const half* const source = x + plane * size;
        if (kind == op::l2_pool) {
            std::transform(source, source + size, squares.begin(),
                           [&](half value) { return multiply(path, value, value); });
        }
        planes.run(kind == op::l2_pool ? squares.data() : source, out + plane * s.out_height * s.out_width);
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
