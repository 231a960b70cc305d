#pragma once

#include "../kernel_shapes.hpp"
#include "../way.hpp"
#include "accumulator.hpp"
#include "elementwise.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

/// Integers on the engine: their conversions, and products of int8 (numerics-datapath, section 5).
namespace ane::numerics::inline ANEMONE_WAY {

/// A fp16 value as the nearest whole number, ties by the path's rule; NaN has entered as infinity.
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
    const half reciprocal = round_to_half(1.0 / static_cast<double>(scale), path.elementwise_ties);
    const half product = multiply(path, x, reciprocal);
    const double end = 0x1p20; // beyond every type, so that a zero point does not matter to an infinity
    const double whole = is_finite(product) ? nearest_whole(path, product) : (product < half{} ? -end : end);
    const double shifted = whole + nearest_whole(path, is_finite(zero) ? zero : half{});
    return static_cast<int>(shifted < low ? low : (shifted > high ? high : shifted));
}

/// scale (q - zero): a difference and a product of the elementwise path (N034: dequantized to fp16, then fp16
/// arithmetic). Differences of integers of 8 bits are exact.
constexpr half dequantize(const datapath& path, half q, half scale, half zero) {
    return multiply(path, subtract(path, q, zero), scale);
}

/// The numbers of a product of int8 operands behind its sum.
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
ANEMONE_INLINE void integer_matmul(const datapath& path, const matmul_shape& s, const std::int8_t* x,
                                   const std::int8_t* w, const integer_scale* scales, half* out) {
    std::vector<std::int8_t> row(static_cast<std::size_t>(s.k));
    for (std::int64_t i = 0; i < s.m; ++i) {
        for (std::int64_t k = 0; k < s.k; ++k) {
            row[static_cast<std::size_t>(k)] = s.transpose_a ? x[k * s.m + i] : x[i * s.k + k];
        }
        for (std::int64_t j = 0; j < s.n; ++j) {
            out[i * s.n + j] = integer_dot(path, row.data(), w + j * s.k, s.k, scales[j]);
        }
    }
}

/// A convolution x[n, c, h, w] with a kernel [o, c / groups, kh, kw]; the padding is zero, `scales` has one entry for
/// each output channel. Products add in the order channel, row, column (inferred), which matters to an overflow alone.
ANEMONE_INLINE void integer_convolution(const datapath& path, const convolution_shape& s, const std::int8_t* x,
                                        const std::int8_t* weight, const integer_scale* scales, half* out) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t outputs = s.out_channels / s.groups;
    const std::int64_t taps = channels * s.kernel_height * s.kernel_width;
    std::vector<std::int8_t> window(static_cast<std::size_t>(taps));
    const auto gather = [&](std::int64_t first_channel, std::int64_t top, std::int64_t left) {
        std::size_t to = 0;
        for (std::int64_t c = first_channel; c < first_channel + channels; ++c) {
            for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
                for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
                    const std::int64_t y = top + ky * s.dilation_height;
                    const std::int64_t z = left + kx * s.dilation_width;
                    const bool inside = y >= 0 && y < s.in_height && z >= 0 && z < s.in_width;
                    window[to++] = inside ? x[(c * s.in_height + y) * s.in_width + z] : std::int8_t{0};
                }
            }
        }
    };
    for (std::int64_t n = 0; n < s.batch; ++n) {
        for (std::int64_t g = 0; g < s.groups; ++g) {
            for (std::int64_t p = 0; p < s.out_height * s.out_width; ++p) {
                gather(n * s.in_channels + g * channels, p / s.out_width * s.stride_height - s.pad_top,
                       p % s.out_width * s.stride_width - s.pad_left);
                for (std::int64_t o = g * outputs; o < (g + 1) * outputs; ++o) {
                    out[(n * s.out_channels + o) * s.out_height * s.out_width + p] =
                        integer_dot(path, window.data(), weight + o * taps, taps, scales[o]);
                }
            }
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
