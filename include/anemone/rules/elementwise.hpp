#pragma once

#include "../analysis/envelope.hpp"
#include "movement.hpp"
#include "record.hpp"

#include <array>

/// Elementwise operations: broadcasting, ranks, what fuses and what does not.
namespace ane::rules {

namespace detail {

inline constexpr op_set broadcasting_ops = op_set::where([](op o) {
    const op_group group = signature(o).group;
    return group == op_group::binary || group == op_group::comparison || o == op::select;
});
inline constexpr op_set unary_ops = ops_of(op_group::unary);

constexpr bool is_stored(const node& n) { return is_source(n.kind) && n.kind != op::input; }

} // namespace detail

inline constexpr std::array elementwise{
    rule_record{.id = rule::broadcast_along_depth_is_not_supported,
                .fact = "R025",
                .level = severity::reject,
                .ops = detail::broadcasting_ops,
                .sentence = "an operand of depth 1 is repeated {got} times along the depth",
                .reject = "Broadcast along depth axis is not supported on this architecture",
                .advice = "fold the depth into another axis, or tile the operand",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const std::int64_t depth = s.n.shape.depth();
                    if (s.t.has.depth_broadcast || depth <= 1) {
                        return {};
                    }
                    for (int i = 0; i < s.operand_count(); ++i) {
                        // One value for the whole tensor is no broadcast along an axis.
                        const extents& x = s.operand(i).shape;
                        if (x.depth() == 1 && x.count() > 1) {
                            return {true, depth, 1};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::prelu_rank_is_below_three,
                .fact = "R127",
                .level = severity::reject,
                .ops = {op::prelu},
                .sentence = "an input of rank {got} has no channel axis, prelu takes {limit} or more (N, C, ...)",
                .reject = "prelu needs rank>=3 [N,C,...]; got ...",
                .advice = "reshape to [N, C, 1]",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const int rank = s.operand(0).shape.rank;
                    return holds_if(rank >= 3, rank, 3);
                }},
    // Lowering writes x * x instead, so nothing fails; the note explains the product in the emitted text.
    rule_record{.id = rule::square_feeds_a_nonlinearity,
                .fact = "R072",
                .level = severity::note,
                .ops = detail::unary_ops,
                .sentence =
                    "follows a square whose width is {got} above a multiple of 128, more than {limit}: the square's "
                    "own instruction would not compile and is written as a product",
                .reject = "ANECCompile() FAILED",
                .advice = "",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    const node& x = s.operand(0);
                    return holds_if(x.kind != op::square || x.shape.width() % 128 <= 64, x.shape.width() % 128, 64);
                }},
    rule_record{.id = rule::angle_leaves_the_half_period,
                .fact = "R133",
                .level = severity::hazard,
                .ops = {op::sin, op::cos},
                .sentence = "the declared range reaches {got}, errors of 0.04 to 0.12 begin near pi ({limit}.14)",
                .reject = "",
                .advice = "fold the angle into [-pi, pi] before: x - 2 pi floor(x / 2 pi + 1/2), clamped there",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const interval& x = s.operand_range(0);
                    return holds_if(!x.declared || x.magnitude() <= half_period, detail::reported(x.magnitude()), 3);
                }},
    rule_record{.id = rule::both_operands_are_live,
                .fact = "R114",
                .level = severity::note,
                .ops = {op::add, op::mul},
                .sentence = "both operands are computed: it does not fuse into its neighbours",
                .reject = "Must have 2 inputs when convert EW to GOC",
                .advice = "",
                .source = "guide chapter 22",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return holds_if(detail::is_stored(s.operand(0)) || detail::is_stored(s.operand(1)));
                }},
    rule_record{.id = rule::producer_has_other_readers,
                .fact = "R115",
                .level = severity::note,
                .ops = detail::unary_ops,
                .sentence = "the product before it is read {got} times: it fuses with one reader only",
                .reject = "",
                .advice = "apply the activation before the value forks",
                .source = "guide chapter 22",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const int producer = s.g.operands(s.n)[0];
                    const int readers = s.uses[static_cast<std::size_t>(producer)];
                    return holds_if(!is_contraction(s.g[producer].kind) || readers <= 1, readers, 1);
                }},
    rule_record{
        .id = rule::product_takes_another_scale,
        .fact = "N211",
        .level = severity::hazard,
        .ops = {op::mul},
        .sentence = "multiplies dequantized values: the compiler gives the codes of operand {got} another scale, "
                    "that of the other branch or of the quantize behind the product",
        .reject = "",
        .consequence = "values wrong by the ratio of the scales, a power of it with two branches",
        .advice = "clamp the product to the range of what follows (it costs nothing, and anemone optimize --values "
                  "does it), or give both the same scale",
        .source = "llms-on-apple-neural-engine, 2026",
        .evidence = mark::measured,
        .silicon = "M5 Pro",
        .check = [](const subject& s) -> finding {
            const quantized_product p = quantized_product_of(s.g, s.index, s.uses);
            const int position = p.exchanged(s.g, 0) >= 0 ? 0 : 1;
            return holds_if(p.exchanged(s.g, position) < 0, position, 0);
        }},
};

} // namespace ane::rules
