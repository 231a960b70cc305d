#pragma once

#include "interval.hpp"

/// Elementary functions for the ends of intervals, in constant expressions. Accurate to 1e-7 or better.
namespace ane::detail {

/// Widens the exact range of a function to what the engine's table of it may return. Tables are not correctly rounded;
/// their error stays far below 2^-7 of the value plus 2^-8.
constexpr interval table_slack(interval x) noexcept {
    x.low -= magnitude(x.low) / 128 + 1.0 / 256;
    x.high += magnitude(x.high) / 128 + 1.0 / 256;
    return x;
}
/// The same of a table of mantissas, and of a product with a reciprocal: their errors are in proportion to the value.
constexpr interval relative_slack(const interval& x) noexcept {
    return with_sign_of(
        x, {x.low - magnitude(x.low) / 64 - 0x1p-24, x.high + magnitude(x.high) / 64 + 0x1p-24, x.declared});
}
/// The same where the function is known to stay in [low, high] whatever its error.
constexpr interval table_within(const interval& x, double low, double high) noexcept {
    const interval r = clipped(table_slack(x), low, high);
    return {r.low, r.high, x.declared};
}

/// From where on e^x overflows in fp16 (R150): between 11.086 and 11.094, which are neighbours there.
inline constexpr double last_exponent = 11.09;

/// e^x for bounds: unbounded where fp16 overflows.
constexpr double exponential(double x) noexcept {
    if (x > last_exponent) {
        return unbounded;
    }
    if (x < -20) {
        return 0;
    }
    const double step = x / 64;
    double result = 1 + step * (1 + step / 2 * (1 + step / 3 * (1 + step / 4 * (1 + step / 5 * (1 + step / 6)))));
    for (int i = 0; i < 6; ++i) {
        result *= result;
    }
    return result;
}
constexpr double ln_2 = 0.693147180559945309417;

/// ln x for 0 < x <= `unbounded`.
constexpr double logarithm(double x) noexcept {
    double result = 0;
    while (x > 1.5) {
        x /= 2;
        result += ln_2;
    }
    while (x < 0.75) {
        x *= 2;
        result -= ln_2;
    }
    const double z = (x - 1) / (x + 1);
    double term = 2 * z;
    for (int i = 1; i < 20; i += 2) {
        result += term / i;
        term *= z * z;
    }
    return result;
}

/// The square root, 0 below zero. Scaled to [1, 4], Newton's iteration starts so close that five steps are enough.
constexpr double root(double x) noexcept {
    if (x <= 0) {
        return 0;
    }
    if (x >= unbounded) {
        return unbounded;
    }
    double scale = 1;
    while (x > 4) {
        x /= 4;
        scale *= 2;
    }
    while (x < 1) {
        x *= 4;
        scale /= 2;
    }
    double r = 0.5 * (1 + x);
    for (int i = 0; i < 5; ++i) {
        r = 0.5 * (r + x / r);
    }
    return r * scale;
}
constexpr interval root_of(const interval& x) noexcept { return {root(x.low), root(x.high), x.declared}; }

constexpr double logistic(double x) noexcept { return 1 / (1 + exponential(-x)); }
constexpr double hyperbolic_tangent(double x) noexcept { return 1 - 2 / (1 + exponential(2 * x)); }
/// ln(1 + e^x), without the overflow of e^x.
constexpr double soft_plus(double x) noexcept {
    return x > 0 ? x + logarithm(1 + exponential(-x)) : logarithm(1 + exponential(x));
}
/// Approximated with an error below 2e-7 (Abramowitz and Stegun 7.1.26).
constexpr double error_function(double x) noexcept {
    const double z = magnitude(x);
    if (z > 4) {
        return x < 0 ? -1 : 1;
    }
    const double t = 1 / (1 + 0.3275911 * z);
    const double p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    const double r = 1 - p * exponential(-z * z);
    return x < 0 ? -r : r;
}

/// The next whole number below; values beyond 2^53 are whole already.
constexpr double floor_of(double x) noexcept {
    if (magnitude(x) >= 0x1p53) {
        return x;
    }
    const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
    return whole > x ? whole - 1 : whole;
}
constexpr double ceil_of(double x) noexcept { return -floor_of(-x); }

} // namespace ane::detail
