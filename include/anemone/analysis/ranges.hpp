#pragma once

#include "../base/stop_point.hpp"
#include "../catalogue/catalogue.hpp"

#include <span>
#include <vector>

/// Ranges of values by interval arithmetic. For finite inputs that keep their contracts they are sound: every element
/// that the CPU backend or the engine of any generation computes lies in the interval of its node. One exception: on
/// A13 and A14 a slice that begins inside the last axis turns values above 4094 into infinity. R090 reports it; the
/// intervals here, which hold for every target, ignore it, so neither that slice nor what is computed from it is
/// covered.
///
/// The CPU backend may produce a NaN, the engine never does. A NaN comes from the root or the logarithm of a negative
/// number, or from an operand that may be infinite. Such operands include the scores inside an attention, which are no
/// node and so have no interval: they are infinite where q k^T, its product with the scale, or the sum with the mask
/// leaves fp16 (`hazard::stored_value` in envelope.hpp checks that).
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
    detail::stop_point();
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

/// The same from data: a measured node has the range that was seen, the others follow from their operands. The result
/// holds for that data, not for every input. `measured` has one entry for each node.
constexpr std::vector<interval> ranges(const graph_view& g, std::span<const measured_range> measured) {
    std::vector<interval> all(g.nodes.size());
    interval* const at = all.data();
    detail::extend_ranges(
        g, 0, g.size(), [at](int i) -> const interval& { return at[i]; },
        [at, measured](int i, const interval& r) {
            const measured_range& m = measured[static_cast<std::size_t>(i)];
            // `low` and `high` leave out infinities and NaN, so they are no bounds if there were any.
            at[i] = m.infinities > 0 ? detail::anything(true) : (m.measured ? interval{m.low, m.high, true} : r);
        });
    return all;
}

} // namespace ane
