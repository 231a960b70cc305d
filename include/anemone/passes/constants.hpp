#pragma once

#include "../graph/graph.hpp"

namespace ane {

/// Whether an operation over constants is computed when the graph is compiled instead of on the device.
constexpr bool is_foldable(op kind) noexcept {
    return is_binary(kind) || kind == op::reshape || kind == op::transpose || kind == op::sqrt || kind == op::rsqrt ||
           kind == op::exp || kind == op::abs;
}

/// For each node whether its value is known when the graph is compiled: weights, constants, and foldable operations over
/// such. A node that is an output is never one of these: the device has to write it.
constexpr sequence<char> constant_nodes(const graph_view& g) {
    sequence<char> known(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const op kind = g[i].kind;
        bool constant = kind == op::weight || kind == op::constant;
        if (is_foldable(kind)) {
            constant = true;
            for (const int o : g.operands(i)) {
                constant = constant && known[static_cast<std::size_t>(o)] != 0;
            }
            for (const output_port& port : g.outputs) {
                constant = constant && port.node != i;
            }
        }
        known[static_cast<std::size_t>(i)] = constant ? 1 : 0;
    }
    return known;
}

} // namespace ane
