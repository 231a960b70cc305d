#pragma once

#include "../base/way.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Runs that repeat themselves.
namespace ane::drawing::inline ANEMONE_WAY {

/// A run of `period` elements that stands `copies` times in a row from `first` on.
struct repeat {
    std::size_t first = 0, period = 0, copies = 0;

    std::size_t end() const { return first + period * copies; }
    /// How many elements need no place of their own if the copies after the first are one.
    std::size_t saved() const { return period * (copies - 1) - 1; }
};

/// The repeats of a sequence that save most, apart from each other and in order: at least three copies, or two of eight
/// elements or more. `boundary(i)` says how good a place it is for a copy to begin before element i, more is better:
/// elements that fit on either side go there. At most `longest` elements a copy, and n * longest steps.
template <class Boundary>
std::vector<repeat> find_repeats(const std::vector<std::uint64_t>& elements, std::size_t longest, Boundary boundary) {
    std::vector<repeat> found;
    const std::size_t n = elements.size();
    for (std::size_t period = 1; period <= std::min(longest, n / 2); ++period) {
        for (std::size_t i = 0; i + period < n;) {
            std::size_t equal = 0;
            while (i + equal + period < n && elements[i + equal] == elements[i + equal + period]) {
                ++equal;
            }
            repeat r{i, period, (equal + period) / period};
            if ((r.copies >= 3 && r.saved() >= 3) || (r.copies == 2 && period >= 8)) {
                const std::size_t slack = equal + period - r.copies * period;
                for (std::size_t at = i; at <= i + slack; ++at) {
                    r.first = boundary(at) > boundary(r.first) ? at : r.first;
                }
                found.push_back(r);
            }
            i += equal + 1;
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const repeat& a, const repeat& b) { return a.saved() > b.saved(); });
    found.resize(std::min<std::size_t>(found.size(), 1000)); // those left out save next to nothing
    std::vector<repeat> kept;
    for (const repeat& r : found) {
        if (std::all_of(kept.begin(), kept.end(),
                        [&](const repeat& k) { return r.end() <= k.first || k.end() <= r.first; })) {
            kept.push_back(r);
        }
    }
    std::sort(kept.begin(), kept.end(), [](const repeat& a, const repeat& b) { return a.first < b.first; });
    return kept;
}

} // namespace ane::drawing::inline ANEMONE_WAY
