#pragma once

#include "../graph/refusal.hpp"
#include "../ops/infer.hpp"

namespace ane {

/// Checks what the typed builders guarantee, for a graph that was made otherwise: operands stand before their readers and
/// are as many as the operation takes, attributes are the operation's, and every shape is the one that its shape rule
/// gives. Throws `error` (errc::graph) that names the node; in a constant expression a bad graph does not compile.
constexpr void validate(const graph_view& g) {
    const auto pool_size = static_cast<std::int64_t>(g.operand_pool.size());
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        const op_signature& takes = signature(n.kind);
        if (n.operands.count < takes.least_operands || n.operands.count > takes.most_operands) {
            detail::refuse_graph(name(n.kind), "has a wrong number of operands", n.operands.count,
                                 takes.least_operands);
        }
        if (n.operands.first < 0 || std::int64_t{n.operands.first} + n.operands.count > pool_size) {
            detail::refuse_graph(name(n.kind), "has operands outside the graph's pool", n.operands.first, pool_size);
        }
        for (const int operand : g.operands(n)) {
            if (operand < 0 || operand >= i) {
                detail::refuse_graph(name(n.kind), "reads a node that does not stand before it", operand, i);
            }
        }
        if (n.attributes.kind() != takes.attributes) {
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
