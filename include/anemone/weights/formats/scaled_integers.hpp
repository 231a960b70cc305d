#pragma once

#include "../../base/way.hpp"
#include "packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

/// Integers and fp16 scales, w = s (q - z): the affine form (a scale for each output channel) and the blockwise form (a
/// scale for each block of consecutive elements). Guide chapters 7 and 25, N130, N135.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// The largest integer that an encoder uses; the smallest is its negative: 127 of 8 bits, 7 of 4 (N130).
constexpr int largest_integer(int bits) { return (1 << (bits - 1)) - 1; }

/// w = s (q - z), rounded once to fp16 (N034: the multiplication is fp16). Half to even, inferred: the sources do not
/// tell how the decoder rounds ties. The product of nine bits and eleven is exact in float.
constexpr half dequantized(int q, int zero, half scale) {
    return half(static_cast<float>(q - zero) * static_cast<float>(scale));
}

/// The nearest integer, halves to the even one; |x| < 2^31. Beside 1.5 * 2^52 there is no room for a fraction, so that the
/// addition rounds, by vectors at a time.
ANEMONE_INLINE int nearest_even(double x) {
    constexpr double no_fraction = 0x1.8p52;
    return static_cast<int>((x + no_fraction) - no_fraction);
}

/// Integers in the order of the elements; a scale (and a zero point) for each group.
struct scaled_integers {
    std::vector<std::int8_t> values;
    std::vector<half> scales;
    std::vector<std::int8_t> zeros; ///< empty where the form is symmetric
};

} // namespace ane::weight_formats::inline ANEMONE_WAY

namespace ane::weight_formats::detail::inline ANEMONE_WAY {

/// The scale that divides `span` into `steps`, in fp16: the nearest, but the next above where it is subnormal, so that
/// its few digits cut nothing off, and the next below where the largest element, `most` in magnitude, would decode to
/// infinity. Never zero.
ANEMONE_INLINE half group_scale(double span, int steps, double most) {
    half scale(span / steps);
    const bool below = scale.bits < 0x400U && steps * static_cast<double>(scale) < span;
    if (scale.bits == 0 || below) {
        ++scale.bits;
    }
    const int last = span > 0 ? nearest_even(most * steps / span) : 0;
    while (!is_finite(dequantized(last, 0, scale))) {
        --scale.bits;
    }
    return scale;
}

/// Quantises one group. Elements are divided by the exact scale and not by its fp16 rounding, as the published examples
/// are; where that is subnormal, and so far from the exact one, by what is stored.
ANEMONE_INLINE void quantize_group(std::span<const half> group, int bits, bool zero_point, scaled_integers& to) {
    double low = 0;
    double high = 0;
    for (const half w : group) {
        low = std::min(low, static_cast<double>(w));
        high = std::max(high, static_cast<double>(w));
    }
    const int last = largest_integer(bits);
    const double most = std::max(high, -low); // in this order 0 and not -0 where all are zeros
    const double span = zero_point ? high - low : most;
    const int steps = zero_point ? 2 * last : last;
    const half scale = group_scale(span, steps, most);
    const bool exact = scale.bits >= 0x400U;
    const auto quantized = [&](double w) {
        return nearest_even(exact ? w * steps / span : w / static_cast<double>(scale));
    };
    const int zero = zero_point ? std::clamp(-last - quantized(low), -last, last) : 0;
    const std::size_t begin = to.values.size();
    to.values.resize(begin + group.size());
    std::int8_t* const values = to.values.data() + begin;
    const std::size_t count = group.size();
    for (std::size_t i = 0; i < count; ++i) {
        const int q = quantized(static_cast<double>(group[i])) + zero;
        values[i] = static_cast<std::int8_t>(std::clamp(q, -last, last));
    }
    to.scales.push_back(scale);
    if (zero_point) {
        to.zeros.push_back(static_cast<std::int8_t>(zero));
    }
}

} // namespace ane::weight_formats::detail::inline ANEMONE_WAY

namespace ane::weight_formats::inline ANEMONE_WAY {

/// Quantises finite values in groups of `length` consecutive elements: s = max |w| / 127 and q = round(w / s), halves
/// to even; with a zero point s = (max - min) / 254, where zero counts as an element. |decoded - w| is at most half a
/// step, and what the fp16 rounding of the scale and of the product add (a 16th of a step, an 8th with a zero point,
/// and half a unit in the last place).
ANEMONE_INLINE scaled_integers quantize_groups(std::span<const half> values, std::int64_t length, int bits,
                                               bool zero_point) {
    scaled_integers result;
    result.values.reserve(values.size());
    const auto step = static_cast<std::size_t>(length);
    for (std::size_t begin = 0; begin < values.size(); begin += step) {
        detail::quantize_group(values.subspan(begin, std::min(step, values.size() - begin)), bits, zero_point, result);
    }
    return result;
}

} // namespace ane::weight_formats::inline ANEMONE_WAY
