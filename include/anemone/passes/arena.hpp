#pragma once

#include "liveness.hpp"

#include <algorithm>
#include <cstdint>

namespace ane {

/// Offsets in an arena are multiples of it: one cache line, and the widest vector register.
inline constexpr std::int64_t arena_alignment = 64;

/// One block of memory for all intermediate values of a graph.
struct arena {
    sequence<std::int64_t> offsets; ///< bytes, by node; -1 for values that do not stand in the arena
    std::int64_t bytes = 0;            ///< of the block, a multiple of `arena_alignment`
};

namespace detail {
/// A place that is waiting for its offset, or has it.
struct arena_block {
    std::int64_t bytes = 0;
    std::int64_t offset = 0;
    int node = 0;
};

/// The lowest offset where `block` meets none of the placed blocks that are alive together with it. `placed` is in
/// ascending order of offsets.
constexpr std::int64_t first_fit(const arena_block& block, const sequence<arena_block>& placed,
                                 const sequence<lifetime>& alive) {
    const lifetime& mine = alive[static_cast<std::size_t>(block.node)];
    std::int64_t offset = 0;
    for (const arena_block& p : placed) {
        if (mine.overlaps(alive[static_cast<std::size_t>(p.node)])) {
            if (offset + block.bytes <= p.offset) {
                break;
            }
            offset = std::max(offset, p.offset + p.bytes);
        }
    }
    return offset;
}
} // namespace detail

/// Places every value that has a lifetime. Greedy: the largest first, each at the lowest offset that is free during its
/// life. Quadratic in the number of values; a reshape whose operand dies there stands in the operand's place.
constexpr arena plan_arena(const graph_view& g, liveness_options options = {}) {
    const sequence<lifetime> values = lifetimes(g, options);
    const sequence<int> owners = storage_owners(g, values);
    const sequence<lifetime> places = merged(values, owners);

    sequence<detail::arena_block> waiting;
    for (int i = 0; i < g.size(); ++i) {
        if (places[static_cast<std::size_t>(i)].stored()) {
            const std::int64_t size = bytes(g[i].type, g[i].shape.count());
            waiting.push_back({(size + arena_alignment - 1) / arena_alignment * arena_alignment, 0, i});
        }
    }
    std::sort(waiting.begin(), waiting.end(), [](const detail::arena_block& a, const detail::arena_block& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.node < b.node;
    });

    arena plan;
    plan.offsets = sequence<std::int64_t>(g.nodes.size(), -1);
    sequence<detail::arena_block> placed;
    placed.reserve(waiting.size());
    for (detail::arena_block block : waiting) {
        block.offset = detail::first_fit(block, placed, places);
        plan.offsets[static_cast<std::size_t>(block.node)] = block.offset;
        plan.bytes = std::max(plan.bytes, block.offset + block.bytes);
        placed.push_back(block);
        for (std::size_t k = placed.size() - 1; k > 0 && placed[k].offset < placed[k - 1].offset; --k) {
            std::swap(placed[k], placed[k - 1]);
        }
    }
    for (std::size_t i = 0; i < owners.size(); ++i) {
        if (owners[i] >= 0) {
            plan.offsets[i] = plan.offsets[static_cast<std::size_t>(owners[i])];
        }
    }
    return plan;
}

} // namespace ane
