#pragma once

#include "../graph/constants.hpp"
#include "rewriter.hpp"

namespace ane {

/// Whether a value that is not known when the model is compiled has rank 0, of which the engine's formats know no form.
constexpr bool has_rank_zero(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].shape.rank == 0 && known[static_cast<std::size_t>(i)] == 0) {
            return true;
        }
    }
    return false;
}

/// The same model with values of rank 1 and one element in place of those of rank 0: both broadcast alike. Where a result
/// gets another shape by that, it is reshaped to the one that it had.
constexpr dynamic_graph with_rank_one(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    rewriter r(g);
    for (int i = 0; i < g.size(); ++i) {
        r.visit(i);
        const bool grows = g[i].shape.rank == 0 && known[static_cast<std::size_t>(i)] == 0;
        const extents wanted = grows ? extents{1} : g[i].shape;
        r.rename(i, r.reshape(r.copy_as(i, wanted), wanted));
    }
    for (const output_port& port : g.outputs) {
        r.add_output(r.renamed(port.node), port);
    }
    return r.result();
}

} // namespace ane
