#pragma once

#include "shape_fault.hpp"

namespace ane::detail {

/// Appends a node and makes the typed handle of its value.
template <class Shape, dtype Type = dtype::f16, class... Tensor>
constexpr tensor<Shape, Type> append_as(op kind, const attributes& values, site where, const Tensor&... operands) {
    dynamic_graph* graph = nullptr;
    bool same = true;
    ((same = same && (graph == nullptr || graph == operands.graph), graph = operands.graph), ...);
    if (!same) {
        graph->refuse(model_rule::the_operands_belong_to_different_graphs, name(kind), where);
    }
    node n;
    n.kind = kind;
    n.type = Type;
    n.shape = Shape::value;
    n.attributes = values;
    n.where = where;
    const int indices[] = {operands.node...};
    return {graph, graph->append(n, indices)};
}

/// Attributes as a graph keeps them, for operands of these types: a variable, so that it is computed once.
template <auto Attributes, class... Tensor> inline constexpr auto resolved_for = resolve(Attributes, Tensor::extent...);

/// The same with the shape that a rule gives; the caller is constrained by it.
template <class Rule, dtype Type = dtype::f16, class... Tensor>
constexpr auto append(op kind, const attributes& values, site where, const Tensor&... operands) {
    return append_as<judged_shape<Rule, Tensor...>, Type>(kind, values, where, operands...);
}

} // namespace ane::detail
