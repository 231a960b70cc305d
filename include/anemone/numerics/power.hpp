#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "exponential.hpp"
#include "function_samples.hpp"
#include "planar.hpp"
#include "rounding.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Snaps a value to the nearest number of 24 significant bits if that is within the error of the functions below: a
/// power that fp16 represents exactly, or that lies half way between two fp16 values, must not be off by 10^-15.
constexpr double snapped(double value) noexcept {
    constexpr std::uint64_t low = (1ULL << 29U) - 1U;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto near = std::bit_cast<double>((bits + (1ULL << 28U)) & ~low);
    const double error = near < value ? value - near : near - value;
    return error < value * 0x1p-40 ? near : value;
}

/// x > 0 as a mantissa to both sides of 1, where the logarithm is small, and an exponent.
constexpr split_value split_near_one(half x) noexcept {
    split_value s = split(x);
    if (s.mantissa < 0.7) {
        s.mantissa *= 2.0;
        s.exponent -= 1;
    }
    return s;
}

constexpr double natural_logarithm(half x) noexcept {
    const split_value s = split_near_one(x);
    return s.exponent * ln_2 + sample_log(s.mantissa);
}

/// x^y for finite x > 0 and finite y, clamped to [2^-60, 2^60]; `logarithm` is that of x.
constexpr double power_of_positive(double logarithm, double y) noexcept {
    const double exponent = y * logarithm;
    if (exponent > 41.0 || exponent < -41.0) {
        return exponent > 0 ? 0x1p60 : 0x1p-60;
    }
    return snapped(sample_exp(exponent));
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// x^y with one rounding. The engine has a unit for it (decompiled: the compiler's list of elementwise kernels) and a
/// sweep on M5 found an error of 1.8e-4, less than exp (4.7e-4) and log (8.0e-4) have by their tables, so not
/// e^(y ln x): inferred. Where IEEE 754 has no number, a negative base to a fraction, it is +0, as all such forms
/// (guide chapter 3); 0 has no sign.
template <class Logarithm>
constexpr half power(const datapath& path, half x, half y, const Logarithm& logarithm) noexcept {
    const half base = detail::entered(x);
    const half exponent = detail::entered(y);
    const half magnitude = detail::magnitude(base);
    const half one(1.0);
    if (exponent.bits == 0 || base.bits == one.bits) {
        return one;
    }
    const bool rises = !detail::is_negative(exponent);
    if (is_infinite(exponent)) {
        if (magnitude.bits == one.bits) {
            return one;
        }
        return (magnitude > one) == rises ? detail::half_infinity : half{};
    }
    const double e = static_cast<double>(exponent);
    const bool whole = e == static_cast<double>(static_cast<int>(e));
    const bool odd = whole && static_cast<int>(e) % 2 != 0;
    if (magnitude.bits == 0) {
        return rises ? half{} : detail::half_infinity;
    }
    if (detail::is_negative(base) && !whole && is_finite(base)) {
        return half{};
    }
    half result{};
    if (is_infinite(base)) {
        result = rises ? detail::half_infinity : half{};
    } else {
        result = round_to_half(detail::power_of_positive(logarithm(magnitude), e), path.elementwise_ties);
    }
    return detail::is_negative(base) && odd && result.bits != 0 ? -result : result;
}

constexpr half power(const datapath& path, half x, half y) noexcept {
    return power(path, x, y, detail::natural_logarithm);
}

/// The same by a table of the logarithms of all mantissas, made when it is first needed.
ANEMONE_INLINE half power_by_table(const datapath& path, half x, half y) {
    static const std::vector<double> logarithms = [] {
        std::vector<double> all;
        for (std::uint16_t fraction = 0; fraction < 1024; ++fraction) {
            const half mantissa = half::from_bits(static_cast<std::uint16_t>(0x3C00U | fraction));
            all.push_back(detail::sample_log(detail::split_near_one(mantissa).mantissa));
        }
        return all;
    }();
    return power(path, x, y, [](half positive) {
        const detail::split_value s = detail::split_near_one(positive);
        const std::uint64_t fraction = (std::bit_cast<std::uint64_t>(s.mantissa) >> 42U) & 0x3FFU;
        return s.exponent * detail::ln_2 + logarithms[fraction];
    });
}

} // namespace ane::numerics::inline ANEMONE_WAY
