#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"

#include <bit>
#include <cfloat>
#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

/// Whether the compiler computes as IEEE 754 says, each double and float rounded to its own width. With -ffast-math or
/// on an x87 it does not; then nothing here can promise exact bits, and the oracle refuses to compile a program.
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
inline constexpr bool ieee_arithmetic = false;
#else
inline constexpr bool ieee_arithmetic = true;
#endif

} // namespace ane::numerics::inline ANEMONE_WAY

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// `significand >> dropped`, rounded to nearest by `ties`; `dropped` from 0 to 63.
constexpr std::uint64_t shift_right_rounded(std::uint64_t significand, unsigned dropped, tie_rule ties) noexcept {
    if (dropped == 0) {
        return significand;
    }
    const std::uint64_t kept = significand >> dropped;
    const std::uint64_t rest = significand & ((1ULL << dropped) - 1U);
    const std::uint64_t tie = 1ULL << (dropped - 1U);
    const bool up = rest > tie || (rest == tie && (ties == tie_rule::half_away || (kept & 1U) != 0));
    return kept + (up ? 1U : 0U);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// The fp16 value nearest to (-1)^negative * magnitude * 2^exponent, for any magnitude below 2^63. One rounding;
/// subnormals are kept, overflow gives infinity, a zero result is +0.
constexpr half round_scaled(bool negative, std::uint64_t magnitude, int exponent, tie_rule ties) noexcept {
    const int width = static_cast<int>(std::bit_width(magnitude));
    // Exponent of the last kept bit: eleven significant bits, but never below 2^-24.
    const int natural = exponent + width - 11;
    const int last = natural < -24 ? -24 : natural;
    const int dropped = last - exponent;
    std::uint64_t kept = 0;
    if (dropped > 63) {
        kept = 0; // magnitude < 2^63 is less than half of the last kept bit
    } else if (dropped >= 0) {
        kept = detail::shift_right_rounded(magnitude, static_cast<unsigned>(dropped), ties);
    } else {
        kept = magnitude << static_cast<unsigned>(-dropped);
    }
    if (kept == 0) {
        return half{};
    }
    const std::uint16_t sign = negative ? 0x8000U : 0U;
    // kept is at most 2^11; adding it to a biased exponent one too low lets its leading bit carry into the exponent.
    const int biased = last + 24; // 0 for subnormals and the first normals
    if (biased > 30 || static_cast<std::uint64_t>(biased) * 1024U + kept >= 0x7C00U) {
        return half::from_bits(static_cast<std::uint16_t>(sign | 0x7C00U));
    }
    return half::from_bits(static_cast<std::uint16_t>(sign | (static_cast<std::uint64_t>(biased) * 1024U + kept)));
}

/// The fp16 value nearest to a double: one rounding, ties by `ties`. NaN becomes +infinity, as the engine never holds a
/// NaN (N080, N204); a zero result is +0 (N105).
constexpr half round_to_half(double value, tie_rule ties) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = (bits >> 63U) != 0;
    const int exponent = static_cast<int>((bits >> 52U) & 0x7FFU);
    const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFULL;
    if (exponent >= 1009 && exponent <= 1038) { // a normal fp16, or the infinity that a carry makes of the largest
        const std::uint64_t kept = (bits >> 42U) - (1008ULL << 10U);
        const std::uint64_t rest = bits & ((1ULL << 42U) - 1U);
        const bool up =
            rest > 1ULL << 41U || (rest == 1ULL << 41U && (ties == tie_rule::half_away || (kept & 1U) != 0));
        const std::uint64_t magnitude = (kept & 0x7FFFU) + (up ? 1U : 0U);
        return half::from_bits(static_cast<std::uint16_t>((negative ? 0x8000U : 0U) | magnitude));
    }
    if (exponent == 0x7FF) {
        return half::from_bits(negative && fraction == 0 ? 0xFC00U : 0x7C00U);
    }
    if (exponent == 0) {
        return half{};
    }
    return round_scaled(negative, fraction | (1ULL << 52U), exponent - 1075, ties);
}

/// The fp16 value nearest to the fixed-point number `value` * 2^-fraction_bits.
constexpr half round_fixed(std::int64_t value, int fraction_bits, tie_rule ties) noexcept {
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return round_scaled(negative, negative ? 0U - bits : bits, -fraction_bits, ties);
}

/// a + b rounded to odd: the double below or above the exact sum whose last bit is set, unless the sum is exact. A
/// later rounding to fp16 is then the rounding of the exact sum. Finite operands of fp16 size and their products.
constexpr double add_to_odd(double a, double b) noexcept {
    const double sum = a + b;
    const double part = sum - a;
    const double rest = (a - (sum - part)) + (b - part); // exact (two-sum)
    if (rest == 0.0 || sum == 0.0) {
        return sum;
    }
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if ((bits & 1U) == 0) {
        bits += (rest > 0.0) == (sum > 0.0) ? 1U : ~std::uint64_t{0};
    }
    return std::bit_cast<double>(bits);
}

} // namespace ane::numerics::inline ANEMONE_WAY
