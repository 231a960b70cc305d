#pragma once

#include "../graph/graph.hpp"
#include "../ops/attention.hpp"
#include "interval.hpp"

#include <span>
#include <vector>

/// Ranges of values by interval arithmetic. Sound for finite inputs that keep their contracts: no element lies outside
/// the interval of its node. Contractions are bounded by the sum of the magnitudes of their products, which is wide.
namespace ane {

namespace detail {

/// The largest magnitude that a contraction stores; above it is infinity (R056).
inline constexpr double contraction_ceiling = 32768.0;

constexpr double rounded_root(double x) { return x > 0 ? square_root(x) : 0.0; }

/// `terms` products added up, `padded`: some of them may be missing.
constexpr interval contraction(const interval& x, const interval& w, double terms, bool padded) {
    const interval one = product(x, w);
    interval r = times(padded ? with_zero(one) : one, terms);
    if (r.magnitude() > unbounded) {
        r = anything(r.declared);
    }
    return r;
}
constexpr interval ceiling(const interval& x) {
    return x.magnitude() < contraction_ceiling ? stored(x) : anything(x.declared);
}

/// A mean is a sum times a rounded reciprocal: half an ulp of slack on either side.
constexpr interval mean_of(interval x) {
    const auto magnitude = [](double v) { return v < 0 ? -v : v; };
    x.low -= magnitude(x.low) / 2048;
    x.high += magnitude(x.high) / 2048;
    return stored(x);
}

constexpr interval root_of(const interval& x, double epsilon) {
    return {rounded_root(x.low + epsilon), x.high < unbounded ? rounded_root(x.high + epsilon) : unbounded, x.declared};
}

constexpr interval logarithm_of(const interval& x, double epsilon) {
    const double top = x.high + epsilon;
    if (top <= 0) {
        return anything(x.declared);
    }
    // At zero the engine gives -45440 (R157); of negative numbers nothing is known.
    const double bottom = x.low + epsilon > 0 ? logarithm(x.low + epsilon) : -45440.0;
    return x.low + epsilon < 0 ? anything(x.declared) : table_slack({bottom, logarithm(top), x.declared});
}

/// x times a gate in [0, 1] that is never below `dip` (gelu, silu): at least x where x is negative.
constexpr interval gated(const interval& x, double dip) {
    const double low = x.low >= 0 ? 0 : (x.low > dip ? x.low : dip);
    return table_slack({low, x.high > 0 ? x.high : 0, x.declared});
}

constexpr interval range_of_constant(const graph_view& g, const node& n) {
    const auto values = g.values(n);
    interval r{values[0], values[0], true};
    for (const float v : values) {
        r.low = v < r.low ? v : r.low;
        r.high = v > r.high ? v : r.high;
    }
    return stored(r);
}

constexpr interval range_of_source(const graph_view& g, const node& n) {
    if (n.kind == op::constant) {
        return range_of_constant(g, n);
    }
    const contract& promise = n.get<contract>();
    if (n.type == dtype::uint8) {
        return promise.declared ? interval{promise.low, promise.high, true} : interval{0, 255, true};
    }
    return promise.declared ? stored(interval{promise.low, promise.high, true}) : interval{};
}

/// The range of a node's value from those of its operands, which `in(i)` gives.
template <class Operand> constexpr interval range_of_contraction(const graph_view& g, const node& n, Operand in) {
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    interval r;
    if (n.kind == op::conv2d) {
        const conv& a = n.get<conv>();
        const bool padded = a.padding != padding2{};
        r = contraction(in(0), in(1), static_cast<double>(w[1] * w[2] * w[3]), padded);
    } else if (n.kind == op::conv_transpose2d) {
        const int groups = n.get<conv_transpose>().groups;
        const std::int64_t terms = x.channels() / groups * w[2] * w[3];
        r = contraction(in(0), in(1), static_cast<double>(terms), true);
    } else if (n.kind == op::linear) {
        r = contraction(in(0), in(1), static_cast<double>(x.width()), false);
    } else {
        r = contraction(in(0), in(1), static_cast<double>(n.get<transposed>().a ? x.height() : x.width()), false);
    }
    return n.operands.count > 2 ? sum(r, in(2)) : r;
}

template <class Operand> constexpr interval range_of_norm(const graph_view& g, const node& n, Operand in) {
    const stabilizer& a = n.get<stabilizer>();
    if (n.kind == op::batch_norm) {
        const interval deviation = root_of(in(2), static_cast<double>(a.epsilon));
        const interval scale = product(quotient({1, 1, true}, deviation), in(3));
        const interval centred = product(difference(in(0), in(1)), scale);
        // The engine multiplies by a rounded scale and adds a rounded offset: an ulp of either before they cancel.
        const double rounding = (product(in(0), scale).magnitude() + product(in(1), scale).magnitude()) / 1024;
        return stored(sum(sum(centred, {-rounding, rounding, true}), in(4)));
    }
    // One element of n cannot be farther from the mean than sqrt(n - 1) standard deviations.
    const extents& x = g.operand(n, 0).shape;
    const double most = rounded_root(static_cast<double>(x[a.axis])) * 1.01;
    return stored(table_slack(sum(product({-most, most, true}, in(1)), in(2))));
}

template <class Operand> constexpr interval range_of_unary(const node& n, Operand in) {
    const interval x = in(0);
    const auto clipped = [&x](double low, double high) {
        const auto clip = [=](double v) { return v < low ? low : (v > high ? high : v); };
        return interval{clip(x.low), clip(x.high), true};
    };
    switch (n.kind) {
    case op::relu: return {x.low > 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared};
    case op::relu6: return clipped(0, 6);
    case op::clamp: {
        const coefficients& c = n.get<coefficients>();
        return stored(clipped(static_cast<double>(c.alpha), static_cast<double>(c.beta)));
    }
    case op::leaky_relu: {
        const double slope = static_cast<double>(n.get<coefficients>().alpha);
        const interval steep = times(x, slope < 0 ? -slope : slope);
        const interval scaled = slope < 0 ? interval{-steep.high, -steep.low, x.declared} : steep;
        return stored(hull({x.low > 0 ? x.low : 0, x.high > 0 ? x.high : 0, x.declared}, with_zero(scaled)));
    }
    case op::sigmoid: return {0, 1, true};
    case op::tanh: return {-1, 1, true};
    case op::gelu: return stored(gated(x, -0.17));
    case op::silu: return stored(gated(x, -0.2785));
    case op::exp: {
        interval r{exponential(x.low), exponential(x.high), x.declared};
        r = table_slack(r);
        r.low = r.low > 0 ? r.low : 0;
        return stored(r);
    }
    case op::log: return stored(logarithm_of(x, static_cast<double>(n.get<stabilizer>().epsilon)));
    case op::sqrt: return stored(table_slack(root_of(x, 0)));
    case op::rsqrt: {
        const double epsilon = static_cast<double>(n.get<stabilizer>().epsilon);
        if (x.low + epsilon <= 0) {
            return anything(x.declared);
        }
        return stored(table_slack(quotient({1, 1, true}, root_of(x, epsilon))));
    }
    case op::abs: return {x.low > 0 ? x.low : (x.high < 0 ? -x.high : 0), x.magnitude(), x.declared};
    default: return x;
    }
}

template <class Operand> constexpr interval range_of_binary(const graph_view& g, const node& n, Operand in) {
    const interval a = in(0);
    const interval b = in(1);
    const auto least = [](double x, double y) { return x < y ? x : y; };
    const auto most = [](double x, double y) { return x > y ? x : y; };
    const auto operands = g.operands(n);
    switch (n.kind) {
    case op::add: return stored(sum(a, b));
    case op::sub: return stored(difference(a, b));
    case op::mul: {
        interval r = product(a, b);
        if (operands[0] == operands[1] && r.low < 0 && a.bounded()) {
            r.low = 0; // a square
        }
        return stored(r);
    }
    case op::div: return stored(table_slack(quotient(a, b)));
    // An end that the other operand proves holds whatever was promised of this one.
    case op::minimum: return {least(a.low, b.low), least(a.high, b.high), a.declared && b.declared};
    default: return {most(a.low, b.low), most(a.high, b.high), a.declared && b.declared};
    }
}

template <class Operand> constexpr interval range_of_rest(const graph_view& g, const node& n, Operand in) {
    switch (n.kind) {
    case op::softmax: return {0, 1, true};
    case op::avg_pool: {
        const pool& a = n.get<pool>();
        return mean_of(a.padding == padding2{} || a.exclude_padding ? in(0) : with_zero(in(0)));
    }
    case op::reduce_mean: return mean_of(in(0));
    case op::reduce_sum: {
        const std::int64_t terms = n.shape.count() > 0 ? g.operand(n, 0).shape.count() / n.shape.count() : 0;
        const interval r = times(in(0), static_cast<double>(terms));
        return in(0).bounded() ? stored(r) : anything(r.declared);
    }
    case op::arg_max:
    case op::arg_min:
        return stored(interval{0, static_cast<double>(g.operand(n, 0).shape[n.get<axis>().index] - 1), true});
    case op::concat: {
        interval r = in(0);
        for (int i = 1; i < n.operands.count; ++i) {
            r = hull(r, in(i));
        }
        return r;
    }
    case op::pad: return n.operands.count > 1 ? hull(in(0), in(1)) : with_zero(in(0));
    // A weighted mean of the values; the weights add up to one but for their rounding.
    case op::attention: return stored(table_slack(with_zero(in(2))));
    default: return in(0); // moves elements, or picks some of them
    }
}

template <class Operand> constexpr interval range_of_node(const graph_view& g, const node& n, Operand in) {
    if (is_source(n.kind)) {
        return range_of_source(g, n);
    }
    if (is_unary(n.kind)) {
        return range_of_unary(n, in);
    }
    if (is_binary(n.kind)) {
        return range_of_binary(g, n, in);
    }
    if (is_contraction(n.kind)) {
        return ceiling(range_of_contraction(g, n, in));
    }
    if (n.kind == op::layer_norm || n.kind == op::batch_norm) {
        return range_of_norm(g, n, in);
    }
    return range_of_rest(g, n, in);
}

} // namespace detail

/// The range of every node's value.
constexpr std::vector<interval> ranges(const graph_view& g) {
    std::vector<interval> known;
    known.reserve(g.nodes.size());
    for (const node& n : g.nodes) {
        const auto in = [&](int position) -> const interval& {
            return known[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])];
        };
        known.push_back(detail::range_of_node(g, n, in));
    }
    return known;
}

/// The range of what a contraction adds up, before the ceiling turns it into infinity: what R056 is held against.
constexpr interval contraction_range(const graph_view& g, const node& n, std::span<const interval> known) {
    return detail::range_of_contraction(g, n, [&](int position) -> const interval& {
        return known[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])];
    });
}

} // namespace ane
