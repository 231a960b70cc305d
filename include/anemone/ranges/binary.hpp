#pragma once

#include "../graph/graph.hpp"
#include "unary.hpp"

/// Ranges of elementwise arithmetic on two operands.
namespace ane::detail {

/// The largest whole exponent that is looked at by itself: 65504 of it leaves any base but -1, 0 and 1.
inline constexpr double most_factors = 64;

/// x^count, for a count from 0 to `most_factors`.
constexpr interval repeated_product(const interval& x, double count) {
    const auto of = [count](double base) {
        double r = 1;
        for (double i = 0; i < count; ++i) {
            r = magnitude(r) < unbounded ? r * base : r;
        }
        return r;
    };
    const double a = of(x.low);
    const double b = of(x.high);
    const bool even = count == 2 * floor_of(count / 2);
    if (!even) {
        return {a, b, x.declared};
    }
    return {x.contains(0) && count > 0 ? 0 : (a < b ? a : b), a > b ? a : b, x.declared};
}

/// Whether x^y is at least zero wherever it is a number: of a base that is, and to an even exponent. A zero base has no
/// sign here, but may be -0, of which an odd power below zero is -infinity.
constexpr bool is_power_positive(const interval& x, const interval& y) {
    return (y.low == y.high && y.low / 2 == floor_of(y.low / 2)) || (x.low >= 0 && (x.low > 0 || y.low >= 0));
}

/// x^y for x > 0, as e^(y ln x). The engine's logarithm is off by up to 0.007 (numerics-datapath, section 4), the
/// exponent therefore by up to |y| times that.
constexpr interval power_of_positive(const interval& x, const interval& y) {
    const bool declared = x.declared && y.declared;
    interval e = product({logarithm(x.low), logarithm(x.high), declared}, y);
    e = widened(e, (y.magnitude() + e.magnitude()) / 128);
    interval r = table_slack({exponential(e.low), exponential(e.high), declared});
    r.low = r.low > 0 ? r.low : 0;
    return r;
}

/// x^y. A negative base has a power only to a whole exponent: to others IEEE arithmetic gives NaN, the engine 0. Zero to
/// a negative exponent is infinite.
constexpr interval power_of(const interval& x, const interval& y) {
    const bool declared = x.declared && y.declared;
    const bool positive = is_power_positive(x, y);
    const bool has_zero = static_cast<double>(half(x.low)) <= 0 && static_cast<double>(half(x.high)) >= 0;
    if (!x.bounded() || !y.bounded() || (has_zero && y.low < 0)) {
        return positive ? at_least(0, declared) : anything(declared);
    }
    if (y.low == y.high && y.low == floor_of(y.low) && magnitude(y.low) <= most_factors) {
        const interval whole = repeated_product(x, magnitude(y.low));
        interval r = table_slack(y.low < 0 ? quotient({1, 1, true}, whole) : whole);
        r.low = whole.low >= 0 && r.low < 0 ? 0 : r.low;
        return {r.low, r.high, declared};
    }
    if (static_cast<double>(half(x.low)) > 0) {
        return power_of_positive(x, y);
    }
    const double least = x.high < 0 ? -x.high : 0x1p-24;
    const interval r =
        hull({0, 1, true}, power_of_positive({least, x.magnitude() > least ? x.magnitude() : least, declared}, y));
    return {positive ? 0 : -r.high, r.high, declared};
}

/// a / b, computed either as one division or as a times the fp16 reciprocal of b, which overflows where |b| is below 1
/// / 65504.
constexpr interval divided(const interval& a, const interval& b) {
    const interval q = quotient(a, b);
    const double least = b.low > 0 ? b.low : -b.high;
    if (!q.bounded() || least * 65472 < 1) {
        return q.low >= 0 && least > 0 ? at_least(0, q.declared) : anything(q.declared);
    }
    return with_sign_of(q, table_slack(q));
}

/// The same by the numbers of a constant: those below zero and those above it, where it has both.
constexpr interval divided_by(const graph_view& g, const node& divisor, const interval& a, const interval& b) {
    if (divisor.kind != op::constant || !b.contains(0)) {
        return divided(a, b);
    }
    interval below{b.low, b.low, true};
    interval above{b.high, b.high, true};
    for (const float number : g.values(divisor)) {
        const auto v = static_cast<double>(half(number));
        below.high = v <= 0 && v > below.high ? v : below.high;
        above.low = v >= 0 && v < above.low ? v : above.low;
    }
    return b.low == 0 || b.high == 0 ? anything(a.declared) : hull(divided(a, below), divided(a, above));
}

// min(a, b) exceeds neither operand, so its upper end is the lesser of their upper ends, even if one of them is
// unbounded. Its lower end may come from either, so it is declared only if both are. `larger` mirrors this.
constexpr interval smaller(const interval& a, const interval& b) {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high, a.declared && b.declared};
}
constexpr interval larger(const interval& a, const interval& b) {
    return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.declared && b.declared};
}

} // namespace ane::detail
