#pragma once

#include "../values/contract.hpp"
#include "graph.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace ane {

/// What a graph requires of one weight.
struct wanted_weight {
    std::string_view name; ///< text of the graph
    extents shape;
    contract promise;
    int node = 0;
    /// The nodes that read it, each once, in execution order; those behind a `compressed` instead of the `compressed`.
    std::vector<int> readers{};
    bool is_compressed = false;
    compression form{}; ///< how it is stored, where it is compressed

    /// Whether several operations read it: weights are tied, or two blocks share a scope.
    constexpr bool is_shared() const { return readers.size() > 1; }
};

/// The weights of a graph in the order of its nodes: what a `weight_store` must hold. In constant expressions too.
constexpr std::vector<wanted_weight> weights_of(const graph_view& g) {
    std::vector<wanted_weight> all;
    std::vector<int> source(g.nodes.size(), -1); // position of the weight that a node is, or is the stored form of
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        const auto at = static_cast<std::size_t>(i);
        if (n.kind == op::weight) {
            source[at] = static_cast<int>(all.size());
            all.push_back({.name = g.name(i), .shape = n.shape, .promise = n.get<contract>(), .node = i});
            continue;
        }
        for (const int operand : g.operands(n)) {
            const int position = source[static_cast<std::size_t>(operand)];
            if (position < 0) {
                continue;
            }
            wanted_weight& weight = all[static_cast<std::size_t>(position)];
            if (n.kind == op::compressed) {
                source[at] = position;
                weight.is_compressed = true;
                weight.form = n.get<compression>();
            } else if (weight.readers.empty() || weight.readers.back() != i) {
                weight.readers.push_back(i);
            }
        }
    }
    return all;
}

} // namespace ane
