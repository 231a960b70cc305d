#pragma once

#include "../../base/way.hpp"
#include "../../values/half.hpp"

#include <cstdint>

/// The two 8-bit floating formats (guide chapter 36). E4M3FN is a weight format of the A18 tier alone (predicted,
/// N138); E5M2 is a format of conversions on all (decompiled, N139). No stored form of a weight uses them.
namespace ane::weight_formats::inline ANEMONE_WAY {

/// What a value beyond 448 becomes in E4M3FN, which a bit of each DMA source selects (N138).
enum class fp8_overflow : std::uint8_t { not_a_number, saturate };

/// E4M3FN, bias 7: (-1)^s 2^(e-7) (1 + m/8), below the exponent 1 m 2^-9; no infinity, all ones is NaN, the largest is
/// 448. Every value is an fp16 value (N140).
constexpr half decode_e4m3fn(std::uint8_t code) noexcept {
    const auto sign = static_cast<std::uint16_t>((code & 0x80U) << 8U);
    const unsigned magnitude = code & 0x7FU;
    if (magnitude == 0x7FU) {
        return half::from_bits(static_cast<std::uint16_t>(sign | 0x7E00U));
    }
    if (magnitude >= 8) { // the bias of fp16 is 8 more
        return half::from_bits(static_cast<std::uint16_t>(sign | ((magnitude << 7U) + (8U << 10U))));
    }
    const half value(static_cast<double>(magnitude) / 512);
    return half::from_bits(static_cast<std::uint16_t>(sign | value.bits));
}

/// The nearest code, halves to even. What rounds beyond 448, infinity too, becomes NaN (0x7F) or 448 (0x7E).
constexpr std::uint8_t encode_e4m3fn(half value, fp8_overflow overflow) noexcept {
    const unsigned sign = (value.bits >> 8U) & 0x80U;
    const unsigned magnitude = value.bits & 0x7FFFU;
    if (magnitude > 0x7C00U) {
        return static_cast<std::uint8_t>(sign | 0x7FU);
    }
    unsigned code = 0;
    if (magnitude >= (9U << 10U)) { // 2^-6, the smallest normal: seven of ten fraction bits go
        const unsigned rebased = magnitude - (8U << 10U);
        code = (rebased + 0x3FU + ((rebased >> 7U) & 1U)) >> 7U;
    } else {                                        // units of 2^-9: fp16 holds it as significand * 2^(exponent - 10)
        const unsigned exponent = magnitude >> 10U; // at most 8
        const unsigned significand = exponent == 0 ? magnitude : (magnitude & 0x3FFU) | 0x400U;
        const unsigned dropped = 16U - (exponent == 0 ? 1U : exponent); // 2^-24 units to 2^-9, less the shift
        const unsigned kept = significand >> dropped;
        const unsigned rest = significand & ((1U << dropped) - 1U);
        const unsigned tie = 1U << (dropped - 1U);
        code = kept + (rest > tie || (rest == tie && (kept & 1U) != 0) ? 1U : 0U);
    }
    if (code > 0x7EU) {
        code = overflow == fp8_overflow::saturate ? 0x7EU : 0x7FU;
    }
    return static_cast<std::uint8_t>(sign | code);
}

/// E5M2, bias 15, is the high byte of fp16: the largest finite value is 57344.
constexpr half decode_e5m2(std::uint8_t code) noexcept {
    return half::from_bits(static_cast<std::uint16_t>(code << 8U));
}

/// The high byte, rounded half to even; what rounds beyond the largest is infinity (0x7C).
constexpr std::uint8_t encode_e5m2(half value) noexcept {
    const unsigned sign = (value.bits >> 8U) & 0x80U;
    const unsigned magnitude = value.bits & 0x7FFFU;
    if (magnitude > 0x7C00U) {
        return static_cast<std::uint8_t>(sign | 0x7EU);
    }
    const unsigned rounded = (magnitude + 0x7FU + ((magnitude >> 8U) & 1U)) >> 8U;
    return static_cast<std::uint8_t>(sign | (rounded > 0x7CU ? 0x7CU : rounded));
}

} // namespace ane::weight_formats::inline ANEMONE_WAY
