#pragma once

#include "../../ops/native.hpp"
#include "../ranges/sampling.hpp"
#include "operation.hpp"

/// Layers that only the netplist route has.
namespace ane::detail::catalogue {

/// Zero at a rate of alpha, else x / (1 - alpha).
template <> struct operation<op::dropout> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return dropout_rule(n.get<coefficients>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const auto rate = static_cast<double>(n.get<coefficients>().alpha);
        return rate >= 0 && rate < 1 ? stored(with_zero(hull(in(0), times(in(0), 1.002 / (1 - rate)))))
                                     : anything(in(0).declared);
    }
};
/// From alpha to beta.
template <> struct operation<op::random_uniform> : of_halves {
    static constexpr inferred shape(const graph_view&, const node& n) {
        return random_uniform_rule(n.get<coefficients>(), n.shape);
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges) {
        const coefficients& a = n.get<coefficients>();
        const interval r{static_cast<double>(a.alpha), static_cast<double>(a.beta), true};
        return stored(a.alpha < a.beta ? r : hull({0, 1, true}, hull({r.high, r.low, true}, r)));
    }
};
template <> struct operation<op::scaled_elementwise> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<scaling>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const scaling& a = n.get<scaling>();
        const interval inner = scaled_element(a.function, in(0), in(1));
        const interval outer = multiple(stored(inner), static_cast<double>(a.scale));
        return stored(widened(outer, outer.magnitude() / 1024));
    }
};
template <> struct operation<op::cross_correlation> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cross_correlation_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const auto terms = static_cast<double>(shape_of(g, n, 1).count());
        const interval all = times(with_zero(product(in(0), in(1))), terms);
        return all.magnitude() < 32768 ? stored(widened(all, terms * 0x1p-17)) : anything(all.declared);
    }
};
template <> struct operation<op::cross_product> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cross_product_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval exact = product(in(0), in(1));
        const interval rounded = stored(exact); // the engine rounds both products, ONNX semantics the difference alone
        return stored(hull(difference(rounded, rounded), difference(exact, exact)));
    }
};
/// |x - y| at each displacement.
template <> struct operation<op::cost_volume> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cost_volume_rule(n.get<amount>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval distance = stored(difference(in(0), in(1)));
        return {0, distance.magnitude(), distance.declared};
    }
};
/// Some of the points.
template <> struct operation<op::furthest_point_sampling> : of_halves, ranged_as_operand {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return furthest_point_rule(n.get<amount>(), shape_of(g, n, 0));
    }
};
/// Flags.
template <> struct operation<op::radius_search> : of_halves {
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return radius_search_rule(n.get<coefficients>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr dtype type(const graph_view&, const node&) { return dtype::uint8; }
    static constexpr interval range(const graph_view&, const node&, operand_ranges) { return {0, 1, true}; }
};

} // namespace ane::detail::catalogue
