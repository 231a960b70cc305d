#pragma once

#include "../../base/way.hpp"
#include "../../graph/uses.hpp"
#include "../../passes/fusion.hpp"
#include "../../passes/lowering.hpp"

namespace ane::oracle::inline ANEMONE_WAY {

/// The layers of a lowered graph as the engine runs them: for each node the stages that are computed together with it.
struct layer_plan {
    sequence<fusion> roles;
    /// The node that takes node i's value into the same rounding step: the bias of a contraction, or the offset that
    /// follows a gain. -1 where there is none.
    sequence<int> partner;
    sequence<int> read; ///< how often each node is read: `uses`
};

constexpr layer_plan plan_layers(const graph_view& g) {
    layer_plan plan{fuse(g), sequence<int>(g.nodes.size(), -1), uses(g)};
    for (int i = 0; i < g.size(); ++i) {
        const fusion& f = plan.roles[static_cast<std::size_t>(i)];
        if (f.role == fused_as::bias || f.role == fused_as::offset) {
            plan.partner[static_cast<std::size_t>(f.stage)] = i;
        }
    }
    return plan;
}

} // namespace ane::oracle::inline ANEMONE_WAY
