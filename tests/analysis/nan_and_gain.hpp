#pragma once

#include <anemone/analysis/affine.hpp>
#include <anemone/analysis/envelope.hpp>
#include <anemone/analysis/ranges.hpp>
#include <anemone/graph/graph.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// Which values of a graph no range of theirs bounds.
namespace sound {

using namespace ane;

/// Nodes that may hold a NaN on the CPU: an infinity, or a root or logarithm of a negative number, went in.
inline std::vector<bool> may_be_nan(const graph_view& g, std::span<const interval> known) {
    std::vector<bool> nan(g.nodes.size(), false);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        bool any = !known[at].bounded();
        for (const int o : g.operands(i)) {
            const auto from = static_cast<std::size_t>(o);
            any = any || nan[from] || !known[from].bounded();
        }
        const node& n = g[i];
        const auto low = [&](int k) {
            return known[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(k)])].low;
        };
        switch (n.kind) {
        case op::rsqrt:
        case op::log: any = any || low(0) + static_cast<double>(n.get<stabilizer>().epsilon) < 0; break;
        case op::sqrt:
        case op::log2:
        case op::pow:
        case op::reduce_log_sum: any = any || low(0) < 0; break;
        case op::attention: any = any || accumulator_bound(g, n, known).magnitudes >= half_max; break;
        default: break;
        }
        nan[at] = any;
    }
    return nan;
}

/// Nodes that may be infinite on A13 and A14 whatever their range: slices inside the last axis of more than 4094, which
/// R090 refuses; integers that a NaN becomes, 0 on the CPU, which ranges leave out; and all that reads them.
inline std::vector<bool> may_saturate(const graph_view& g, std::span<const interval> known) {
    const std::vector<bool> nan = may_be_nan(g, known);
    std::vector<bool> may(g.nodes.size(), false);
    for (int i = 0; i < g.size(); ++i) {
        bool any =
            reads_inside_width(g, g[i]) && known[static_cast<std::size_t>(g.operands(i)[0])].magnitude() > gain_ceiling;
        any = any || (g[i].kind == op::quantize && nan[static_cast<std::size_t>(g.operands(i)[0])]);
        for (const int o : g.operands(i)) {
            any = any || may[static_cast<std::size_t>(o)];
        }
        may[static_cast<std::size_t>(i)] = any;
    }
    return may;
}

} // namespace sound
