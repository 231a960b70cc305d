#pragma once

#include "movement.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// The groups of axes that a permutation moves as one: neighbours that stay neighbours. Axes of one element do not
/// count.
constexpr int moved_groups(const permutation& p, const extents& x) {
    int groups = 0;
    std::int64_t before = -1;
    for (int i = 0; i < p.order.rank; ++i) {
        const int from = source_axis(p, i);
        if (x[from] == 1) {
            continue;
        }
        std::int64_t next = before + 1; // the next axis of more than one element
        while (before >= 0 && next < x.rank && x[static_cast<int>(next)] == 1) {
            ++next;
        }
        groups += before >= 0 && from == next ? 0 : 1;
        before = from;
    }
    return groups;
}

} // namespace detail

inline constexpr std::array matmul{
    rule_record{.id = rule::matmul_reads_a_transpose_of_rank_five,
                .fact = "R013",
                .level = severity::reject,
                .ops = {op::matmul, op::linear},
                .sentence = "reads a transpose of rank five that moves {got} groups of axes, more than {limit}",
                .reject = "",
                .advice = "regroup the axes with reshapes, so that at most three move",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    for (int i = 0; i < 2; ++i) {
                        const node* x = &s.operand(i);
                        if (x->kind == op::reshape) {
                            x = &s.g.operand(*x, 0);
                        }
                        if (x->kind == op::transpose && x->shape.rank >= 5) {
                            const int groups = detail::moved_groups(x->get<permutation>(), s.g.operand(*x, 0).shape);
                            if (groups > 3) {
                                return {true, groups, 3};
                            }
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::matmul_rank_exceeds_four,
                .fact = "R012",
                .level = severity::reject,
                .ops = {op::matmul},
                .sentence = "a matrix product of rank {got} exceeds {limit}",
                .reject = "Some ops are not supported on any of the specified backends",
                .advice = "fold the batch axes: reshape to rank 4",
                .source = "guide chapter 4",
                .evidence = mark::measured,
                .silicon = "M1",
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
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return both(at_most(s.operand(0).shape.depth(), 1), at_most(s.operand(1).shape.depth(), 1));
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
    // Attention is written as two products: over the depth of a head, and over the keys.
    rule_record{.id = rule::contraction_length_exceeds,
                .fact = "L006",
                .level = severity::reject,
                .ops = {op::matmul, op::attention},
                .sentence = "a contraction of length {got} exceeds {limit}",
                .reject = "",
                .advice = "split it and add the parts",
                .source = "study M4, M6",
                .evidence = mark::measured,
                .figure = &target_marks::compiled_limits,
                .silicon = "M4, M6",
                .check = [](const subject& s) -> finding {
                    const extents& a = s.operand(0).shape;
                    const std::int64_t inner =
                        s.n.kind == op::matmul && s.n.get<transposed>().a ? a.height() : a.width();
                    const std::int64_t keys = s.n.kind == op::attention ? s.operand(1).shape.height() : 0;
                    return at_most(inner > keys ? inner : keys, s.t.limits.contraction);
                }},
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
                .silicon = "M1",
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
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const node& right = s.operand(1);
                    return at_most(bytes(right.type, right.shape.count()), s.t.memory.working_set_nominal - 1);
                }},
};

} // namespace ane::rules
