#pragma once

#include "../base/way.hpp"
#include "../values/power_of_two.hpp"
#include "accumulator.hpp"
#include "elementwise.hpp"
#include "kernel_shapes.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

/// Integers on the engine: their conversions, and products of int8 (numerics-datapath, section 5).
namespace ane::numerics::inline ANEMONE_WAY {

/// An fp16 value, not a NaN, rounded to the nearest whole number, ties by the path's rule.
ANEMONE_INLINE double nearest_whole(const datapath& path, half value) {
    const double x = std::fabs(static_cast<double>(value));
    double whole = std::floor(x);
    const double rest = x - whole;
    const bool odd = std::fmod(whole, 2.0) != 0;
    if (rest > 0.5 || (rest == 0.5 && (path.elementwise_ties == tie_rule::half_away || odd))) {
        whole += 1;
    }
    return static_cast<double>(value) < 0 ? -whole : whole;
}

/// clamp(round(x r) + zero, low, high), where r is 1 / scale in fp16, worked out when the graph is compiled: a product
/// of the elementwise path, rounded to fp16 and then to an integer. Inferred: how the engine divides by the scale, and
/// how it rounds to integers, is not published.
ANEMONE_INLINE int quantize(const datapath& path, half x, half scale, half zero, int low, int high) {
    const half reciprocal = round_to_half(1.0 / static_cast<double>(detail::entered(scale)), path.elementwise_ties);
    const half product = multiply(path, x, reciprocal);
    const double end = 0x1p20; // beyond every type: no zero point brings an infinity back into range
    const double whole = is_finite(product) ? nearest_whole(path, product) : (product < half{} ? -end : end);
    const double shifted = whole + nearest_whole(path, is_finite(zero) ? zero : half{});
    return static_cast<int>(shifted < low ? low : (shifted > high ? high : shifted));
}

/// scale (q - zero): a difference and a product of the elementwise path (N034: dequantised to fp16, then fp16
/// arithmetic). Differences of integers of 8 bits are exact.
constexpr half dequantize(const datapath& path, half q, half scale, half zero) {
    return multiply(path, subtract(path, q, zero), scale);
}

/// The units of a code of `bits` bits in the register of products (datapath::code_integer_bits), a power of two.
constexpr double code_unit(const datapath& path, int bits) noexcept {
    return power_of_two(path.code_integer_bits - bits);
}

/// The sum of products with codes, as it left the register, times the scale of its channel, plus the bias: one rounding
/// (N203). `scale` is that of the stored weight over the unit of its codes. A sum that reached the ceiling stays
/// infinite, whatever the scale (N077).
constexpr half scale_after_sum(const datapath& path, half sum, double scale, half bias) noexcept {
    if (!is_finite(sum)) {
        return (scale < 0) != detail::is_negative(sum) ? -detail::half_infinity : detail::half_infinity;
    }
    const double scaled = static_cast<double>(sum) * scale;
    const half start = detail::entered(bias);
    return round_to_half(is_finite(start) ? add_to_odd(scaled, static_cast<double>(start)) : static_cast<double>(start),
                         path.elementwise_ties);
}

/// What is applied to the sum of a product of int8 operands.
struct integer_scale {
    float scale;    ///< of the activation times that of the weight: exact
    half bias = {}; ///< added to the scaled sum, in the same rounding (N203)
};

/// The sum of `count` products of int8, scaled: infinity once the sum has reached 2^31 (measured M6), which fewer than
/// 2^17 products cannot.
ANEMONE_INLINE half integer_dot(const datapath& path, const std::int8_t* x, const std::int8_t* w, std::int64_t count,
                                const integer_scale& by) {
    if (count < std::int64_t{1} << 17) {
        std::int32_t sum = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            sum += std::int32_t{x[i]} * std::int32_t{w[i]};
        }
        return scaled_sum(path, sum, by.scale, by.bias);
    }
    integer_accumulator total;
    for (std::int64_t i = 0; i < count; ++i) {
        total.multiply_add(x[i], w[i]);
    }
    return total.result(path, by.scale, by.bias);
}

/// out[m, n] = x w^T with x[m, k] (or [k, m] where it is stored transposed) and w[n, k]; `scales` has one entry for
/// each n.
ANEMONE_API void integer_matmul(const datapath& path, const matmul_shape& s, const std::int8_t* x, const std::int8_t* w,
                                const integer_scale* scales, half* out);

/// A convolution x[n, c, h, w] with a kernel [o, c / groups, kh, kw]; the padding is zero, `scales` has one entry for
/// each output channel. Products add in the order channel, row, column (inferred), which matters to an overflow alone.
ANEMONE_API void integer_convolution(const datapath& path, const convolution_shape& s, const std::int8_t* x,
                                     const std::int8_t* weight, const integer_scale* scales, half* out);

} // namespace ane::numerics::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "quantization.ipp"
#endif
