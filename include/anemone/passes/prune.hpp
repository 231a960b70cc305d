#pragma once

#include "../graph/graph.hpp"

namespace ane {

/// A copy of a graph without the operations, weights and constants that no output depends on. Inputs stay, because they
/// are the graph's signature. The order of the nodes stays.
constexpr dynamic_graph prune(const graph_view& g) {
    // Plain pointers and indices: every call counts against the steps that a compiler allows one constant.
    const std::size_t count = g.nodes.size();
    const node* const nodes = g.nodes.data();
    const int* const pool = g.operand_pool.data();
    const auto at = [](int index) { return static_cast<std::size_t>(index); };
    sequence<char> live(count, 0);
    for (const output_port& port : g.outputs) {
        live[at(port.node)] = 1;
    }
    for (std::size_t i = count; i-- > 0;) {
        if (live[i] != 0) {
            const int* const operands = pool + nodes[i].operands.first;
            for (int k = 0; k < nodes[i].operands.count; ++k) {
                live[static_cast<std::size_t>(operands[k])] = 1;
            }
        }
    }
    dynamic_graph kept;
    kept.nodes.reserve(count);
    kept.operand_pool.reserve(g.operand_pool.size());
    kept.text_pool.reserve(g.text_pool.size());
    sequence<int> renamed(count, -1);
    int next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (live[i] == 0 && nodes[i].kind != op::input) {
            continue;
        }
        node n = nodes[i];
        const int* const operands = pool + n.operands.first;
        n.operands.first = static_cast<int>(kept.operand_pool.size());
        for (int k = 0; k < n.operands.count; ++k) {
            kept.operand_pool.push_back(renamed[static_cast<std::size_t>(operands[k])]);
        }
        if (n.name.count > 0) {
            n.name = kept.intern(g.text(n.name));
        }
        if (n.kind == op::constant) {
            n.attributes = kept.keep(g.values(nodes[i]));
        }
        kept.nodes.push_back(n);
        renamed[i] = next++;
    }
    for (const output_port& port : g.outputs) {
        kept.add_output(renamed[at(port.node)], g.name(port));
    }
    return kept;
}

} // namespace ane
