#pragma once

#include "../half.hpp"

#include <cstddef>

namespace ane {

/// Stands for infinity in an interval: larger than anything finite arithmetic of intervals makes of fp16 values, and
/// far from the end of double, so that no sum or product of endpoints overflows.
inline constexpr double unbounded = 1e30;

/// All values that a tensor's elements may take for finite inputs that keep their contracts: [low, high]. An end of
/// +-`unbounded` means that the value may have overflowed to infinity (or be a NaN).
struct interval {
    double low = -half_max;
    double high = half_max;
    bool declared = false; ///< follows from promises or from the operations themselves, not from an input's type alone

    constexpr double magnitude() const noexcept { return high > -low ? high : -low; }
    constexpr bool bounded() const noexcept { return magnitude() < unbounded; }
    constexpr bool contains(double x) const noexcept { return low <= x && x <= high; }
    friend constexpr bool operator==(const interval&, const interval&) = default;
};

namespace detail {

/// An endpoint as the engine would store it. Rounding is monotone, so rounded ends bound rounded values.
constexpr double stored(double x) noexcept {
    constexpr double overflow = 65520.0; // the midpoint above 65504, which rounds to infinity
    if (x >= overflow) {
        return unbounded;
    }
    if (x <= -overflow) {
        return -unbounded;
    }
    return static_cast<double>(half(x));
}
constexpr interval stored(const interval& x) noexcept { return {stored(x.low), stored(x.high), x.declared}; }

constexpr interval anything(bool declared) noexcept { return {-unbounded, unbounded, declared}; }

constexpr interval hull(const interval& a, const interval& b) noexcept {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.declared && b.declared};
}
/// The hull with zero, for padding and partial sums.
constexpr interval with_zero(const interval& x) noexcept {
    return {x.low < 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared};
}

constexpr interval sum(const interval& a, const interval& b) noexcept {
    return {a.low + b.low, a.high + b.high, a.declared && b.declared};
}
constexpr interval difference(const interval& a, const interval& b) noexcept {
    return {a.low - b.high, a.high - b.low, a.declared && b.declared};
}
constexpr interval product(const interval& a, const interval& b) noexcept {
    if (!a.bounded() || !b.bounded()) {
        return anything(a.declared && b.declared); // zero times infinity is anything
    }
    const double p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    interval r{p[0], p[0], a.declared && b.declared};
    for (const double x : p) {
        r.low = x < r.low ? x : r.low;
        r.high = x > r.high ? x : r.high;
    }
    return r;
}
constexpr interval times(const interval& a, double positive) noexcept {
    return {a.low * positive, a.high * positive, a.declared};
}
constexpr interval quotient(const interval& a, const interval& b) noexcept {
    if (b.contains(0) || !a.bounded() || !b.bounded()) {
        return anything(a.declared && b.declared);
    }
    return product(a, {1 / b.high, 1 / b.low, b.declared});
}

/// Activation tables are not correctly rounded: their error stays far below 2^-7 of the value plus 2^-8.
constexpr interval table_slack(interval x) noexcept {
    const auto magnitude = [](double v) { return v < 0 ? -v : v; };
    x.low -= magnitude(x.low) / 128 + 1.0 / 256;
    x.high += magnitude(x.high) / 128 + 1.0 / 256;
    return x;
}

/// e^x for bounds: unbounded from 11.09 on, where fp16 overflows (R150).
constexpr double exponential(double x) noexcept {
    if (x > 11.0899) {
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
/// ln x for 0 < x <= `unbounded`.
constexpr double logarithm(double x) noexcept {
    double result = 0;
    while (x > 1.5) {
        x /= 2;
        result += 0.693147180559945309417;
    }
    while (x < 0.75) {
        x *= 2;
        result -= 0.693147180559945309417;
    }
    const double z = (x - 1) / (x + 1);
    double term = 2 * z;
    for (int i = 1; i < 20; i += 2) {
        result += term / i;
        term *= z * z;
    }
    return result;
}

} // namespace detail
} // namespace ane
