#pragma once

#include "unary.hpp"

/// Ranges of elementwise arithmetic on two operands.
namespace ane::detail {

/// x^y for x > 0, as e^(y ln x). The engine's logarithm is off by up to 0.007 (numerics-datapath, section 4), the
/// exponent therefore by up to |y| times that.
constexpr interval power_of(const interval& x, const interval& y) {
    const bool declared = x.declared && y.declared;
    if (!x.bounded() || !y.bounded()) {
        return anything(declared);
    }
    if (static_cast<double>(half(x.low)) <= 0) {
        if (y.low == 2 && y.high == 2) {
            interval r = table_slack(product(x, x));
            r.low = x.contains(0) && r.low > 0 ? 0 : r.low;
            return {r.low < -1.0 / 256 ? -1.0 / 256 : r.low, r.high, declared};
        }
        return anything(false); // a negative base, or zero to a negative power
    }
    interval e = product({logarithm(x.low), logarithm(x.high), declared}, y);
    e = widened(e, (y.magnitude() + e.magnitude()) / 128);
    interval r = table_slack({exponential(e.low), exponential(e.high), declared});
    r.low = r.low > 0 ? r.low : 0;
    return r;
}

/// a / b, computed either as one division or as a times the fp16 reciprocal of b, which overflows where |b| is below 1
/// / 65504.
constexpr interval divided(const interval& a, const interval& b) {
    const interval q = quotient(a, b);
    const double least = b.low > 0 ? b.low : -b.high;
    return q.bounded() && least * 65472 >= 1 ? table_slack(q) : anything(q.declared);
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
