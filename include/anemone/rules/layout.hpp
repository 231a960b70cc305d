#pragma once

#include "record.hpp"

#include <array>

/// Shapes that work and leave lanes unused.
namespace ane::rules {

inline constexpr std::array layout{
    // The compiler chooses the factor; a count that none of them divides is padded whatever it chooses.
    rule_record{.id = rule::channels_do_not_interleave,
                .fact = "R101",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "{got} channels are a multiple of none of 2, 3, 4, 8: padded",
                .reject = "invalid input interleave factor; should be 1, 2, 3, 4, or 8",
                .advice = "use a channel count with such a factor, a power of two at best",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t channels = s.n.shape.channels();
                    bool fits = s.n.shape.rank < 3 || channels <= 1;
                    for (const std::int32_t factor : s.t.limits.interleave_factors) {
                        fits = fits || (factor > 1 && channels % factor == 0);
                    }
                    return holds_if(fits, channels, s.t.limits.interleave_factors.back());
                }},
    rule_record{.id = rule::width_is_not_a_granule,
                .fact = "R103",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "rows of {got} bytes are padded to a multiple of {limit}",
                .reject = "",
                .advice = "use widths that are multiples of 8",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t row = bytes(s.n.type, s.n.shape.width());
                    return holds_if(s.n.shape.width() <= 1 || row % s.t.memory.dma_width_granule == 0, row,
                                    s.t.memory.dma_width_granule);
                }},
    rule_record{.id = rule::width_is_one,
                .fact = "R104",
                .level = severity::warn,
                .ops = activation_ops,
                .sentence = "the last axis is 1 and the channels are {got}: one lane of a {limit}-byte granule is used",
                .reject = "",
                .advice = "move a longer axis last",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const extents& e = s.n.shape;
                    return holds_if(e.rank < 3 || e.width() != 1 || e.channels() == 1 ||
                                        s.t.memory.dma_width_granule <= bits(s.n.type) / 8,
                                    e.channels(), s.t.memory.dma_width_granule);
                }},
};

} // namespace ane::rules
