#pragma once

#include "../base/enum_set.hpp"
#include "../forms/written.hpp"
#include "../targets/table.hpp"
#include "segment.hpp"

namespace ane {

using door_set = enum_set<door, 3>;

namespace detail {

inline constexpr door_set direct_alone{door::direct}, netplist_alone{door::netplist}, host_alone{door::host};
inline constexpr door_set either{door::direct, door::netplist};

/// The doors that two nodes have in common.
constexpr door_set common(const door_set& a, const door_set& b) {
    return a == b ? a : door_set::where([&](door d) { return a.contains(d) && b.contains(d); });
}

/// Whether a target has an operation at all, on either route.
constexpr bool target_has(const node& n, const target_description& chip) {
    const bool is_identity = n.kind == op::dropout && !(n.get<drop_ratio>().ratio > 0);
    return is_identity || at_least(chip.tier, floor_of(n.kind));
}

} // namespace detail

/// The doors by which each node of a model can be computed on a target, as far as its operation and what files can hold
/// of it say; limits of extents are the design rules' matter. The host takes what no door of the engine does, and what
/// the model gives it.
constexpr sequence<door_set> doors_of(const graph_view& g, const target_description& chip) {
    const form_faults faults = find_form_faults(g, !chip.mil_supported);
    sequence<door_set> doors(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const node& n = g[i];
        const compile_route only = support_of(n.kind).route;
        if (n.on_host || !detail::target_has(n, chip)) {
            doors[at] = detail::host_alone;
            continue;
        }
        const bool direct = chip.mil_supported && !faults.mil[at] && only != compile_route::netplist;
        const bool netplist = faults.netplist_count >= 0 && !faults.netplist[at] && only != compile_route::mil;
        doors[at] = direct ? (netplist ? detail::either : detail::direct_alone)
                           : (netplist ? detail::netplist_alone : detail::host_alone);
    }
    return doors;
}

} // namespace ane
