#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/strided.hpp"
#include "../../kernels/loop_nest.hpp"
#include "slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Rows pass through fp32 buffers of this many elements.
inline constexpr std::int64_t chunk = 1024;

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// The shape of a two-operand result under NumPy's rule: aligned at the last axis, an extent of one repeats.
/// Throws errc::argument when the shapes do not fit.
ANEMONE_API extents broadcast(const extents& a, const extents& b);

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// f(a, b) over broadcast(a_shape, b_shape) in fp32, piece by piece: store(offset of the piece, values, count).
template <class Store>
void for_each_pair(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                   const extents& b_shape, const Store& store) {
    const extents shape = broadcast(a_shape, b_shape);
    const auto nest = kernels::loop_nest<3>{shape,
                                            {ane::detail::broadcast_strides(shape, a_shape),
                                             ane::detail::broadcast_strides(shape, b_shape), row_major_strides(shape)}}
                          .collapsed();
    const std::int64_t a_stride = nest.row_stride(0);
    const std::int64_t b_stride = nest.row_stride(1);
    nest.for_each_row([&](const auto& offsets) {
        float left[chunk];
        float right[chunk];
        for (std::int64_t i = 0; i < nest.row_count(); i += chunk) {
            const std::int64_t count = std::min(chunk, nest.row_count() - i);
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
            store(offsets[2] + i, to, count);
        }
    });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

/// out = f(a, b) over broadcast(a_shape, b_shape), for add .. floor_div: IEEE fp32, rounded once, which for add, sub,
/// mul, div, minimum and maximum equals the correctly rounded fp16 result; pow and floor_div go through double. minimum
/// and maximum propagate NaN. Throws errc::argument on another operation or on shapes that do not fit.
ANEMONE_API void binary(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                        const extents& b_shape, half* out);

/// out = a < b and so on over broadcast(a_shape, b_shape): 1 or 0; the zeros are equal, and with a NaN only not_equal
/// is true. Throws errc::argument on another operation or on shapes that do not fit.
ANEMONE_API void compare(const kernel_table& table, op kind, const half* a, const extents& a_shape, const half* b,
                         const extents& b_shape, std::uint8_t* out);

/// out = condition ? a : b over the shape that the three broadcast to; the bits are copied. Throws errc::argument on
/// shapes that do not fit.
ANEMONE_API void select(const std::uint8_t* condition, const extents& condition_shape, const half* a,
                        const extents& a_shape, const half* b, const extents& b_shape, half* out);

/// out[i] = x[i] is false. In place allowed.
ANEMONE_API void logical_not(const std::uint8_t* x, std::uint8_t* out, std::int64_t count);

/// out = a and b, a or b, or one of them alone, over broadcast(a_shape, b_shape): 1 or 0. Throws errc::argument on
/// another operation or on shapes that do not fit.
ANEMONE_API void logic(op kind, const std::uint8_t* a, const extents& a_shape, const std::uint8_t* b,
                       const extents& b_shape, std::uint8_t* out);

/// out[i] = f(x[i]) for relu .. atan, computed in fp32 and rounded once: within one ulp of the exact value; parameters
/// as in detail::unary_function. In place allowed. Throws errc::argument on another operation.
ANEMONE_API void unary(const kernel_table& table, op kind, const half* x, half* out, std::int64_t count, float p0 = 0,
                       float p1 = 0);

/// out[n, c, i] = f(x[n, c, i]) with parameters for each channel c: prelu (slope first[c]) or parametric_softplus
/// (first[c] ln(1 + e^(second[c] x))); `plane` elements i a channel. In place allowed.
ANEMONE_API void parametric(const kernel_table& table, op kind, const half* x, std::int64_t batch,
                            std::int64_t channels, std::int64_t plane, const half* first, const half* second,
                            half* out);

} // namespace ane::cpu::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "elementwise.ipp"
#endif
