#pragma once

#include "../graph/refusal.hpp"
#include "../ops/infer.hpp"

namespace ane {

namespace detail {

/// How many operands an operation reads.
struct arity {
    int least = 1;
    int most = 1;
};
constexpr arity arity_of(op kind) {
    switch (kind) {
    case op::input:
    case op::weight:
    case op::constant: return {0, 0};
    case op::conv2d:
    case op::conv_transpose2d:
    case op::linear: return {2, 3};
    case op::matmul:
    case op::pad: return {2, 2};
    case op::layer_norm: return {3, 3};
    case op::batch_norm: return {5, 5};
    case op::attention: return {3, 4};
    case op::concat: return {2, 1 << 30};
    default: return is_binary(kind) ? arity{2, 2} : arity{1, 1};
    }
}

/// Which attributes an operation carries.
constexpr attribute_kind attributes_of(op kind) {
    switch (kind) {
    case op::input:
    case op::weight: return attribute_kind::contract;
    case op::constant: return attribute_kind::literal;
    case op::conv2d: return attribute_kind::conv;
    case op::conv_transpose2d: return attribute_kind::conv_transpose;
    case op::matmul: return attribute_kind::transposed;
    case op::leaky_relu:
    case op::clamp:
    case op::attention: return attribute_kind::coefficients;
    case op::log:
    case op::rsqrt:
    case op::layer_norm:
    case op::batch_norm: return attribute_kind::stabilizer;
    case op::max_pool:
    case op::avg_pool: return attribute_kind::pool;
    case op::softmax:
    case op::arg_max:
    case op::arg_min:
    case op::concat: return attribute_kind::axis;
    case op::transpose: return attribute_kind::permutation;
    case op::slice: return attribute_kind::window;
    case op::pad: return attribute_kind::pads;
    default: return is_reduction(kind) ? attribute_kind::axes : attribute_kind::none;
    }
}

} // namespace detail

/// Checks what the typed builders guarantee, for a graph that was made otherwise: operands stand before their readers and
/// are as many as the operation takes, attributes are the operation's, and every shape is the one that its shape rule
/// gives. Throws `error` (errc::graph) that names the node; in a constant expression a bad graph does not compile.
constexpr void validate(const graph_view& g) {
    const auto pool_size = static_cast<std::int64_t>(g.operand_pool.size());
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        const detail::arity takes = detail::arity_of(n.kind);
        if (n.operands.count < takes.least || n.operands.count > takes.most) {
            detail::refuse_graph(name(n.kind), "has a wrong number of operands", n.operands.count, takes.least);
        }
        if (n.operands.first < 0 || std::int64_t{n.operands.first} + n.operands.count > pool_size) {
            detail::refuse_graph(name(n.kind), "has operands outside the graph's pool", n.operands.first, pool_size);
        }
        for (const int operand : g.operands(n)) {
            if (operand < 0 || operand >= i) {
                detail::refuse_graph(name(n.kind), "reads a node that does not stand before it", operand, i);
            }
        }
        if (n.attributes.kind() != detail::attributes_of(n.kind)) {
            detail::refuse_graph(name(n.kind), "carries the attributes of another operation");
        }
        const inferred rule = infer(g, n);
        if (!rule.ok()) {
            detail::refuse_graph(name(n.kind), sentence(rule.broken), rule.got, rule.want);
        }
        if (rule.shape != n.shape) {
            detail::refuse_graph(name(n.kind), "has another number of elements than its shape rule gives",
                                 n.shape.count(), rule.shape.count());
        }
    }
    for (const output_port& port : g.outputs) {
        if (port.node < 0 || port.node >= g.size()) {
            detail::refuse_graph("output", "names a node that is not there", port.node, g.size());
        }
    }
    if (g.outputs.empty()) {
        detail::refuse_graph("graph", "has no output");
    }
}

} // namespace ane
