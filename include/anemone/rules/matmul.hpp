#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

inline constexpr std::array matmul{
    rule_record{.id = rule::matmul_rank_exceeds_four,
                .fact = "R012",
                .level = severity::reject,
                .ops = {op::matmul},
                .sentence = "a matrix product of rank {got} exceeds {limit}",
                .reject = "Some ops are not supported on any of the specified backends",
                .advice = "fold the batch axes: reshape to rank 4",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding { return at_most(s.n.shape.rank, 4); }},
    rule_record{.id = rule::matmul_depth_exceeds_one,
                .fact = "R050",
                .level = severity::reject,
                .ops = {op::matmul},
                .sentence = "an operand's depth {got} exceeds {limit}",
                .reject = "depth > 1 is not supported for MatMult",
                .advice = "fold the depth into the batch",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const finding a = at_most(s.operand(0).shape.depth(), 1);
                    return a.broken ? a : at_most(s.operand(1).shape.depth(), 1);
                }},
    rule_record{.id = rule::linear_rank_exceeds_four,
                .fact = "R054",
                .level = severity::reject,
                .ops = {op::linear},
                .sentence = "a fully connected layer's input of rank {got} exceeds {limit}",
                .reject = "ANE cannot support Linear with input rank >= 5",
                .advice = "reshape to rank 4 or less",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding { return at_most(s.operand(0).shape.rank, 4); }},
    // "Output channels of A": the engine maps the left operand's rows to channels, whose kernels are its columns.
    rule_record{.id = rule::matmul_exceeds_kernel_memory,
                .fact = "R052",
                .level = severity::warn,
                .ops = {op::matmul},
                .sentence = "the left matrix takes {got} bytes, kernel memory holds {limit}: split or rejected",
                .reject = "can not fit the Kmem",
                .advice = "tile the rows of the left operand",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const extents& a = s.operand(0).shape;
                    return at_most(bytes(s.operand(0).type, a.height() * a.width()), s.t.memory.kernel_dense);
                }},
    rule_record{.id = rule::right_operand_is_not_resident,
                .fact = "R058",
                .level = severity::warn,
                .ops = {op::matmul, op::linear},
                .sentence = "the right operand takes {got} bytes, {limit} stay on the chip: tiled and streamed",
                .reject = "",
                .advice = "split it along its rows",
                .source = "guide chapter 21",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const node& right = s.operand(1);
                    return at_most(bytes(right.type, right.shape.count()), s.t.memory.working_set_nominal - 1);
                }},
};

} // namespace ane::rules
