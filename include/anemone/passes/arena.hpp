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
    std::int64_t bytes = 0;         ///< of the block, a multiple of `arena_alignment`
};

namespace detail {

/// The places that have an offset, indexed by the steps at which they are alive.
class arena_map {
public:
    constexpr arena_map(const sequence<lifetime>& alive, const sequence<std::int64_t>& sizes)
        : alive_(alive), sizes_(sizes), offsets_(alive.size(), -1), heads_(alive.size() + 1, -1) {}

    /// Gives a place the lowest offset where it meets no other that is alive together with it; returns its end.
    constexpr std::int64_t put(int index) {
        const lifetime& mine = alive_[at(index)];
        // Whoever is alive together with it is alive at its first step, or starts later: at step i starts value i.
        near_.clear();
        for (int e = heads_[at(mine.first)]; e >= 0; e = entries_[at(e)].next) {
            near_.push_back(entries_[at(e)].place);
        }
        for (int i = mine.first + 1; i <= mine.last && at(i) < alive_.size(); ++i) {
            if (offsets_[at(i)] >= 0) {
                near_.push_back(i);
            }
        }
        std::sort(near_.begin(), near_.end(), [this](int a, int b) { return offsets_[at(a)] < offsets_[at(b)]; });
        std::int64_t offset = 0;
        for (const int other : near_) {
            if (offset + sizes_[at(index)] <= offsets_[at(other)]) {
                break;
            }
            const std::int64_t end = offsets_[at(other)] + sizes_[at(other)];
            offset = end > offset ? end : offset;
        }
        offsets_[at(index)] = offset;
        for (int step = mine.first; step <= mine.last; ++step) {
            entries_.push_back({index, heads_[at(step)]});
            heads_[at(step)] = static_cast<int>(entries_.size()) - 1;
        }
        return offset + sizes_[at(index)];
    }

    constexpr std::int64_t offset(int index) const { return offsets_[at(index)]; }

private:
    struct entry {
        int place = 0;
        int next = -1;
    };

    static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

    const sequence<lifetime>& alive_;
    const sequence<std::int64_t>& sizes_;
    sequence<std::int64_t> offsets_; ///< -1: none yet
    sequence<int> heads_;            ///< of the list of places alive at each step
    sequence<entry> entries_;
    sequence<int> near_;
};

} // namespace detail

/// Places every value that has a lifetime. Greedy: the largest first, each at the lowest offset that is free during its
/// life. Takes time in proportion to the lengths of the lives; a reshape whose operand dies there stands in the
/// operand's place.
constexpr arena plan_arena(const graph_view& g, liveness_options options = {}) {
    const sequence<lifetime> values = lifetimes(g, options);
    const sequence<int> owners = storage_owners(g, values);
    const sequence<lifetime> places = merged(values, owners);

    sequence<std::int64_t> sizes(g.nodes.size(), 0);
    sequence<int> waiting;
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (places[at].stored()) {
            sizes[at] =
                (bytes(g[i].type, g[i].shape.count()) + arena_alignment - 1) / arena_alignment * arena_alignment;
            waiting.push_back(i);
        }
    }
    std::sort(waiting.begin(), waiting.end(), [&](int a, int b) {
        const std::int64_t size_a = sizes[static_cast<std::size_t>(a)];
        const std::int64_t size_b = sizes[static_cast<std::size_t>(b)];
        return size_a != size_b ? size_a > size_b : a < b;
    });

    arena plan;
    detail::arena_map map(places, sizes);
    for (const int place : waiting) {
        const std::int64_t end = map.put(place);
        plan.bytes = end > plan.bytes ? end : plan.bytes;
    }
    for (std::size_t i = 0; i < owners.size(); ++i) {
        plan.offsets.push_back(owners[i] < 0 ? -1 : map.offset(owners[i]));
    }
    return plan;
}

} // namespace ane
