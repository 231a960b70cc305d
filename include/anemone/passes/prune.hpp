#pragma once

#include "../graph/graph.hpp"

#include <vector>

namespace ane {

/// A copy of a graph without the operations, weights and constants that no output depends on. Inputs stay, because they
/// are the graph's signature. The order of the nodes stays.
constexpr dynamic_graph prune(const graph_view& g) {
    std::vector<char> live(g.nodes.size(), 0); // not vector<bool>: clang 14 has none in constant expressions
    for (const output_port& port : g.outputs) {
        live[static_cast<std::size_t>(port.node)] = 1;
    }
    for (int i = g.size() - 1; i >= 0; --i) {
        if (live[static_cast<std::size_t>(i)] != 0) {
            for (const int operand : g.operands(i)) {
                live[static_cast<std::size_t>(operand)] = 1;
            }
        }
    }
    dynamic_graph kept;
    std::vector<int> renamed(g.nodes.size(), -1);
    std::vector<int> operands;
    for (int i = 0; i < g.size(); ++i) {
        if (live[static_cast<std::size_t>(i)] == 0 && g[i].kind != op::input) {
            continue;
        }
        operands.clear();
        for (const int operand : g.operands(i)) {
            operands.push_back(renamed[static_cast<std::size_t>(operand)]);
        }
        node n = g[i];
        n.name = n.name.count > 0 ? kept.intern(g.name(i)) : range_of{};
        if (n.kind == op::constant) {
            n.attributes = kept.keep(g.values(g[i]));
        }
        renamed[static_cast<std::size_t>(i)] = kept.append(n, operands);
    }
    for (const output_port& port : g.outputs) {
        kept.add_output(renamed[static_cast<std::size_t>(port.node)], g.name(port));
    }
    return kept;
}

} // namespace ane
