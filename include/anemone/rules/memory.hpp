#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

inline constexpr std::array memory{
    // The measured knee where it is known, otherwise the size of the on-chip memory.
    rule_record{.id = rule::working_set_exceeds,
                .fact = "R110",
                .level = severity::warn,
                .ops = computed_ops,
                .sentence = "the largest operand takes {got} bytes, {limit} stay on the chip: tiled and streamed",
                .reject = "",
                .advice = "tile the batch or the image",
                .source = "guide chapter 17",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    std::int64_t largest = bytes(s.n.type, s.n.shape.count());
                    for (int i = 0; i < s.operand_count(); ++i) {
                        const node& o = s.operand(i);
                        const std::int64_t size = bytes(o.type, o.shape.count());
                        largest = size > largest ? size : largest;
                    }
                    return at_most(largest, s.t.memory.working_set_measured > 0 ? s.t.memory.working_set_measured
                                                                                : s.t.memory.working_set_nominal);
                }},
    rule_record{.id = rule::weights_exceed_kernel_memory,
                .fact = "R057",
                .level = severity::warn,
                .ops = {op::conv2d, op::conv_transpose2d, op::linear},
                .sentence = "dense weights of {got} bytes exceed {limit}: split into several layers",
                .reject = "",
                .advice = "stream them as a palette or sparse",
                .source = "guide chapter 24",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const node& w = s.operand(1);
                    const std::int64_t size = bytes(w.type, w.shape.count());
                    return holds_if(s.t.tier != family::a13 || size <= s.t.memory.kernel_dense, size,
                                    s.t.memory.kernel_dense);
                }},
    rule_record{.id = rule::fan_in_exceeds,
                .fact = "R113",
                .level = severity::warn,
                .ops = {op::concat},
                .sentence = "{got} branches meet in one operation, more than {limit} make compilation slow",
                .reject = "",
                .advice = "join them as a tree",
                .source = "guide chapter 19",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    int branches = 0;
                    for (int i = 0; i < s.operand_count(); ++i) {
                        branches += is_source(s.operand(i).kind) ? 0 : 1;
                    }
                    return at_most(branches, 11);
                }},
    rule_record{
        .id = rule::input_is_not_used,
        .fact = "graph",
        .level = severity::warn,
        .ops = {op::input},
        .sentence = "nothing reads this input",
        .reject = "",
        .advice = "remove it",
        .source = "",
        .evidence = mark::predicted,
        .check = [](const subject& s) -> finding { return holds_if(s.uses[static_cast<std::size_t>(s.index)] > 0); }},
};

} // namespace ane::rules
