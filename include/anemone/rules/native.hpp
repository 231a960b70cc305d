#pragma once

#include "record.hpp"

#include <array>

/// The engine's own layers (guide appendix B), which the netplist route alone has.
namespace ane::rules {

inline constexpr std::array native{
    rule_record{.id = rule::cross_correlation_has_channels,
                .fact = "R046",
                .level = severity::reject,
                .ops = {op::cross_correlation},
                .sentence = "the layer correlates one channel, an operand has {got}",
                .reject = "",
                .advice = "unfold the image and multiply matrices",
                .source = "guide chapters 13 and 15",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return both(at_most(s.operand(0).shape.channels(), 1), at_most(s.operand(1).shape.channels(), 1));
                }},
};

} // namespace ane::rules
