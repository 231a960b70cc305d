#pragma once

#include "constants.hpp"
#include "uses.hpp"

/// Parallel branches that meet in one consumer (guide chapter 19, R113). The compiler's search for places to cut the
/// graph grows exponentially, as 2^n for n branches.
namespace ane {

/// Number of branches from which a cluster is flagged (measured on the M1: compilation takes up to 9.2 s).
inline constexpr int slow_fan_in = 12;

namespace detail {

/// The operand whose chain this node extends: its only operand of the same kind that nothing else reads. A chain such
/// as ((a + b) + c) + d, or a concatenation of concatenations, thus counts as one consumer. A tree does not: the root
/// of (a + b) + (c + d) has two such operands. -1 for a node that extends no chain.
constexpr int chained_operand(const graph_view& g, int index, const sequence<int>& readers) {
    const op kind = g[index].kind;
    if (!is_binary(kind) && kind != op::concat) {
        return -1;
    }
    int chained = -1;
    for (const int o : g.operands(index)) {
        if (g[o].kind == kind && readers[static_cast<std::size_t>(o)] == 1) {
            if (chained >= 0) {
                return -1;
            }
            chained = o;
        }
    }
    return chained;
}

} // namespace detail

/// For each node the number of distinct computed values that meet in it: its operands, and those of the chain that ends
/// in it. A value that is read twice is one branch; inputs and constants do not count. Nodes inside a chain count only
/// their own operands. Linear in the nodes and operands.
constexpr sequence<int> reconverging_branches(const graph_view& g) {
    const sequence<char> known = constant_nodes(g);
    const sequence<int> readers = uses(g);
    sequence<int> before(g.nodes.size(), -1);    // the chained operand
    sequence<char> continued(g.nodes.size(), 0); // whether a later node extends the chain
    for (int i = 0; i < g.size(); ++i) {
        const int chained = detail::chained_operand(g, i, readers);
        before[static_cast<std::size_t>(i)] = chained;
        if (chained >= 0) {
            continued[static_cast<std::size_t>(chained)] = 1;
        }
    }
    sequence<int> branches(g.nodes.size(), 0);
    sequence<int> seen(g.nodes.size(), -1); // the consumer that a value was last counted for
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool whole = continued[at] == 0;
        int count = 0;
        for (int link = i; link >= 0; link = whole ? before[static_cast<std::size_t>(link)] : -1) {
            for (const int o : g.operands(link)) {
                const auto from = static_cast<std::size_t>(o);
                const bool carried = whole && o == before[static_cast<std::size_t>(link)];
                if (!carried && seen[from] != i && known[from] == 0 && !is_source(g[o].kind) &&
                    g[o].kind != op::compressed) {
                    seen[from] = i;
                    ++count;
                }
            }
        }
        branches[at] = count;
    }
    return branches;
}

} // namespace ane
