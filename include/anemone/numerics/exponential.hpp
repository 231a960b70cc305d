#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "activation_table.hpp"
#include "datapath.hpp"
#include "planar.hpp"
#include "rounding.hpp"

#include <bit>
#include <cstdint>

/// The functions that split a number into mantissa and exponent around their table.
namespace ane::numerics::detail::inline ANEMONE_WAY {

/// mantissa * 2^exponent.
struct split_value {
    double mantissa;
    int exponent;
};

/// Of a positive finite value: mantissa in [0.5, 1).
constexpr split_value split(half x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(x));
    const int exponent = static_cast<int>((bits >> 52U) & 0x7FFU) - 1022;
    return {std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFULL) | 0x3FE0000000000000ULL), exponent};
}

/// The same with an even exponent: mantissa in [0.5, 2).
constexpr split_value split_even(half x) noexcept {
    split_value s = split(x);
    if (s.exponent % 2 != 0) {
        s.mantissa *= 2.0;
        s.exponent -= 1;
    }
    return s;
}

/// value * 2^exponent, rounded where it becomes subnormal.
constexpr half scaled(half value, int exponent, tie_rule ties) noexcept {
    return round_to_half(static_cast<double>(value) * power_of_two(exponent), ties);
}

/// Argument of log, rsqrt and the reciprocal: x + epsilon in fp16.
constexpr half shifted(half x, double epsilon, tie_rule ties) noexcept {
    const half v = entered(x);
    return epsilon == 0.0 ? v : entered(round_to_half(static_cast<double>(v) + epsilon, ties));
}

/// 2^n * table(f), n + f = power.
constexpr half exponential_of(const datapath& path, double power) noexcept {
    if (power >= 16.0) {
        return half_infinity;
    }
    if (power < -26.0) {
        return half{};
    }
    int whole = static_cast<int>(power);
    if (whole > power) {
        --whole;
    }
    return scaled(exp2_table.at(power - whole, path.elementwise_ties), whole, path.elementwise_ties);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// 2^x = 2^n * table(f), n + f = x exactly. Worst error 1.01 ulp; infinite from 16. The table is
/// measured on M6 (as part of exp), its use here inferred.
constexpr half exponential_base_2(const datapath& path, half x) noexcept {
    return detail::exponential_of(path, static_cast<double>(detail::entered(x)));
}

/// e^x = 2^n * table(f), n + f = x * log2 e, that product in fp16. Worst error 9.1 ulp for |x| <= 10 (measured M6; it
/// is the two roundings to fp16 that give this figure, hence inferred); first infinity at 11.094 (measured M1, N111).
constexpr half exponential(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    const double log2_e = static_cast<double>(round_to_half(detail::log2_e, path.elementwise_ties));
    const half power = round_to_half(static_cast<double>(v) * log2_e, path.elementwise_ties);
    return detail::exponential_of(path, static_cast<double>(power));
}

/// log2 x = exponent + table(mantissa), the sum in fp16. Of 0 it is -infinity, of negative arguments and +infinity +0
/// (inferred from `logarithm`, which is made of it).
constexpr half logarithm_base_2(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    if (detail::is_negative(v) || is_infinite(v)) {
        return half{};
    }
    if (v.bits == 0) {
        return -detail::half_infinity;
    }
    const detail::split_value s = detail::split(v);
    const half mantissa = log2_table.at(s.mantissa, path.elementwise_ties);
    return round_to_half(static_cast<double>(mantissa) + s.exponent, path.elementwise_ties);
}

/// ln(x + epsilon) = log2(x + epsilon) * ln 2, that product in fp16. Worst error 91 ulp (measured M6). The product reads
/// the -infinity of 0 as -2^16, exponent 31 being an ordinary one: that is the published -45440 (N096; the explanation
/// is inferred). Negative arguments and +infinity give +0 (N095, N097).
constexpr half logarithm(const datapath& path, half x, double epsilon = 0.0) noexcept {
    const half log2 = logarithm_base_2(path, detail::shifted(x, epsilon, path.elementwise_ties));
    const double ln_2 = static_cast<double>(round_to_half(detail::ln_2, path.elementwise_ties));
    return round_to_half((is_infinite(log2) ? -0x1p16 : static_cast<double>(log2)) * ln_2, path.elementwise_ties);
}

/// Worst error 1.2 ulp (measured M6). Negative arguments and -0 give +0 (measured M1: N093, N104).
constexpr half square_root(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    if (v.bits == 0 || detail::is_negative(v)) {
        return half{};
    }
    if (is_infinite(v)) {
        return v;
    }
    const detail::split_value s = detail::split_even(v);
    return detail::scaled(sqrt_table.at(s.mantissa, path.elementwise_ties), s.exponent / 2, path.elementwise_ties);
}

/// 1 / sqrt(x + epsilon). Worst error 2.1 ulp (measured M6). Both zeros give +infinity (N103), a negative +0 (N094).
constexpr half reciprocal_square_root(const datapath& path, half x, double epsilon = 0.0) noexcept {
    const half v = detail::shifted(x, epsilon, path.elementwise_ties);
    if (v.bits == 0) {
        return detail::half_infinity;
    }
    if (detail::is_negative(v) || is_infinite(v)) {
        return half{};
    }
    const detail::split_value s = detail::split_even(v);
    return detail::scaled(rsqrt_table.at(s.mantissa, path.elementwise_ties), -s.exponent / 2, path.elementwise_ties);
}

/// 1 / (x + epsilon). The sign of a zero is lost: both give +infinity (measured M1, N102). Worst error 1.2 ulp with
/// epsilon 0. The published figures of M6, 13.5 ulp and 0.4375, are those of epsilon = 10^-4, which MIL takes where
/// none is given, for x from 1/64 on (inferred: this model gives both to all their digits).
constexpr half reciprocal(const datapath& path, half x, double epsilon = 0.0) noexcept {
    const half v = detail::shifted(x, epsilon, path.elementwise_ties);
    if (v.bits == 0) {
        return detail::half_infinity;
    }
    if (is_infinite(v)) {
        return half{};
    }
    const bool negative = detail::is_negative(v);
    const detail::split_value s = detail::split(detail::magnitude(v));
    const half result =
        detail::scaled(inverse_table.at(s.mantissa, path.elementwise_ties), -s.exponent, path.elementwise_ties);
    return negative && result.bits != 0 ? -result : result;
}

} // namespace ane::numerics::inline ANEMONE_WAY
