#pragma once

#include "gradient.hpp"

#include <span>

/// Forward derivatives: what a value does when others move. For sensitivities of one input to many outputs, where `gradient`
/// is for many inputs and one loss.
namespace ane {

/// Appends to a graph the directional derivative of `value` where each of `by` moves along the value of the same position in
/// `along`, which has its shape: the Jacobian times the directions, of the shape of `value`. All are numbers of nodes.
///
/// It is the gradient of a gradient: the vector-Jacobian product is linear in its vector, and its derivative by that is the
/// product from the other side. What only the first of both needs is pruned.
///
/// Throws `error` (errc::graph) for directions of other shapes or another number, and whatever `append_gradient` refuses.
constexpr int append_jvp(dynamic_graph& g, int value, std::span<const int> by, std::span<const int> along) {
    if (by.size() != along.size() || by.empty()) {
        detail::refuse_graph("jvp", "there is not one direction for each value",
                             static_cast<std::int64_t>(along.size()), static_cast<std::int64_t>(by.size()));
    }
    detail::gradients::require_value(g, value);
    for (std::size_t k = 0; k < by.size(); ++k) {
        detail::gradients::require_value(g, by[k]);
        detail::gradients::require_value(g, along[k]);
        const node& x = g.nodes[static_cast<std::size_t>(by[k])];
        const node& v = g.nodes[static_cast<std::size_t>(along[k])];
        if (!(x.shape == v.shape)) {
            detail::refuse_graph("jvp", "a direction has another shape than what it moves", v.shape.count(),
                                 x.shape.count());
        }
    }
    int vector = -1;
    {
        detail::gradients::tape t(g, 0);
        t.visit(value);
        vector = t.filled(t.shape(value), 0);
    }
    sequence<int> pulled(by.size(), -1);
    append_gradient(g, value, by, {pulled.data(), pulled.size()}, vector);
    int sum = -1;
    for (std::size_t k = 0; k < by.size(); ++k) {
        const int wrt[] = {vector};
        int part[1]{};
        append_gradient(g, pulled[k], wrt, part, along[k]);
        if (sum >= 0) {
            detail::gradients::tape t(g, 0);
            t.visit(value);
            part[0] = t.add(sum, part[0]);
        }
        sum = part[0];
    }
    return sum;
}

/// The directional derivative of a value of a typed model by another one, which moves along `v`:
///
///     auto dy = jvp(y, x, v);
template <class Y, class X, class V>
    requires(Y::element == dtype::f16 && X::element == dtype::f16 && V::element == dtype::f16 && X::extent == V::extent)
constexpr Y jvp(Y y, X x, V v, source_location where = here()) {
    if (!(x.graph == y.graph) || !(v.graph == y.graph)) {
        y.graph->refuse(model_rule::the_operands_belong_to_different_graphs, "jvp", where);
        return y;
    }
    const int by[] = {x.node};
    const int along[] = {v.node};
    return {y.graph, append_jvp(*y.graph.operator->(), y.node, by, along)};
}

} // namespace ane
