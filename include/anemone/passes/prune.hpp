#pragma once

#include "../graph/graph.hpp"

namespace ane {

/// A copy of a graph in canonical form: without the operations, weights and constants that no output depends on, and in
/// an order that follows from the graph alone: the inputs as they were declared, because they are its signature, then
/// depth first from the outputs, operands in their order. So it does not matter in which order a compiler evaluates the
/// arguments of nested calls.
constexpr dynamic_graph prune(const graph_view& g) {
    // Plain pointers and indices: every call counts against a compiler's limit of steps per constant.
    const std::size_t count = g.nodes.size();
    const node* const nodes = g.nodes.data();
    const int* const pool = g.operand_pool.data();
    dynamic_graph kept;
    kept.nodes.reserve(count);
    kept.operand_pool.reserve(g.operand_pool.size());
    kept.text_pool.reserve(g.text_pool.size());
    sequence<int> renamed(count, -1);
    int next = 0;
    const auto keep = [&](std::size_t i) {
        node n = nodes[i];
        const int* const operands = pool + n.operands.first;
        n.operands.first = static_cast<int>(kept.operand_pool.size());
        for (int k = 0; k < n.operands.count; ++k) {
            kept.operand_pool.push_back(renamed[static_cast<std::size_t>(operands[k])]);
        }
        n.name = n.name.count > 0 ? kept.intern(g.text(n.name)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = kept.keep(g.values(nodes[i]));
        }
        kept.nodes.push_back(n);
        renamed[i] = next++;
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (nodes[i].kind == op::input) {
            keep(i);
        }
    }
    struct visit {
        std::size_t node = 0;
        int operand = 0; ///< the next one to look at
    };
    sequence<visit> path;
    for (const output_port& port : g.outputs) {
        path.push_back({static_cast<std::size_t>(port.node), 0});
        while (!path.empty()) {
            visit& top = path.back();
            const node& n = nodes[top.node];
            if (renamed[top.node] >= 0) {
                path.pop_back();
            } else if (top.operand < n.operands.count) {
                const auto operand = static_cast<std::size_t>(pool[n.operands.first + top.operand]);
                ++top.operand;
                if (renamed[operand] < 0) {
                    path.push_back({operand, 0});
                }
            } else {
                keep(top.node);
                path.pop_back();
            }
        }
        kept.add_output(renamed[static_cast<std::size_t>(port.node)], g.name(port),
                        port.is_state() ? renamed[static_cast<std::size_t>(port.state)] : -1);
    }
    kept.call_as(g);
    return kept;
}

} // namespace ane
