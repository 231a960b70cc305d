#pragma once

#include "shape_fault.hpp"

namespace ane::detail {

/// An operand of a node under construction.
struct operand_handle {
    graph_pointer graph;
    int node;
};

/// Appends a node; returns its index. Not a template: everything that depends on the operands' types was resolved by
/// the caller.
template <std::size_t Count>
constexpr int append_node(op kind, dtype type, const extents& shape, const attributes& values, source_location where,
                          const operand_handle (&operands)[Count]) {
    const graph_pointer& graph = operands[0].graph;
    int indices[Count]{};
    for (std::size_t i = 0; i < Count; ++i) {
        indices[i] = operands[i].node;
        if (operands[i].graph != graph) {
            graph->refuse(model_rule::the_operands_belong_to_different_graphs, name(kind), where);
        }
    }
    node n;
    n.kind = kind;
    n.type = type;
    n.shape = shape;
    n.attributes = values;
    n.where = where;
    return graph->append(n, indices);
}

/// Attributes as a graph stores them, for operands of these types: a variable, so that they are computed once.
template <auto Attributes, class... Tensor> inline constexpr auto resolved_for = resolve(Attributes, Tensor::extent...);

/// Appends a node and makes the typed handle of its value.
template <class Shape, dtype Type = dtype::f16, class First, class... Rest>
constexpr tensor<Shape, Type> append_as(op kind, const attributes& values, source_location where, First first,
                                        Rest... rest) {
    return {first.graph, append_node(kind, Type, Shape::value, values, where,
                                     {{first.graph, first.node}, {rest.graph, rest.node}...})};
}

/// The same with the shape that a rule gives; the caller is constrained by it.
template <class Rule, dtype Type = dtype::f16, class First, class... Rest>
constexpr tensor<judged_shape<Rule, First, Rest...>, Type> append(op kind, const attributes& values,
                                                                  source_location where, First first, Rest... rest) {
    return {first.graph, append_node(kind, Type, judged<Rule, First, Rest...>.result.shape, values, where,
                                     {{first.graph, first.node}, {rest.graph, rest.node}...})};
}

} // namespace ane::detail
