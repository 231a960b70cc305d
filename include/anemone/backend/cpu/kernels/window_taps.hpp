#pragma once

#include "../../../base/way.hpp"
#include "../../../graph/sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ane::cpu::inline ANEMONE_WAY {

/// Where taps find the input of position 0: first groups of four that are neighbours, by their first, then single ones.
struct tap_offsets {
    const std::int64_t* fours = nullptr;
    std::int64_t four_count = 0;
    const std::int64_t* ones = nullptr;
    std::int64_t one_count = 0;

    std::int64_t count() const { return 4 * four_count + one_count; }
};

/// Taps that an output sums over, in this order: groups of four neighbours in a slab before those that are in no group.
class window_taps {
public:
    /// Taps that have their weights in fp32 at the same time.
    struct part {
        tap_offsets offsets;
        std::int64_t first = 0; ///< of all taps
        std::int64_t count = 0;
    };

    window_taps() = default;
    /// Of taps (offset in the slab, source in the filter of the first output channel), `at_once` a part.
    window_taps(const sequence<std::pair<std::int64_t, std::int64_t>>& taps, std::int64_t at_once) {
        sequence<std::int64_t> single_sources;
        for (std::size_t t = 0; t < taps.size();) {
            std::size_t run = 1;
            while (run < 4 && t + run < taps.size() && taps[t + run].first == taps[t].first + static_cast<int>(run)) {
                ++run;
            }
            if (run == 4) {
                fours_.push_back(taps[t].first);
                for (std::size_t k = 0; k < 4; ++k) {
                    sources_.push_back(taps[t + k].second);
                }
                t += 4;
            } else {
                ones_.push_back(taps[t].first);
                single_sources.push_back(taps[t].second);
                ++t;
            }
        }
        sources_.append(single_sources);
        set_parts(at_once);
    }

    std::int64_t count() const { return static_cast<std::int64_t>(sources_.size()); }
    std::int64_t source(std::int64_t tap) const { return sources_[static_cast<std::size_t>(tap)]; }
    std::size_t parts() const { return ends_.size(); }
    /// Without taps there is an empty one.
    part at(std::size_t index) const {
        const end before = index == 0 ? end{} : ends_[index - 1];
        const end& own = ends_[index];
        return {{fours_.data() + before.fours, own.fours - before.fours, ones_.data() + before.ones,
                 own.ones - before.ones},
                before.taps(),
                own.taps() - before.taps()};
    }

private:
    struct end {
        std::int64_t fours = 0;
        std::int64_t ones = 0;
        std::int64_t taps() const { return 4 * fours + ones; }
    };

    void set_parts(std::int64_t at_once) {
        const end all{static_cast<std::int64_t>(fours_.size()), static_cast<std::int64_t>(ones_.size())};
        end now{};
        do {
            std::int64_t room = at_once;
            const std::int64_t fours = std::min(all.fours - now.fours, std::max<std::int64_t>(room / 4, 1));
            now.fours += fours;
            room -= 4 * fours;
            if (now.fours == all.fours) {
                now.ones += std::clamp<std::int64_t>(room, 0, all.ones - now.ones);
            }
            ends_.push_back(now);
        } while (now.taps() < all.taps());
    }

    sequence<std::int64_t> fours_;
    sequence<std::int64_t> ones_;
    sequence<std::int64_t> sources_;
    sequence<end> ends_; ///< of the parts
};

/// add(channel, row, column) of all taps of a window in the order of row, column and channel, or where the channels of a
/// slab are planes, of channel, row and column: neighbours follow each other.
template <class Add>
void in_tap_order(bool channels_last, std::int64_t channels, std::size_t rows, std::size_t columns, const Add& add) {
    for (std::int64_t outer = 0; outer < (channels_last ? 1 : channels); ++outer) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                for (std::int64_t c = outer; c < (channels_last ? channels : outer + 1); ++c) {
                    add(c, i, j);
                }
            }
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
