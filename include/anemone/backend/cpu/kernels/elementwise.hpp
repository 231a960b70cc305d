#pragma once

#include "../../../strided.hpp"
#include "loop_nest.hpp"
#include "slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace ane::cpu {

namespace detail {

/// Rows pass through fp32 buffers of this many elements.
inline constexpr std::int64_t chunk = 1024;

} // namespace detail

/// The shape of a two-operand result under NumPy's rule: aligned at the last axis, an extent of one repeats.
/// Throws errc::argument when the shapes do not fit.
inline extents broadcast(const extents& a, const extents& b) {
    extents result;
    const int rank = std::max(a.rank, b.rank);
    for (int axis = 0; axis < rank; ++axis) {
        const std::int64_t left = axis < rank - a.rank ? 1 : a[axis - (rank - a.rank)];
        const std::int64_t right = axis < rank - b.rank ? 1 : b[axis - (rank - b.rank)];
        detail::require(left == right || left == 1 || right == 1, "broadcast",
                        fmt::format("extents {} and {} of axis {} differ and neither is 1", left, right, axis));
        result.append(left == 1 ? right : left);
    }
    return result;
}

/// out = f(a, b) over broadcast(a_shape, b_shape), for add, sub, mul, div, minimum, maximum: IEEE fp32, rounded once,
/// which for these operations equals the correctly rounded fp16 result. minimum and maximum propagate NaN. Throws
/// errc::argument on another operation or on shapes that do not fit.
inline void binary(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                   const extents& b_shape, half* out) {
    detail::require(is_binary(kind), "binary", fmt::format("{} does not take two operands", name(kind)));
    const extents shape = broadcast(a_shape, b_shape);
    const auto nest = loop_nest<3>{shape,
                                   {ane::detail::broadcast_strides(shape, a_shape),
                                    ane::detail::broadcast_strides(shape, b_shape), row_major_strides(shape)}}
                          .collapsed();
    const std::int64_t a_stride = nest.row_stride(0);
    const std::int64_t b_stride = nest.row_stride(1);
    nest.for_each_row([&](const auto& offsets) {
        float left[detail::chunk];
        float right[detail::chunk];
        for (std::int64_t i = 0; i < nest.row_count(); i += detail::chunk) {
            const std::int64_t count = std::min(detail::chunk, nest.row_count() - i);
            table.to_float(a + offsets[0] + i * a_stride, left, a_stride == 0 ? 1 : count);
            table.to_float(b + offsets[1] + i * b_stride, right, b_stride == 0 ? 1 : count);
            // The result may overwrite a repeated value, so it goes where a full row came from.
            float* const to = a_stride == 0 ? right : left;
            if (a_stride == 0 && b_stride == 0) {
                table.binary(kind, left, 0, right, 0, to, 1);
                std::fill_n(to, count, *to);
            } else {
                table.binary(kind, left, a_stride, right, b_stride, to, count);
            }
            table.to_half(to, out + offsets[2] + i, count);
        }
    });
}

/// out[i] = f(x[i]) for relu .. abs, computed in fp32 and rounded once; parameters as in detail::unary_function.
/// In place allowed. Throws errc::argument on another operation.
inline void unary(const kernel_table& table, op kind, const half* x, half* out, std::int64_t count, float p0 = 0,
                  float p1 = 0) {
    detail::require(is_unary(kind), "unary", fmt::format("{} does not take one operand", name(kind)));
    float values[detail::chunk];
    for (std::int64_t i = 0; i < count; i += detail::chunk) {
        const std::int64_t n = std::min(detail::chunk, count - i);
        table.to_float(x + i, values, n);
        table.unary(kind, values, values, n, p0, p1);
        table.to_half(values, out + i, n);
    }
}

} // namespace ane::cpu
