#pragma once

#include "graph.hpp"

#include <cstddef>
#include <string>

namespace ane::detail {

/// A prefix of underscores, one longer than any input's name, so that the prefix followed by a number cannot be the
/// name of a port. For copies of a graph that have more outputs than it does.
inline std::string unused_port_prefix(const graph_view& g) {
    std::size_t longest = 0;
    for (const node& n : g.nodes) {
        const std::size_t size = n.kind == op::input ? g.text(n.name).size() : 0;
        longest = size > longest ? size : longest;
    }
    return std::string(longest + 1, '_');
}

} // namespace ane::detail
