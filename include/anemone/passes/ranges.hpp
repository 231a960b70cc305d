#pragma once

#include "catalogue/catalogue.hpp"

#include <span>
#include <vector>

/// Ranges of values by interval arithmetic. Sound for finite inputs that keep their contracts: no element that the
/// engine, on any generation, or the CPU backend computes lies outside the interval of its node; but for slices inside
/// the last axis that R090 refuses on the families that have the gain, and what follows from them. A NaN, which the CPU
/// has and the engine has not, arises only from a value that may be infinite, or from a root or logarithm of a
/// negative. The scores inside an attention are such values too: where q k^T, its scale or the mask leave fp16.
namespace ane {

namespace detail {

/// Ranges of nodes [first, last); `known(i)` gives that of an earlier node, `keep(i, range)` takes a new one.
template <class Known, class Keep>
constexpr void extend_ranges(const graph_view& g, int first, int last, Known known, Keep keep) {
    const node* const nodes = g.nodes.data();
    const int* const pool = g.operand_pool.data();
    catalogue::operand_gatherer gather;
    for (int i = first; i < last; ++i) {
        const node& n = nodes[i];
        const std::span operands(pool + n.operands.first, static_cast<std::size_t>(n.operands.count));
        keep(i, range_of_node(g, n, gather.of(operands, known)));
    }
}

} // namespace detail

/// The range of every node's value.
constexpr std::vector<interval> ranges(const graph_view& g) {
    std::vector<interval> all(g.nodes.size());
    interval* const at = all.data();
    detail::extend_ranges(
        g, 0, g.size(), [at](int i) -> const interval& { return at[i]; },
        [at](int i, const interval& r) { at[i] = r; });
    return all;
}

/// What a node was seen to hold when a model ran on data.
struct measured_range {
    bool measured = false;
    double low = 0;
    double high = 0;
    std::int64_t infinities = 0; ///< elements that were infinite or NaN; not in [low, high]
};

/// The same from data: a measured node has the range that was seen, the others follow from their operands. What comes
/// out holds for that data, not for every input. `measured` has one entry for each node.
constexpr std::vector<interval> ranges(const graph_view& g, std::span<const measured_range> measured) {
    std::vector<interval> all(g.nodes.size());
    interval* const at = all.data();
    detail::extend_ranges(
        g, 0, g.size(), [at](int i) -> const interval& { return at[i]; },
        [at, measured](int i, const interval& r) {
            const measured_range& m = measured[static_cast<std::size_t>(i)];
            // Where every element was infinite or a NaN there is no low or high, and nothing else holds either.
            at[i] = m.infinities > 0 ? detail::anything(true) : (m.measured ? interval{m.low, m.high, true} : r);
        });
    return all;
}

} // namespace ane
