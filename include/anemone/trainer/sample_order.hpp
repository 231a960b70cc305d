#pragma once

#include "../base/way.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The order in which samples are taken: all of them once, in an order of their own in each round, round after round. Sample
/// number i is a function of i and the seed alone, so that a training that goes on needs no more than its step.
class sample_order {
public:
    /// `shuffled` false: as they stand in the data, in every round.
    sample_order(std::int64_t samples, std::uint64_t seed, bool shuffled)
        : samples_(samples), seed_(seed), shuffled_(shuffled) {}

    ANEMONE_INLINE std::int64_t at(std::int64_t i) {
        const std::int64_t round = i / samples_;
        if (!shuffled_) {
            return i % samples_;
        }
        if (round != round_) {
            draw(round);
        }
        return order_[static_cast<std::size_t>(i % samples_)];
    }

private:
    /// SplitMix64 (Steele, Lea, Flood 2014).
    static constexpr std::uint64_t mixed(std::uint64_t& state) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
        return z ^ z >> 31U;
    }

    /// Fisher and Yates. A number below n is taken from 32 bits, by refusing those that would favour small ones.
    ANEMONE_INLINE void draw(std::int64_t round) {
        order_.resize(static_cast<std::size_t>(samples_));
        std::iota(order_.begin(), order_.end(), std::int64_t{0});
        std::uint64_t state = seed_;
        state = mixed(state) ^ static_cast<std::uint64_t>(round);
        for (std::size_t n = order_.size(); n > 1; --n) {
            const std::uint64_t bound = n;
            const std::uint64_t fair = (std::uint64_t{1} << 32U) / bound * bound;
            std::uint64_t drawn = 0;
            do {
                drawn = mixed(state) >> 32U;
            } while (drawn >= fair);
            std::swap(order_[n - 1], order_[drawn % bound]);
        }
        round_ = round;
    }

    std::int64_t samples_;
    std::uint64_t seed_;
    bool shuffled_;
    std::int64_t round_ = -1;
    std::vector<std::int64_t> order_;
};

} // namespace ane::inline ANEMONE_WAY
