#pragma once

#include "../base/stop_point.hpp"
#include "../graph/constants.hpp"
#include "../graph/uses.hpp"

/// Counts the parallel branches that meet in one consumer (guide chapter 19, R113). The engine's compiler searches for
/// places to cut the graph, and its search takes 2^n steps where n branches meet.
namespace ane {

/// The number of branches from which on R113 reports a consumer (measured on the M1: compilation takes up to 9.2 s).
inline constexpr int slow_fan_in = 12;

namespace detail {

/// ((a + b) + c) + d is a chain of three additions in which four branches meet, so that the three count as one
/// consumer; so does a concatenation of concatenations. This is the operand through which node `index` continues such a
/// chain: an operation of the same kind that no other node reads. -1 if it has none, or two, as the root of (a + b) +
/// (c + d): a tree is not counted as one consumer.
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

/// For each node the number of branches that meet in it: the different computed values among its operands or, at the
/// end of a chain, among the operands of the whole chain. A value that is read twice is one branch. Inputs, and what is
/// known when the graph is compiled, are no branches. Nodes inside a chain count only their own operands. Linear in the
/// nodes and operands.
constexpr sequence<int> reconverging_branches(const graph_view& g) {
    detail::stop_point();
    const sequence<char> known = constant_nodes(g);
    const sequence<int> readers = uses(g);
    sequence<int> before(g.nodes.size(), -1);    // the previous link of the chain, or -1
    sequence<char> continued(g.nodes.size(), 0); // whether a later node continues the chain
    for (int i = 0; i < g.size(); ++i) {
        const int chained = detail::chained_operand(g, i, readers);
        before[static_cast<std::size_t>(i)] = chained;
        if (chained >= 0) {
            continued[static_cast<std::size_t>(chained)] = 1;
        }
    }
    sequence<int> branches(g.nodes.size(), 0);
    sequence<int> seen(g.nodes.size(), -1); // the consumer that counted a value last: each counts it once
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
