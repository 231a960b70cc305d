#pragma once

#include "functions.hpp"

/// Ranges of elementwise operations of one operand. A monotone function takes the ends of a range to the ends of the
/// result; most are tables on the engine, which adds an error (`table_slack`).
namespace ane::detail {

constexpr interval rectified(const interval& x) { return {x.low > 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared}; }
/// The values below zero, and zero.
constexpr interval negative_part(const interval& x) {
    return {x.low < 0 ? x.low : 0, x.high < 0 ? x.high : 0, x.declared};
}

/// x times a gate in [0, 1] (gelu, silu), never below `dip`: at least x where x is negative, x / 2 where it is positive.
constexpr interval gated(const interval& x, double dip) {
    const double low = x.low >= 0 ? x.low / 2 : (x.low > dip ? x.low : dip);
    return table_slack({low, x.high > 0 ? x.high : 0, x.declared});
}

/// x + epsilon, whether it is exact or epsilon and the sum are each rounded to fp16.
constexpr interval shifted(const interval& x, float epsilon) {
    if (epsilon == 0) {
        return x;
    }
    const auto exact = static_cast<double>(epsilon);
    const auto rounded = static_cast<double>(half(epsilon));
    return hull({x.low + exact, x.high + exact, x.declared}, stored({x.low + rounded, x.high + rounded, x.declared}));
}

/// ln(x + epsilon). At zero IEEE arithmetic gives minus infinity and the engine -45440 (R157); at infinity the engine
/// gives +0. What it gives for negative numbers is not known.
constexpr interval logarithm_of(const interval& x, float epsilon) {
    const interval y = shifted(x, epsilon);
    if (y.high <= 0 || y.low < 0) {
        return anything(x.declared);
    }
    interval r{-unbounded, x.bounded() ? logarithm(y.high) : unbounded, x.declared};
    if (static_cast<double>(half(y.low)) > 0) {
        r.low = logarithm(y.low);
    }
    return table_slack(y.bounded() ? r : with_zero(r)); // x + epsilon may be infinite though x is not
}

/// alpha (e^x - 1) below zero, x above.
constexpr interval exponential_linear(const interval& x, double alpha) {
    const interval below = negative_part(x);
    const interval bent = multiple({exponential(below.low) - 1, exponential(below.high) - 1, x.declared}, alpha);
    const interval r = x.low < 0 ? (x.high > 0 ? hull(bent, rectified(x)) : bent) : x;
    return table_slack(widened(r, 0.008 * magnitude(alpha))); // its table has wide steps
}

/// Whole numbers; the engine adds 0.5 in fp16 from 1024 on (mil-ops, `round`).
constexpr interval whole(const interval& x, double low, double high) {
    const double defect = x.magnitude() >= 1024 ? 1 : 0;
    return {x.low <= -unbounded ? x.low : low - defect, x.high >= unbounded ? x.high : high + defect, x.declared};
}

/// ln(1 + e^x). The engine's own form gives 0 from 11.09 on (mil-ops, R159).
constexpr interval soft_plus_of(const interval& x) {
    interval r{x.low < -20 ? 0 : soft_plus(x.low), x.bounded() ? soft_plus(x.high) : unbounded, x.declared};
    r.low = x.high >= 11 ? 0 : r.low;
    r = table_slack(r);
    r.low = r.low > 0 ? r.low : 0;
    return r;
}

/// An odd function that grows to a limit.
template <class Function> constexpr interval saturating(const interval& x, double limit, Function f) {
    const auto end = [&](double v) { return v > 20 ? limit : (v < -20 ? -limit : f(v)); };
    return table_within({end(x.low), end(x.high), x.declared}, -limit, limit);
}

/// factor x, whether the factor is exact or, as the engine holds it, rounded to fp16, and whether the product is rounded
/// once or to fp32 before. If the factor is infinite as fp16, nothing is known.
constexpr interval by_coefficient(const interval& x, double factor) {
    const auto held = static_cast<double>(half(factor));
    const interval r = hull(multiple(x, factor), multiple(x, held));
    return magnitude(held) <= half_max ? widened(r, r.magnitude() * 0x1p-23) : anything(x.declared);
}

/// x from 0 on, slope x below; the engine holds the slope in fp16.
constexpr interval bent_line(const interval& x, float slope) {
    const interval below = by_coefficient(negative_part(x), static_cast<double>(slope));
    return x.low >= 0 ? x : (x.high <= 0 ? below : hull(rectified(x), below));
}

/// x from a threshold on, 0 below. The CPU compares with the threshold in fp32, the engine with the threshold in fp16:
/// between the two, which differ by less than `slack`, x may be kept or not.
constexpr interval from_threshold(const interval& x, double threshold) {
    const double slack = magnitude(threshold) / 1024;
    if (x.low >= threshold + slack) {
        return x;
    }
    const double least = threshold - slack;
    const interval zero{0, 0, true};
    const interval kept{x.low > least ? x.low : least, x.high > least ? x.high : least, x.declared};
    return x.high < least ? zero : hull(kept, zero);
}

/// The smaller of x and a coefficient, which is exact or rounded to fp16.
constexpr interval below_top(const interval& x, double top) {
    const double slack = magnitude(top) / 1024;
    return {x.low < top - slack ? x.low : top - slack, x.high < top + slack ? x.high : top + slack, x.declared};
}

/// slope x + offset, clipped to [0, 1]. Where x may be infinite, nothing is known but those limits: the engine's
/// multiplier reads infinity as 2^16 (numerics-datapath, section 1, rule 1), and slope 2^16 + offset may lie anywhere.
constexpr interval clipped_line(const interval& x, double slope, double offset) {
    const interval line = multiple(x, slope);
    const double error = (line.magnitude() + magnitude(offset)) / 512 + 0x1p-14;
    const interval r = clipped(widened({line.low + offset, line.high + offset, x.declared}, error), 0, 1);
    return x.bounded() ? interval{r.low, r.high, true} : interval{0, 1, true};
}

/// limit tanh(rate x). Where x may be infinite, tanh may give anything in [-1, 1]: the engine's multiplier reads
/// infinity as 2^16, and rate 2^16 need not be large.
constexpr interval scaled_tangent(const interval& x, double limit, double rate) {
    const interval inner = by_coefficient(x, rate);
    const interval t = saturating(widened(inner, inner.magnitude() / 1024), 1, hyperbolic_tangent);
    return by_coefficient(x.bounded() ? interval{t.low, t.high, true} : interval{-1, 1, true}, limit);
}

/// x / (1 + |x|). As a product with a rounded reciprocal it may exceed 1 a little; at infinity the engine gives +0
/// (R159).
constexpr interval soft_sign(const interval& x) {
    const auto f = [](double v) { return v / (1 + magnitude(v)); };
    const interval r = table_within({f(x.low), f(x.high), true}, -1.004, 1.004);
    return x.bounded() ? r : with_zero(r);
}

/// The range of the table of a function that is never negative: the table is not negative either.
constexpr interval positive_part_of_table(const interval& exact) {
    interval r = table_slack(exact);
    r.low = r.low > 0 ? r.low : 0;
    return r;
}
/// The same of roots and reciprocals.
constexpr interval positive_part_of_mantissas(const interval& exact) {
    interval r = relative_slack(exact);
    r.low = r.low > 0 ? r.low : 0;
    return r;
}

/// e^(rate x). What the table is off by makes no infinity of the last numbers before the overflow (measured, N111).
constexpr interval exponential_of(const interval& x, double rate) {
    interval r = positive_part_of_table({exponential(x.low * rate), exponential(x.high * rate), x.declared});
    r.high = x.high * rate <= last_exponent && r.high > half_max ? half_max : r.high;
    return r;
}

/// [-1, 1], or by the parts of the functions around zero, widened by the error of a table: sin x between 0.66 x and x,
/// cos x at least 1 - x^2 / 2.
constexpr interval sine_of(const interval& x) {
    const double most = x.magnitude() < 1 ? x.magnitude() : 1;
    interval r{-most, most, true};
    r.low = x.low >= 0 && x.high <= 1.5 ? 0.66 * x.low : r.low;
    r.high = x.high <= 0 && x.low >= -1.5 ? 0.66 * x.high : r.high;
    return table_within(r, -1.01, 1.01);
}
constexpr interval cosine_of(const interval& x) {
    const double most = x.magnitude();
    return table_within({most < 1.4 ? 1 - most * most / 2 : -1, 1, true}, -1.01, 1.01);
}

/// Between pi/4 min(x, 1) and min(x, pi/2), off by 1.9e-2 of it (N206); of infinity the sign is not kept.
constexpr interval arc_tangent(const interval& x) {
    const auto least = [](double v) { return 0.76 * (v < 1 ? v : 1); };
    const auto most = [](double v) { return 1.02 * (v < 1.5708 ? v : 1.5708); };
    const interval r{x.low < 0 ? -most(-x.low) : least(x.low), x.high > 0 ? most(x.high) : -least(-x.high), true};
    return table_slack(x.bounded() ? r : with_zero(r));
}

/// x times itself. Never negative, unlike the product of two independent values of the range, and also where x may be
/// infinite.
constexpr interval square_by_product(const interval& x) {
    interval r = product(x, x);
    r.low = least_factor(x) * least_factor(x);
    return r;
}

} // namespace ane::detail
