#pragma once

#include "../../graph/node.hpp"
#include "functions.hpp"

/// Ranges of elementwise operations of one operand. Monotone functions by their ends; on the engine most are tables.
namespace ane::detail {

constexpr interval rectified(const interval& x) { return {x.low > 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared}; }
/// The values below zero, and zero.
constexpr interval negative_part(const interval& x) {
    return {x.low < 0 ? x.low : 0, x.high < 0 ? x.high : 0, x.declared};
}

/// x times a gate in [0, 1] that is never below `dip` (gelu, silu): at least x where x is negative.
constexpr interval gated(const interval& x, double dip) {
    const double low = x.low >= 0 ? 0 : (x.low > dip ? x.low : dip);
    return table_slack({low, x.high > 0 ? x.high : 0, x.declared});
}

/// x + epsilon, exactly or with both the stabilizer and the sum in fp16.
constexpr interval shifted(const interval& x, float epsilon) {
    if (epsilon == 0) {
        return x;
    }
    const auto exact = static_cast<double>(epsilon);
    const auto rounded = static_cast<double>(half(epsilon));
    return hull({x.low + exact, x.high + exact, x.declared}, stored({x.low + rounded, x.high + rounded, x.declared}));
}

/// ln(x + epsilon). At zero IEEE has minus infinity, the engine -45440 (R157); of infinity the engine makes +0, and of
/// negative numbers nothing is known.
constexpr interval logarithm_of(const interval& x, float epsilon) {
    const interval y = shifted(x, epsilon);
    if (y.high <= 0 || y.low < 0) {
        return anything(x.declared);
    }
    interval r{-unbounded, x.bounded() ? logarithm(y.high) : unbounded, x.declared};
    if (static_cast<double>(half(y.low)) > 0) {
        r.low = logarithm(y.low);
    }
    return table_slack(y.bounded() ? r : with_zero(r)); // the sum with epsilon may be infinite where x is not
}

/// alpha (e^x - 1) below zero, x above.
constexpr interval exponential_linear(const interval& x, double alpha) {
    const interval below = negative_part(x);
    const interval bent = multiple({exponential(below.low) - 1, exponential(below.high) - 1, x.declared}, alpha);
    const interval r = x.low < 0 ? (x.high > 0 ? hull(bent, rectified(x)) : bent) : x;
    return table_slack(widened(r, 0.008 * magnitude(alpha))); // the steps of its table are wide
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

/// factor x, where the engine holds the factor in fp16: anything where that is infinite.
constexpr interval by_coefficient(const interval& x, double factor) {
    const auto held = static_cast<double>(half(factor));
    return magnitude(held) <= half_max ? hull(multiple(x, factor), multiple(x, held)) : anything(x.declared);
}

/// With coefficients, which the engine holds in fp16.
constexpr interval range_of_coefficients(const node& n, const interval& x) {
    const coefficients& c = n.get<coefficients>();
    const auto alpha = static_cast<double>(c.alpha);
    const auto beta = static_cast<double>(c.beta);
    switch (n.kind) {
    case op::leaky_relu: {
        return stored(hull(rectified(x), by_coefficient(negative_part(x), alpha)));
    }
    case op::clamp: return stored(clipped(x, alpha, beta));
    case op::thresholded_relu: {
        // x from alpha on, 0 below; the threshold is compared in fp16 or in fp32.
        const double threshold = alpha - magnitude(alpha) / 1024;
        const interval kept{x.low > threshold ? x.low : threshold, x.high > threshold ? x.high : threshold, x.declared};
        return stored(x.low >= alpha + magnitude(alpha) / 1024
                          ? x
                          : (x.high < threshold ? interval{0, 0, true} : hull(kept, {0, 0, true})));
    }
    case op::clamped_relu: {
        const interval r = hull(rectified(x), by_coefficient(negative_part(x), alpha));
        const double top = beta + magnitude(beta) / 1024;
        return stored({r.low < top ? r.low : beta - magnitude(beta) / 1024, r.high < top ? r.high : top, r.declared});
    }
    case op::elu: return stored(exponential_linear(x, alpha));
    case op::hard_sigmoid: {
        const interval line = multiple(x, alpha);
        const double error = (line.magnitude() + magnitude(beta)) / 512 + 0x1p-14;
        const interval r = clipped(widened({line.low + beta, line.high + beta, x.declared}, error), 0, 1);
        return x.bounded() ? interval{r.low, r.high, true} : interval{0, 1, true}; // infinity may count as 2^16
    }
    default: { // scaled_tanh: alpha tanh(beta x)
        const interval inner = by_coefficient(x, beta);
        interval t = saturating(widened(inner, inner.magnitude() / 1024), 1, hyperbolic_tangent);
        t = x.bounded() ? t : interval{-1, 1, true}; // infinity may count as 2^16
        return stored(by_coefficient({t.low, t.high, true}, alpha));
    }
    }
}

/// The functions whose exact form is a table on the engine.
constexpr interval range_of_function(const node& n, const interval& x) {
    switch (n.kind) {
    case op::sigmoid: {
        const interval r = table_within({logistic(x.low), logistic(x.high), true}, 0, 1);
        return {r.low, r.high, true};
    }
    case op::tanh: {
        const interval r = saturating(x, 1, hyperbolic_tangent);
        return {r.low, r.high, true};
    }
    case op::erf: {
        const interval r = saturating(x, 1, error_function);
        return {r.low, r.high, true};
    }
    case op::softsign: {
        const auto f = [](double v) { return v / (1 + magnitude(v)); };
        // A product with a rounded reciprocal may pass 1.
        const interval r = table_within({f(x.low), f(x.high), true}, -1.004, 1.004);
        return x.bounded() ? r : with_zero(r); // of infinity the engine makes +0 (R159)
    }
    case op::softplus: return stored(soft_plus_of(x));
    case op::gelu:
    case op::gelu_sigmoid: return stored(gated(x, -0.17));
    case op::silu: return stored(gated(x, -0.2785));
    case op::exp:
    case op::exp2: {
        const double rate = n.kind == op::exp ? 1 : ln_2;
        interval r = table_slack({exponential(x.low * rate), exponential(x.high * rate), x.declared});
        r.low = r.low > 0 ? r.low : 0;
        return stored(r);
    }
    case op::sqrt: {
        interval r = table_slack(root_of(x));
        r.low = r.low > 0 ? r.low : 0;
        return stored(r);
    }
    case op::sin:
    case op::cos: {
        // By magnitude only: |sin x| <= |x|.
        const double most = n.kind == op::sin && x.magnitude() < 1 ? x.magnitude() : 1;
        return stored(table_within({-most, most, true}, -1.01, 1.01));
    }
    default: { // atan
        const auto end = [](double v) { return v > 1.5708 ? 1.5708 : (v < -1.5708 ? -1.5708 : v); };
        const interval r = table_slack(with_zero({end(x.low), end(x.high), true}));
        return stored(interval{r.low, r.high, true});
    }
    }
}

constexpr interval range_of_unary(const node& n, const interval& x) {
    switch (n.kind) {
    case op::relu: return rectified(x);
    case op::relu6: return clipped(x, 0, 6);
    case op::leaky_relu:
    case op::clamp:
    case op::thresholded_relu:
    case op::clamped_relu:
    case op::elu:
    case op::hard_sigmoid:
    case op::scaled_tanh: return range_of_coefficients(n, x);
    case op::log: return stored(logarithm_of(x, n.get<stabilizer>().epsilon));
    case op::rsqrt: {
        const interval y = shifted(x, n.get<stabilizer>().epsilon);
        if (static_cast<double>(half(y.low)) <= 0) {
            return anything(x.declared);
        }
        interval r = table_slack(quotient({1, 1, true}, root_of(y)));
        r.low = r.low > 0 ? r.low : 0;
        return stored(r);
    }
    case op::inverse: return stored(table_slack(quotient({1, 1, true}, shifted(x, n.get<stabilizer>().epsilon))));
    case op::square: {
        const interval r = product(x, x);
        return x.bounded()
                   ? stored({x.contains(0) ? 0 : (x.low > 0 ? x.low * x.low : x.high * x.high), r.high, x.declared})
                   : r;
    }
    case op::abs: return {x.low > 0 ? x.low : (x.high < 0 ? -x.high : 0), x.magnitude(), x.declared};
    case op::sign: {
        const auto of = [](double v) { return v > 0 ? 1.0 : (v < 0 ? -1.0 : 0.0); };
        return {of(x.low), of(x.high), true};
    }
    case op::ceil: return whole(x, ceil_of(x.low), ceil_of(x.high));
    case op::floor: return whole(x, floor_of(x.low), floor_of(x.high));
    case op::round: return whole(x, floor_of(x.low), ceil_of(x.high));
    default: return range_of_function(n, x);
    }
}

} // namespace ane::detail
