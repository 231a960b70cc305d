#pragma once

#include "../graph/graph.hpp"

namespace ane {

/// Whether an operation over constants is computed when the graph is compiled instead of on the device.
constexpr bool is_foldable(op kind) noexcept {
    return is_binary(kind) || kind == op::reshape || kind == op::transpose || kind == op::sqrt || kind == op::rsqrt ||
           kind == op::exp || kind == op::abs;
}

namespace detail {
constexpr bool known_when_compiled(const graph_view& g, int index, int depth) {
    const node& n = g[index];
    if (n.kind == op::weight || n.kind == op::constant || n.kind == op::compressed) {
        return true;
    }
    if (depth == 0 || !is_foldable(n.kind)) {
        return false;
    }
    for (const int operand : g.operands(n)) {
        if (!known_when_compiled(g, operand, depth - 1)) {
            return false;
        }
    }
    return true;
}
} // namespace detail

/// Whether the program carries the value of a node, as it is, compressed, or computed from such values when the graph
/// is compiled. Looks at most eight operations back.
constexpr bool is_known_when_compiled(const graph_view& g, int index) {
    return detail::known_when_compiled(g, index, 8);
}

/// For each node whether its value is known when the graph is compiled: weights, also in a stored form, constants, and
/// foldable operations over such. A node that is an output is never one of these: the device has to write it.
constexpr sequence<char> constant_nodes(const graph_view& g) {
    sequence<char> written(g.nodes.size(), 0);
    for (const output_port& port : g.outputs) {
        written[static_cast<std::size_t>(port.node)] = 1;
    }
    sequence<char> known(g.nodes.size(), 0);
    for (int i = 0; i < g.size(); ++i) {
        const op kind = g[i].kind;
        bool constant = kind == op::weight || kind == op::constant;
        if (kind == op::compressed) {
            constant = known[static_cast<std::size_t>(g.operands(i)[0])] != 0;
        }
        if (is_foldable(kind)) {
            constant = written[static_cast<std::size_t>(i)] == 0;
            for (const int o : g.operands(i)) {
                constant = constant && known[static_cast<std::size_t>(o)] != 0;
            }
        }
        known[static_cast<std::size_t>(i)] = constant ? 1 : 0;
    }
    return known;
}

} // namespace ane
