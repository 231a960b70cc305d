#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>

/// The 16-bit storage type of the engine: IEEE 754 binary16, one sign bit, five exponent bits, ten fraction bits.
/// A storage type only: arithmetic is done in float or double and rounded once (guide, chapter 3).
namespace ane {

namespace detail {

/// The value of a binary16 bit pattern, exact for all 65,536 patterns (a NaN keeps its sign and payload).
constexpr float half_bits_to_float(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
    std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0x1FU) {
        return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13U));
    }
    if (exponent != 0) {
        return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
    }
    // A subnormal is fraction * 2^-24: both factors and the product are exact in float.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
}

/// The binary16 pattern nearest to a float, ties to even, overflow to infinity, subnormals kept; a NaN keeps its sign and
/// leading payload and becomes quiet. Without branches, so that loops over it become vector code.
[[gnu::always_inline]] constexpr std::uint16_t float_to_half_bits(float value) noexcept {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits & 0x80000000U) >> 16U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    const std::uint32_t normal = (magnitude - (112U << 23U) + 0xFFFU + odd) >> 13U;
    // Adding 0.5, whose ulp in fp32 is the smallest fp16 subnormal, lets the addition do the rounding.
    const std::uint32_t small = magnitude < (113U << 23U) ? magnitude : 0U;
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(small) + 0.5F) - 0x3F000000U;
    const std::uint32_t special = magnitude > 0x7F800000U ? 0x7E00U | ((magnitude >> 13U) & 0x3FFU) : 0x7C00U;
    const std::uint32_t finite = magnitude < (113U << 23U) ? subnormal : normal;
    return static_cast<std::uint16_t>(sign | (magnitude >= (143U << 23U) ? special : finite));
}

/// The binary16 pattern nearest to a double, ties to even, overflow to infinity, subnormals kept.
constexpr std::uint16_t double_to_half_bits(double value) noexcept {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 48U) & 0x8000U);
    const int exponent = static_cast<int>((bits >> 52U) & 0x7FFU) - 1023;
    const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFULL;
    if (exponent == 1024) {
        const std::uint16_t payload =
            fraction == 0 ? 0U : static_cast<std::uint16_t>(0x200U | static_cast<std::uint32_t>(fraction >> 42U));
        return static_cast<std::uint16_t>(sign | 0x7C00U | payload);
    }
    if (exponent > 15) {
        return static_cast<std::uint16_t>(sign | 0x7C00U);
    }
    if (exponent < -25) {
        return sign; // below half of the smallest subnormal, 2^-25, everything rounds to zero
    }
    const std::uint64_t significand = fraction | (1ULL << 52U);
    const unsigned dropped = exponent >= -14 ? 42U : static_cast<unsigned>(42 + (-14 - exponent));
    std::uint64_t kept = significand >> dropped;
    const std::uint64_t rest = significand & ((1ULL << dropped) - 1U);
    const std::uint64_t tie = 1ULL << (dropped - 1U);
    if (rest > tie || (rest == tie && (kept & 1U) != 0)) {
        ++kept;
    }
    // A carry out of the fraction lands in the exponent, which is what the encoding wants, up to infinity.
    const std::uint64_t base = exponent >= -14 ? static_cast<std::uint64_t>(exponent + 14) << 10U : 0U;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(base + kept));
}

} // namespace detail

/// One binary16 value. Conversions from float and double round half to even and are usable in constant expressions.
struct half {
    std::uint16_t bits = 0; ///< The bit pattern; public so that the type is structural.

    constexpr half() noexcept = default;
    constexpr explicit half(float value) noexcept : bits(detail::float_to_half_bits(value)) {}
    constexpr explicit half(double value) noexcept : bits(detail::double_to_half_bits(value)) {}
    constexpr explicit half(int value) noexcept : half(static_cast<double>(value)) {}

    static constexpr half from_bits(std::uint16_t pattern) noexcept {
        half result;
        result.bits = pattern;
        return result;
    }

