#pragma once

#include "../analysis/ranges.hpp"
#include "../numerics/width_offset.hpp"
#include "../passes/column_slices.hpp"

/// Slices that begin inside the last axis, as those of a max pool's gradient do: on M1 and M2 they are infinite above 4094
/// (R090), and cotangents and what relu gives have no bound.
namespace ane::detail::training {

/// A graph without slices that begin inside the last axis and whose values may pass 4094 by the declared ranges. The bits
/// are the same; inputs keep their places.
constexpr dynamic_graph turn_slices(const dynamic_graph& whole) {
    const graph_view g = whole;
    const auto begins_inside = [&g](const node& n) {
        return is_slice(n.kind) && n.shape.rank > 1 && reads_inside_width(g, n);
    };
    bool any = false;
    for (const node& n : g.nodes) {
        any = any || begins_inside(n);
    }
    if (!any) {
        return whole; // the ranges are not worth computing
    }
    const std::vector<interval> known = ranges(g);
    rewriter r(g);
    column_slices slices(r);
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        r.visit(i);
        const bool is_inside = begins_inside(n);
        const interval* const read = is_inside ? &known[static_cast<std::size_t>(g.operands(i)[0])] : nullptr;
        const bool saturates = read != nullptr && !(read->declared && read->magnitude() <= gain_ceiling);
        r.rename(i, saturates ? slices.of(n) : r.copy(i));
    }
    for (const output_port& port : g.outputs) {
        r.add_output(r.renamed(port.node), port);
    }
    return r.result();
}

} // namespace ane::detail::training
