#pragma once

#include "sequence.hpp"

#include <cstddef>
#include <utility>

namespace ane::detail {

/// Sorts by merging, longer and longer runs: n log n steps whatever the order was, and what `less` finds equal keeps its
/// order. (<algorithm> is a quarter of what a model file would include.)
template <class T, class Less> constexpr void merge_sort(sequence<T>& all, Less less) {
    const std::size_t count = all.size();
    sequence<T> merged(count);
    for (std::size_t run = 1; run < count; run *= 2) {
        for (std::size_t first = 0; first < count; first += 2 * run) {
            const std::size_t middle = first + run < count ? first + run : count;
            const std::size_t last = first + 2 * run < count ? first + 2 * run : count;
            std::size_t a = first;
            std::size_t b = middle;
            for (std::size_t to = first; to < last; ++to) {
                const bool takes_a = b == last || (a < middle && !less(all[b], all[a]));
                merged[to] = all[takes_a ? a++ : b++];
            }
        }
        std::swap(all, merged);
    }
}

} // namespace ane::detail
