#pragma once

#include "../half.hpp"
#include "activation_table.hpp"
#include "datapath.hpp"
#include "fitted_tables.hpp"
#include "rounding.hpp"

#include <bit>
#include <cstdint>

/// The table-driven functions, each a reduction of the argument around one table. NaN enters as +infinity (N080).
namespace ane::numerics {

namespace detail {

inline constexpr half half_infinity = half::from_bits(0x7C00U);

/// What enters the engine: NaN is +infinity (measured M1, N080), a zero has no sign (measured M1, N105).
constexpr half entered(half value) noexcept {
    if (is_nan(value)) {
        return half_infinity;
    }
    return (value.bits & 0x7FFFU) == 0 ? half{} : value;
}

constexpr bool is_negative(half x) noexcept { return (x.bits & 0x8000U) != 0; }

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

constexpr half odd(const activation_table& table, half x, tie_rule ties) noexcept {
    const double value = static_cast<double>(x);
    const half magnitude = table.at(value < 0 ? -value : value, ties);
    return value < 0 && magnitude.bits != 0 ? -magnitude : magnitude;
}

/// Argument of log and rsqrt: x + epsilon in fp16.
constexpr half shifted(half x, double epsilon, tie_rule ties) noexcept {
    const half v = entered(x);
    return epsilon == 0.0 ? v : round_to_half(static_cast<double>(v) + epsilon, ties);
}

} // namespace detail

/// 1 / (1 + e^-x). Worst error 3.355e-3 (measured M6), 0.0034 (measured M1, N117).
constexpr half sigmoid(const datapath& path, half x) noexcept {
    return sigmoid_table.at(static_cast<double>(detail::entered(x)), path.elementwise_ties);
}

/// Worst error 1.613e-3 (measured M6), 0.0017 (measured M1, N118).
constexpr half hyperbolic_tangent(const datapath& path, half x) noexcept {
    return detail::odd(tanh_table, detail::entered(x), path.elementwise_ties);
}

/// Worst error 8.642e-4 for |x| <= 2 (measured M6).
constexpr half error_function(const datapath& path, half x) noexcept {
    return detail::odd(erf_table, detail::entered(x), path.elementwise_ties);
}

/// e^x = 2^n * table(f), n + f = x * log2 e, that product in fp16. Worst error 9.1 ulp for |x| <= 10 (measured M6; it
/// is the two roundings to fp16 that give this figure, hence inferred); first infinity at 11.094 (measured M1, N111).
constexpr half exponential(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    const double log2_e = static_cast<double>(round_to_half(detail::log2_e, path.elementwise_ties));
    const double power = static_cast<double>(round_to_half(static_cast<double>(v) * log2_e, path.elementwise_ties));
    if (power >= 16.0) {
        return detail::half_infinity;
    }
    if (power < -26.0) {
        return half{};
    }
    int whole = static_cast<int>(power);
    if (whole > power) {
        --whole;
    }
    return detail::scaled(exp2_table.at(power - whole, path.elementwise_ties), whole, path.elementwise_ties);
}

/// ln(x + epsilon) = (exponent + table(mantissa)) * ln 2, sum and product in fp16. Worst error 91 ulp (measured M6).
/// log2 of 0 is -infinity, which the multiplication by ln 2 reads as -2^16, exponent 31 being an ordinary one: that is
/// the published -45440 (N096; the explanation is inferred). Negative arguments and +infinity give +0 (N095, N097).
constexpr half logarithm(const datapath& path, half x, double epsilon = 0.0) noexcept {
    const half v = detail::shifted(x, epsilon, path.elementwise_ties);
    if (detail::is_negative(v) || is_infinite(v)) {
        return half{};
    }
    double log2 = -0x1p16;
    if (v.bits != 0) {
        const detail::split_value s = detail::split(v);
        const half mantissa = log2_table.at(s.mantissa, path.elementwise_ties);
        log2 = static_cast<double>(round_to_half(static_cast<double>(mantissa) + s.exponent, path.elementwise_ties));
    }
    const double ln_2 = static_cast<double>(round_to_half(detail::ln_2, path.elementwise_ties));
    return round_to_half(log2 * ln_2, path.elementwise_ties);
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

/// 1 / x. The sign of a zero is lost: both give +infinity (measured M1, N102). The published worst error on M6 is
/// 13.5 ulp; the published table with the interpolation of this model errs by 1.2 at most: something is missing here.
constexpr half reciprocal(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    if (v.bits == 0) {
        return detail::half_infinity;
    }
    if (is_infinite(v)) {
        return half{};
    }
    const bool negative = detail::is_negative(v);
    const detail::split_value s = detail::split(negative ? -v : v);
    const half magnitude =
        detail::scaled(inverse_table.at(s.mantissa, path.elementwise_ties), -s.exponent, path.elementwise_ties);
    return negative && magnitude.bits != 0 ? -magnitude : magnitude;
}

namespace detail {
/// A table around 0 for a function that becomes x on one side and 0 on the other (the clamps are inferred).
constexpr half gated(const activation_table& table, half x, tie_rule ties) noexcept {
    const half v = entered(x);
    const double value = static_cast<double>(v);
    if (value > table.last()) {
        return v;
    }
    return value < table.first ? half{} : table.at(value, ties);
}
} // namespace detail

/// x * Phi(x), both modes alike (measured M6). Fitted table (inferred). Not 0 at 0: -0.000543 on M1 (N113), -0.000753
/// on M6, N115 another.
constexpr half gelu(const datapath& path, half x) noexcept {
    return detail::gated(gelu_table(path.tables), x, path.elementwise_ties);
}

/// x * sigmoid(x), also called swish. Fitted table (inferred). Not 0 at 0: -0.001259 on M1 (N114), -0.001702 on M6.
constexpr half silu(const datapath& path, half x) noexcept {
    return detail::gated(silu_table(path.tables), x, path.elementwise_ties);
}

} // namespace ane::numerics
