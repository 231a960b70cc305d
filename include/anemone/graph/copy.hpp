#pragma once

#include "graph.hpp"

namespace ane {

/// A graph of its own, of the same nodes at the same positions.
constexpr dynamic_graph copy_of(const graph_view& g) {
    dynamic_graph copy;
    copy.nodes.append(g.nodes);
    copy.operand_pool.append(g.operand_pool);
    copy.text_pool.append(g.text_pool);
    copy.payload.append(g.payload);
    copy.outputs.append(g.outputs);
    copy.aliases.append(g.aliases);
    return copy;
}

} // namespace ane