    /// Exact, so it needs no cast: `std::vector<float>(y.begin(), y.end())`, `sum += y[i]`. The way back rounds.
    constexpr operator float() const noexcept { return detail::half_bits_to_float(bits); } // NOLINT(*-explicit-*)
    constexpr explicit operator double() const noexcept { return static_cast<double>(static_cast<float>(*this)); }

    constexpr half operator-() const noexcept { return from_bits(static_cast<std::uint16_t>(bits ^ 0x8000U)); }

    /// Numeric comparison: the zeros are equal, a NaN is unordered.
    friend constexpr bool operator==(half a, half b) noexcept { return static_cast<float>(a) == static_cast<float>(b); }
    friend constexpr std::partial_ordering operator<=>(half a, half b) noexcept {
        return static_cast<float>(a) <=> static_cast<float>(b);
    }
};

static_assert(sizeof(half) == 2);

constexpr bool is_nan(half value) noexcept { return (value.bits & 0x7FFFU) > 0x7C00U; }
constexpr bool is_infinite(half value) noexcept { return (value.bits & 0x7FFFU) == 0x7C00U; }
constexpr bool is_finite(half value) noexcept { return (value.bits & 0x7C00U) != 0x7C00U; }

/// Position on the line of all finite binary16 values: consecutive values differ by one, both zeros are 0.
constexpr int ordinal(half value) noexcept {
    const int magnitude = value.bits & 0x7FFF;
    return (value.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// Distance in units in the last place: the number of representable values from `a` to `b`.
constexpr int ulp_distance(half a, half b) noexcept {
    const int distance = ordinal(a) - ordinal(b);
    return distance < 0 ? -distance : distance;
}

inline namespace literals {
/// `1.5_h`: the nearest binary16 value.
constexpr half operator""_h(long double value) noexcept { return half(static_cast<double>(value)); }
constexpr half operator""_h(unsigned long long value) noexcept { return half(static_cast<double>(value)); }
} // namespace literals

/// Largest finite value, 65504 (guide, chapter 3; N_fp16_max).
inline constexpr double half_max = 65504.0;

} // namespace ane

template <> class std::numeric_limits<ane::half> {
public:
    static constexpr bool is_specialized = true;
    static constexpr bool is_signed = true;
    static constexpr bool is_integer = false;
    static constexpr bool is_exact = false;
    static constexpr bool has_infinity = true;
    static constexpr bool has_quiet_NaN = true;
    static constexpr bool has_signaling_NaN = true;
    static constexpr bool is_iec559 = true;
    static constexpr bool is_bounded = true;
    static constexpr bool is_modulo = false;
    static constexpr std::float_round_style round_style = std::round_to_nearest;
    static constexpr int radix = 2;
    static constexpr int digits = 11;
    static constexpr int digits10 = 3;
    static constexpr int max_digits10 = 5;
    static constexpr int min_exponent = -13;
    static constexpr int min_exponent10 = -4;
    static constexpr int max_exponent = 16;
    static constexpr int max_exponent10 = 4;
    static constexpr ane::half min() noexcept { return ane::half::from_bits(0x0400); }
    static constexpr ane::half lowest() noexcept { return ane::half::from_bits(0xFBFF); }
    static constexpr ane::half max() noexcept { return ane::half::from_bits(0x7BFF); }
    static constexpr ane::half epsilon() noexcept { return ane::half::from_bits(0x1400); }
    static constexpr ane::half round_error() noexcept { return ane::half::from_bits(0x3800); }
    static constexpr ane::half denorm_min() noexcept { return ane::half::from_bits(0x0001); }
    static constexpr ane::half infinity() noexcept { return ane::half::from_bits(0x7C00); }
    static constexpr ane::half quiet_NaN() noexcept { return ane::half::from_bits(0x7E00); }
    static constexpr ane::half signaling_NaN() noexcept { return ane::half::from_bits(0x7D00); }
};
