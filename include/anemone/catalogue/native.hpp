#pragma once

#include "../ops/native.hpp"
#include "../ranges/reduction.hpp"
#include "../ranges/sampling.hpp"
#include "operation.hpp"

/// Layers that only the netplist route has.
namespace ane::detail::catalogue {

/// Sets a `ratio` of the elements to zero and divides the others by 1 - ratio; at inference it is x itself. The range
/// covers both.
template <> struct operation<op::dropout> : of_halves {
    static constexpr operation_support support{"dropout", family::a15, "ggnnn", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::movement, evidence::inferred, "x itself; at rate 0 ANEForge"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return dropout_rule(n.get<drop_ratio>(), shape_of(g, n, 0));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const auto rate = static_cast<double>(n.get<drop_ratio>().ratio);
        return rate >= 0 && rate < 1 ? with_zero(hull(in(0), times(in(0), 1.002 / (1 - rate))))
                                     : anything(in(0).declared);
    }
};
template <> struct operation<op::random_uniform> : of_halves {
    static constexpr operation_support support{"random_uniform", family::a15, "bbnnn", compile_route::netplist, "OC14"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred,
                                        "Philox; the engine's generator is not published"};
    static constexpr inferred shape(const graph_view&, const node& n) {
        return random_uniform_rule(n.get<uniform_range>(), n.shape);
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges) {
        const uniform_range& u = n.get<uniform_range>();
        const interval r{static_cast<double>(u.low), static_cast<double>(u.high), true};
        return u.low < u.high ? r : hull({0, 1, true}, hull({r.high, r.low, true}, r));
    }
};
template <> struct operation<op::scaled_elementwise> : of_halves {
    static constexpr operation_support support{"", family::a13, "bbbbb", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred,
                                        "the result rounds, then its product with the scale"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return shape_rule(n.get<scaling>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const scaling& a = n.get<scaling>();
        const interval inner = scaled_element(a.function, in(0), in(1));
        const interval outer = multiple(stored(inner), static_cast<double>(a.scale));
        return widened(outer, outer.magnitude() / 1024);
    }
};
template <> struct operation<op::cross_correlation> : of_halves {
    static constexpr operation_support support{"", family::a13, "bbbbb", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::multiply_accumulate, evidence::inferred, "as conv2d"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cross_correlation_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view& g, const node& n, operand_ranges in) {
        const auto terms = static_cast<double>(shape_of(g, n, 1).count());
        const interval all = times(with_zero(product(in(0), in(1))), terms);
        const interval unknown = all.low >= 0 ? at_least(0, all.declared) : anything(all.declared);
        return all.magnitude() < 32768 ? with_sign_of(all, widened(all, terms * 0x1p-17)) : unknown;
    }
};
template <> struct operation<op::cross_product> : of_halves {
    static constexpr operation_support support{"cross_product", family::a13, "bbbbb", compile_route::netplist,
                                               "app. B"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred,
                                        "two products and a difference, each rounded"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cross_product_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval exact = product(in(0), in(1));
        const interval rounded = stored(exact); // the engine rounds both products, ONNX semantics the difference alone
        return hull(difference(rounded, rounded), difference(exact, exact));
    }
};
/// |x - y| for each displacement of y.
template <> struct operation<op::cost_volume> : of_halves {
    static constexpr operation_support support{"cost_volume", family::a13, "bbbbb", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "a difference without its sign"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return cost_volume_rule(n.get<item_count>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval distance = difference(in(0), in(1));
        return {0, distance.magnitude(), distance.declared};
    }
};
/// The result is a selection of the points.
template <> struct operation<op::furthest_point_sampling> : of_halves, ranged_as_operand {
    static constexpr operation_support support{"", family::a13, "bbbbb", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "squares, their sum by the reduction path"};
    static constexpr interval parts(const graph_view&, const node&, operand_ranges in) {
        return squared_distance_of(in(0), in(0));
    }
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return furthest_point_rule(n.get<item_count>(), shape_of(g, n, 0));
    }
};
/// The result is a flag for each point and centre.
template <> struct operation<op::radius_search> : of_halves {
    static constexpr operation_support support{"", family::a13, "bbbbb", compile_route::netplist, "app. B"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "squares, their sum by the reduction path"};
    static constexpr interval parts(const graph_view&, const node&, operand_ranges in) {
        return squared_distance_of(in(0), in(1));
    }
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return radius_search_rule(n.get<search_radius>(), shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr dtype type(const graph_view&, const node&) { return dtype::uint8; }
    static constexpr interval range(const graph_view&, const node&, operand_ranges) { return {0, 1, true}; }
};

} // namespace ane::detail::catalogue
