#pragma once

#include "../../graph/graph.hpp"
#include "unary.hpp"

/// Ranges of elementwise operations of two operands and more: arithmetic, comparisons, choices, parametric functions.
namespace ane::detail {

/// x^y for x > 0 by y ln x. The engine's logarithm errs by 0.007 (numerics-datapath, section 4), y times that.
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

/// a / b, as one division or as a product with the reciprocal in fp16, which overflows below 1/65504.
constexpr interval divided(const interval& a, const interval& b) {
    const interval q = quotient(a, b);
    const double least = b.low > 0 ? b.low : -b.high;
    return q.bounded() && least * 65472 >= 1 ? table_slack(q) : anything(q.declared);
}

constexpr interval range_of_binary(const graph_view& g, const node& n, const interval& a, const interval& b) {
    const bool declared = a.declared && b.declared;
    const auto least = [](double x, double y) { return x < y ? x : y; };
    const auto most = [](double x, double y) { return x > y ? x : y; };
    switch (n.kind) {
    case op::add: return stored(sum(a, b));
    case op::sub: return stored(difference(a, b));
    case op::mul: {
        interval r = product(a, b);
        const auto operands = g.operands(n);
        if (operands[0] == operands[1] && a.bounded()) { // a square
            const double root = a.contains(0) ? 0 : (a.low > 0 ? a.low : a.high);
            r.low = root * root;
        }
        return stored(r);
    }
    case op::div: return stored(divided(a, b));
    case op::pow: return stored(power_of(a, b));
    case op::floor_div: {
        const interval near = divided(a, b);
        if (!near.bounded()) {
            return near;
        }
        return stored({floor_of(near.low), floor_of(near.high), declared});
    }
    // An end that the other operand proves holds whatever was promised of this one.
    case op::minimum: return {least(a.low, b.low), least(a.high, b.high), declared};
    default: return {most(a.low, b.low), most(a.high, b.high), declared};
    }
}

/// prelu (x, alpha) and parametric_softplus (x, alpha, beta): alpha ln(1 + e^(beta x)).
template <class Operand> constexpr interval range_of_parametric(const node& n, Operand in) {
    const interval& x = in(0);
    if (n.kind == op::prelu) {
        const interval below = product(negative_part(x), in(1));
        return stored(x.low < 0 ? hull(rectified(x), below) : x);
    }
    const interval inner = product(x, in(2));
    return stored(table_slack(product(soft_plus_of(stored(inner)), in(1))));
}

/// logical_not and select (condition, a, b).
template <class Operand> constexpr interval range_of_logic(const node& n, Operand in) {
    return n.kind == op::select ? hull(in(1), in(2)) : interval{0, 1, true};
}

} // namespace ane::detail
