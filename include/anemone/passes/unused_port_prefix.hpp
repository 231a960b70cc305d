#pragma once

#include "../graph/graph.hpp"

#include <cstddef>
#include <string>

namespace ane::detail {

/// Names that begin with it and go on with a number are those of no port: underscores, one more than any input has
/// characters. For copies of a graph that return more than it does.
inline std::string unused_port_prefix(const graph_view& g) {
    std::size_t longest = 0;
    for (const node& n : g.nodes) {
        const std::size_t size = n.kind == op::input ? g.text(n.name).size() : 0;
        longest = size > longest ? size : longest;
    }
    return std::string(longest + 1, '_');
}

} // namespace ane::detail
