#pragma once

#include "../base/stop_point.hpp"
#include "../graph/uses.hpp"
#include "../targets/table.hpp"
#include "banks.hpp"
#include "kernel_memory.hpp"
#include "lanes.hpp"
#include "reconvergence.hpp"
#include "winograd.hpp"
#include "working_set.hpp"

namespace ane {

/// How much of a target's memories and lanes one node of a model, or of its lowered graph, uses.
struct node_residency {
    int node = -1;
    sized_value largest{};              ///< tensor that it reads or writes
    residence place{};                  ///< of the largest
    std::int64_t live = 0;              ///< bytes alive while it runs
    kernel_use kernel{};                ///< of its weights
    bool right_operand_streams = false; ///< the right operand of a product does not stay on the chip (R058)
    lane_use lanes{};                   ///< of its result
    bank_use banks{};                   ///< of its result's rows
    group_use groups{};                 ///< of a convolution
    winograd_use winograd{};            ///< of a convolution
    decomposition split{};              ///< of a convolution
    int branches = 0;                   ///< that meet in it
};

/// The figures of every node that computes something on the device, in the order of the graph. Time and memory are in
/// proportion to the nodes and operands. A constant expression where the model is one; clang 14 takes about 600 nodes
/// in one within its default limit of steps. `held`: the forms of weights that the file holds.
constexpr sequence<node_residency> residency(const graph_view& g, const target_description& t, held_forms held) {
    detail::stop_point();
    const sequence<char> known = constant_nodes(g);
    const sequence<std::int64_t> live = live_bytes(g);
    const sequence<int> branches = reconverging_branches(g);
    const sequence<int> read = uses(g);
    sequence<node_residency> rows;
    rows.reserve(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const node& n = g[i];
        if (is_source(n.kind) || n.kind == op::compressed || known[at] != 0) {
            continue;
        }
        node_residency r;
        r.node = i;
        r.largest = largest_operand(g, i);
        r.place = residence_of(r.largest.bytes, t);
        r.live = live[at];
        r.kernel = kernel_use_of(g, i, t, held, read);
        if (n.kind == op::matmul || n.kind == op::linear) {
            const node& right = g.operand(n, 1);
            r.right_operand_streams = bytes(right.type, right.shape.count()) >= t.memory.working_set_nominal;
        }
        r.lanes = lanes_of(n.type, n.shape, t);
        r.banks = banks_of(r.lanes.row, r.lanes.rows, t);
        if (is_convolution(n.kind)) {
            const convolution_geometry c = geometry_of(g, n);
            r.groups = groups_of(c, t);
            r.winograd = winograd_of(g, n, c, t);
            r.split = decomposition_of(c, t);
        }
        r.branches = branches[at];
        rows.push_back(r);
    }
    return rows;
}
/// The same of the file that we write unless another one is requested.
constexpr sequence<node_residency> residency(const graph_view& g, const target_description& t) {
    return residency(g, t, held_forms_on(compile_route::any, t));
}
constexpr sequence<node_residency> residency(const graph_view& g, target t) { return residency(g, describe(t)); }

/// The figures of a whole graph.
struct residency_summary {
    sized_value largest{};         ///< operand of any node
    int streamed = 0;              ///< nodes whose largest operand does not stay on the chip
    int edge = 0;                  ///< nodes between the nominal size and the measured knee
    sized_value peak{};            ///< the most bytes alive at one node
    bool partitioned = false;      ///< the peak exceeds the on-chip memory: the schedule is cut (guide chapter 22)
    std::int64_t kernel_bytes = 0; ///< that the weights of all layers hold
    std::int64_t extra_layers = 0; ///< that split weights add, at least
    std::int64_t needed = 0;       ///< bytes of all results
    std::int64_t stored = 0;       ///< bytes of all results with their padding
    int colliding = 0;             ///< results whose rows collide in the banks
    int winograd = 0;              ///< convolutions whose gate is open
    std::int64_t direct = 0;       ///< multiplications of all convolutions
    std::int64_t transformed = 0;  ///< the same with the transform wherever the gate is open
    int widest = 0;                ///< the most branches that meet in one node
    int widest_node = -1;

    constexpr double wasted() const {
        return stored > 0 ? 1 - static_cast<double>(needed) / static_cast<double>(stored) : 0;
    }
};

constexpr residency_summary summarize(const sequence<node_residency>& rows, const target_description& t) {
    residency_summary s;
    for (const node_residency& r : rows) {
        s.largest = r.largest.bytes > s.largest.bytes ? r.largest : s.largest;
        s.streamed += r.place == residence::streamed ? 1 : 0;
        s.edge += r.place == residence::edge ? 1 : 0;
        s.peak = r.live > s.peak.bytes ? sized_value{r.node, r.live} : s.peak;
        s.kernel_bytes += r.kernel.demand;
        s.extra_layers += r.kernel.splits() - 1;
        s.needed += r.lanes.needed;
        s.stored += r.lanes.stored;
        s.colliding += r.banks.collides() ? 1 : 0;
        s.winograd += r.winograd.eligible() ? 1 : 0;
        s.direct += r.winograd.direct;
        s.transformed += r.winograd.transformed;
        s.widest_node = r.branches > s.widest ? r.node : s.widest_node;
        s.widest = r.branches > s.widest ? r.branches : s.widest;
    }
    s.partitioned = s.peak.bytes > t.memory.working_set_nominal;
    return s;
}
constexpr residency_summary summarize(const sequence<node_residency>& rows, target t) {
    return summarize(rows, describe(t));
}

} // namespace ane
