#pragma once

#include "../backend/oracle/layer_plan.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../passes/lowering.hpp"

#include <cstddef>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// For each node of a model the node of the lowered graph that holds its value; -1 where it left none, and where the
/// value is rounded only together with that of a later node (a bias behind a product, an offset behind a gain).
ANEMONE_INLINE std::vector<int> holders(const graph_view& model, const lowered_graph& lowered,
                                        const oracle::layer_plan& plan) {
    std::vector<int> found(model.nodes.size(), -1);
    int latest = -1;
    for (int i = 0; i < lowered.view().size(); ++i) {
        const int origin = lowered.origins[static_cast<std::size_t>(i)];
        if (origin < latest) {
            break; // copies of outputs, which lowering adds behind everything: nothing reads them
        }
        latest = origin;
        const node& n = lowered.view()[i];
        if (n.shape == model[origin].shape && n.type == model[origin].type) {
            found[static_cast<std::size_t>(origin)] = i;
        }
    }
    for (int& holder : found) {
        const int partner = holder < 0 ? -1 : plan.partner[static_cast<std::size_t>(holder)];
        if (partner >= 0) {
            holder = -1;
        }
    }
    return found;
}

} // namespace ane::detail::inline ANEMONE_WAY
