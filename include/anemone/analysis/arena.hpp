#pragma once

#include "liveness.hpp"
#include "occupancy.hpp"

#include <algorithm>
#include <cstdint>

namespace ane {

/// Offsets in an arena are multiples of it: one cache line, and the widest vector register.
inline constexpr std::int64_t arena_alignment = 64;
/// Bytes, up to the next multiple of it.
constexpr std::int64_t in_arena_lines(std::int64_t bytes) {
    return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

/// One block of memory for all intermediate values of a graph.
struct arena {
    sequence<std::int64_t> offsets; ///< bytes, by node; -1 for values that are not in the arena
    std::int64_t bytes = 0;         ///< of the block, a multiple of `arena_alignment`
};

/// Places every value that has a lifetime. Greedy: the largest first, each at the lowest offset that is free during its
/// life. Takes n log n steps and memory as long as simultaneous values lie side by side, whatever their lifetimes. A
/// reshape whose operand dies there reuses the operand's memory.
constexpr arena plan_arena(const graph_view& g, const sequence<lifetime>& values) {
    const sequence<int> owners = storage_owners(g, values);
    const sequence<lifetime> places = merged(values, owners);

    sequence<std::int64_t> sizes(g.nodes.size(), 0);
    sequence<int> waiting;
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (places[at].stored()) {
            sizes[at] = in_arena_lines(bytes(g[i].type, g[i].shape.count()));
            waiting.push_back(i);
        }
    }
    std::sort(waiting.begin(), waiting.end(), [&](int a, int b) {
        const std::int64_t size_a = sizes[static_cast<std::size_t>(a)];
        const std::int64_t size_b = sizes[static_cast<std::size_t>(b)];
        return size_a != size_b ? size_a > size_b : a < b;
    });

    arena plan;
    plan.offsets = sequence<std::int64_t>(owners.size(), -1);
    detail::occupancy taken(g.size() + 1);
    for (const int place : waiting) {
        const auto at = static_cast<std::size_t>(place);
        const auto [first, last] = places[at];
        const std::int64_t offset = taken.lowest_free(first, last, sizes[at]);
        const std::int64_t end = offset + sizes[at];
        taken.take(first, last, {offset, end});
        plan.offsets[at] = offset;
        plan.bytes = end > plan.bytes ? end : plan.bytes;
    }
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] >= 0) {
            plan.offsets[i] = plan.offsets[static_cast<std::size_t>(owners[i])];
        }
    }
    return plan;
}

/// The same for a graph of which every node is computed alone.
constexpr arena plan_arena(const graph_view& g, liveness_options options = {}) {
    return plan_arena(g, lifetimes(g, options));
}

} // namespace ane
