#pragma once

#include "../base/stop_point.hpp"
#include "graph.hpp"
#include "sequence.hpp"

#include <cstddef>
#include <limits>
#include <span>

namespace ane {

/// How often each node is read; an output reads its node.
constexpr sequence<int> uses(const graph_view& g) {
    detail::stop_point();
    sequence<int> counts(g.nodes.size(), 0);
    for (const node& n : g.nodes) {
        for (const int o : g.operands(n)) {
            ++counts[static_cast<std::size_t>(o)];
        }
    }
    for (const output_port& port : g.outputs) {
        ++counts[static_cast<std::size_t>(port.node)];
    }
    return counts;
}

/// What the outputs of a graph say of a node.
struct node_port {
    int next = -1; ///< `next_of`
    bool is_output = false;
};
/// The same of every node.
constexpr sequence<node_port> node_ports(const graph_view& g) {
    detail::stop_point();
    sequence<node_port> all(g.nodes.size());
    for (std::size_t i = g.outputs.size(); i-- > 0;) { // where two follow one state, `next_of` is the first
        const output_port& port = g.outputs[i];
        all[static_cast<std::size_t>(port.node)].is_output = true;
        if (port.is_state()) {
            all[static_cast<std::size_t>(port.state)].next = static_cast<int>(i);
        }
    }
    return all;
}

/// Whether a node is an output of its graph.
constexpr bool is_output(const graph_view& g, int index) {
    for (const output_port& port : g.outputs) {
        if (port.node == index) {
            return true;
        }
    }
    return false;
}

/// Whether `test(reader, position)` holds wherever an operation, the node `reader`, reads node `index` as its operand
/// `position`. `read`: `uses(g)` where that is known, and nothing elsewhere: the search ends at the last reader, which is near in
/// all but few graphs, and not at the last node.
template <class Test>
constexpr bool every_reader(const graph_view& g, int index, std::span<const int> read, Test test) {
    int reads = read.empty() ? std::numeric_limits<int>::max() : read[static_cast<std::size_t>(index)];
    for (int i = index + 1; i < g.size() && reads > 0; ++i) {
        const std::span<const int> operands = g.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k] == index) {
                --reads;
                if (!test(i, static_cast<int>(k))) {
                    return false;
                }
            }
        }
    }
    return true;
}
template <class Test> constexpr bool every_reader(const graph_view& g, int index, Test test) {
    return every_reader(g, index, {}, test);
}

} // namespace ane
