#pragma once

#include "graph.hpp"
#include "sequence.hpp"

#include <cstddef>

namespace ane {

/// How often each node is read; an output reads its node.
constexpr sequence<int> uses(const graph_view& g) {
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

} // namespace ane
