#pragma once

#include "../../graph/graph.hpp"
#include "reduction.hpp"
#include "stored_form.hpp"

/// Ranges of operations that move, pick, sample or quantise elements, and of the engine's own layers.
namespace ane::detail {

template <class Operand> constexpr interval range_of_movement(const node& n, Operand in) {
    switch (n.kind) {
    case op::concat: {
        interval r = in(0);
        for (int i = 1; i < n.operands.count; ++i) {
            r = hull(r, in(i));
        }
        return r;
    }
    case op::pad: return n.operands.count > 1 ? hull(in(0), in(1)) : with_zero(in(0));
    case op::slice_update: return hull(in(0), in(1));
    // An index beyond the end may read a zero.
    case op::gather:
    case op::gather_along_axis:
    case op::gather_nd:
    case op::dynamic_slice: return with_zero(in(0));
    case op::cast: return n.type == dtype::f16 ? stored(in(0)) : in(0); // integers may leave fp16
    default: return in(0);
    }
}

/// Weighted means of neighbouring elements, whose fp16 weights add up to nearly one; a border may be zero.
template <class Operand> constexpr interval range_of_texture(const node& n, Operand in) {
    if (n.kind == op::gather_hw) {
        return with_zero(in(0));
    }
    const sampling& a = n.get<sampling>();
    const bool borders = n.kind != op::resize && a.border == sampling_border::zero;
    const interval x = borders ? with_zero(in(0)) : in(0);
    if (a.method == sampling_method::nearest) {
        return x;
    }
    // Where there is no sampling unit a resize is a convolution: with its ceiling, and without the smallest numbers.
    const interval r = widened(x, x.magnitude() / 128 + 0x1p-12);
    return r.magnitude() < 32768 ? stored(r) : anything(x.declared);
}

constexpr interval range_of_integer(dtype type) {
    switch (type) {
    case dtype::int4: return {-8, 7, true};
    case dtype::uint8: return {0, 255, true};
    default: return {-128, 127, true};
    }
}

/// quantize and dequantize (x, scale, zero point); compressed: the weight that its stored form stands for.
template <class Operand> constexpr interval range_of_quantization(const node& n, Operand in) {
    if (n.kind == op::compressed) {
        return range_of_stored(n.get<compression>(), in(0));
    }
    if (n.kind == op::quantize) {
        return range_of_integer(n.get<quantization>().type);
    }
    const interval x = intersection(in(0), range_of_integer(n.get<quantization>().type));
    return stored(product(n.operands.count > 2 ? difference(x, in(2)) : x, in(1)));
}

constexpr interval range_of_rank(const graph_view& g, const node& n, const interval& x) {
    const selection& a = n.get<selection>();
    const extents& shape = g.operand(n, 0).shape;
    const bool indices = n.kind == op::top_k_indices || n.kind == op::arg_sort;
    return indices ? indices_below(shape[a.axis < 0 ? a.axis + shape.rank : a.axis]) : x;
}

constexpr interval scaled_element(scaled_function f, const interval& a, const interval& b) {
    const auto least = [](double x, double y) { return x < y ? x : y; };
    const auto most = [](double x, double y) { return x > y ? x : y; };
    const bool declared = a.declared && b.declared;
    switch (f) {
    case scaled_function::add: return sum(a, b);
    case scaled_function::mul: return product(a, b);
    case scaled_function::maximum: return {most(a.low, b.low), most(a.high, b.high), declared};
    case scaled_function::minimum: break;
    }
    return {least(a.low, b.low), least(a.high, b.high), declared};
}

/// The engine's own layers.
template <class Operand> constexpr interval range_of_native(const graph_view& g, const node& n, Operand in) {
    switch (n.kind) {
    case op::dropout: {
        const auto rate = static_cast<double>(n.get<coefficients>().alpha);
        return rate >= 0 && rate < 1 ? stored(with_zero(hull(in(0), times(in(0), 1.002 / (1 - rate)))))
                                     : anything(in(0).declared);
    }
    case op::random_uniform: {
        const coefficients& a = n.get<coefficients>();
        const interval r{static_cast<double>(a.alpha), static_cast<double>(a.beta), true};
        return stored(a.alpha < a.beta ? r : hull({0, 1, true}, hull({r.high, r.low, true}, r)));
    }
    case op::scaled_elementwise: {
        const scaling& a = n.get<scaling>();
        const interval inner = scaled_element(a.function, in(0), in(1));
        const interval outer = multiple(stored(inner), static_cast<double>(a.scale));
        return stored(widened(outer, outer.magnitude() / 1024));
    }
    case op::cross_product: {
        const interval whole = product(in(0), in(1));
        const interval one = stored(whole); // the engine rounds both products, the field the difference alone
        return stored(hull(difference(one, one), difference(whole, whole)));
    }
    case op::cross_correlation: {
        const std::int64_t terms = g.operand(n, 1).shape.count();
        const interval all = times(with_zero(product(in(0), in(1))), static_cast<double>(terms));
        return all.magnitude() < 32768 ? stored(widened(all, static_cast<double>(terms) * 0x1p-17))
                                       : anything(all.declared);
    }
    case op::cost_volume: {
        const interval distance = stored(difference(in(0), in(1)));
        return {0, distance.magnitude(), distance.declared};
    }
    case op::furthest_point_sampling: return in(0); // some of the points
    default: return {0, 1, true};                   // radius_search: flags
    }
}

} // namespace ane::detail
