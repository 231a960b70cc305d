#pragma once

#include "../values/half.hpp"

#include <cstdint>

namespace ane {

/// Stands for infinity in an interval: larger than any finite result of interval arithmetic on fp16 values, and far
/// below the largest double, so that no sum or product of endpoints overflows.
inline constexpr double unbounded = 1e30;

/// All values that a tensor's elements may take for finite inputs that keep their contracts: [low, high]. An end of
/// +-`unbounded` means that the value may have overflowed to infinity (or be a NaN).
struct interval {
    double low = -half_max;
    double high = half_max;
    bool declared = false;  ///< follows from promises or from the operations themselves, not from an input's type alone
    double rms = unbounded; ///< what the root mean square along an axis cannot exceed, where a norm says so
    double l1 = unbounded;  ///< what the sum of the magnitudes along it cannot exceed, where a softmax says so
    int along = 0;          ///< that axis, counted from the last

    /// Whether a norm or a softmax bounds more than the elements.
    constexpr bool bounds_rows() const noexcept { return rms < unbounded || l1 < unbounded; }

    constexpr double magnitude() const noexcept { return high > -low ? high : -low; }
    constexpr bool bounded() const noexcept { return magnitude() < unbounded; }
    constexpr bool contains(double x) const noexcept { return low <= x && x <= high; }
    friend constexpr bool operator==(const interval&, const interval&) = default;
};

namespace detail {

/// The midpoint above 65504: from here on fp16 is infinity.
inline constexpr double half_overflow = 65520.0;

/// The fp16 value of a high end: the larger of what rounding half to even and half away from zero make of it.
/// Engines differ in their ties (numerics/datapath.hpp). Rounding is monotone, so rounded ends bound rounded values.
constexpr double stored_high(double x) noexcept {
    if (x >= half_overflow) {
        return unbounded;
    }
    if (x <= -half_overflow) {
        return -unbounded;
    }
    const half nearest(x);
    const auto value = static_cast<double>(nearest);
    if (value >= x) {
        return value;
    }
    // Rounded down: the neighbour above is equally near only at a tie.
    const auto bits = static_cast<std::uint16_t>(value < 0 ? nearest.bits - 1 : (nearest.bits & 0x7FFFU) + 1);
    const auto above = static_cast<double>(half::from_bits(bits));
    return above - x <= x - value ? above : value;
}
constexpr double stored_low(double x) noexcept { return -stored_high(-x); }
constexpr interval stored(const interval& x) noexcept {
    const auto rounded = [](double bound) { return bound < unbounded ? bound * (1 + 0x1p-10) : unbounded; };
    return {stored_low(x.low), stored_high(x.high), x.declared, rounded(x.rms), rounded(x.l1), x.along};
}

/// The same elements in another order or fewer of them: nothing is known of the mean along an axis.
constexpr interval of_elements(const interval& x) noexcept { return {x.low, x.high, x.declared}; }

/// Nothing is known, not even that the value is finite.
constexpr interval anything(bool declared) noexcept { return {-unbounded, unbounded, declared}; }

constexpr interval hull(const interval& a, const interval& b) noexcept {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.declared && b.declared};
}
/// The hull with zero, for padding and partial sums.
constexpr interval with_zero(const interval& x) noexcept {
    return {x.low < 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared};
}

constexpr interval sum(const interval& a, const interval& b) noexcept {
    if ((a.high >= unbounded && b.low <= -unbounded) || (a.low <= -unbounded && b.high >= unbounded)) {
        return anything(a.declared && b.declared); // infinities of opposite signs
    }
    return {a.low + b.low, a.high + b.high, a.declared && b.declared};
}
constexpr interval difference(const interval& a, const interval& b) noexcept {
    return sum(a, {-b.high, -b.low, b.declared});
}
constexpr double least_magnitude(const interval& x) noexcept {
    return x.contains(0) ? 0 : (x.low > 0 ? x.low : -x.high);
}
/// Nothing is known but that the value is not below zero: of infinities, and of zero times infinity, too.
constexpr interval at_least(double low, bool declared) noexcept { return {low, unbounded, declared}; }
/// Whether the product of any two values of them is at least zero.
constexpr bool have_one_sign(const interval& a, const interval& b) noexcept {
    return (a.low >= 0 && b.low >= 0) || (a.high <= 0 && b.high <= 0);
}
/// The least magnitude of a factor: an infinite one may count as 2^16 (numerics-datapath, section 1, rule 1).
constexpr double least_factor(const interval& x) noexcept {
    return least_magnitude(x) < half_max ? least_magnitude(x) : half_max;
}
constexpr interval product(const interval& a, const interval& b) noexcept {
    if (!a.bounded() || !b.bounded()) { // zero times infinity is anything, though never below zero
        const bool declared = a.declared && b.declared;
        return have_one_sign(a, b) ? at_least(least_factor(a) * least_factor(b), declared) : anything(declared);
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
constexpr interval multiple(const interval& a, double factor) noexcept {
    return factor < 0 ? interval{a.high * factor, a.low * factor, a.declared} : times(a, factor);
}
constexpr interval negated(const interval& a) noexcept { return {-a.high, -a.low, a.declared}; }
constexpr double magnitude(double x) noexcept { return x < 0 ? -x : x; }
/// Every value of `x` moved by at most `by`.
constexpr interval widened(const interval& x, double by) noexcept { return {x.low - by, x.high + by, x.declared}; }
constexpr interval clipped(const interval& x, double low, double high) noexcept {
    const auto clip = [=](double v) { return v < low ? low : (v > high ? high : v); };
    return {clip(x.low), clip(x.high), true};
}
/// What errors made of values of `exact`: none of them takes a value across zero.
constexpr interval with_sign_of(const interval& exact, interval x) noexcept {
    x.low = exact.low >= 0 && x.low < 0 ? 0 : x.low;
    x.high = exact.high <= 0 && x.high > 0 ? 0 : x.high;
    return x;
}
/// What both intervals contain; each must hold the same value.
constexpr interval intersection(const interval& a, const interval& b) noexcept {
    return {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high, a.declared || b.declared};
}
constexpr interval quotient(const interval& a, const interval& b) noexcept {
    if (b.contains(0) || !a.bounded() || !b.bounded()) { // of a zero divisor even the sign may be lost
        const bool declared = a.declared && b.declared;
        return !b.contains(0) && have_one_sign(a, b) ? at_least(0, declared) : anything(declared);
    }
    return product(a, {1 / b.high, 1 / b.low, b.declared});
}

} // namespace detail
} // namespace ane
