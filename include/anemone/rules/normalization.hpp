#pragma once

#include "movement.hpp"
#include "record.hpp"

#include <array>

/// Norms: capabilities, groups, channels and axes.
namespace ane::rules {

namespace detail {

/// Whether `axis` is the one of the channels, the third from the last.
constexpr bool is_channel_axis(const extents& x, int axis) {
    return x.rank >= 3 && normalized_axis(axis, x.rank) == x.rank - 3;
}

/// The sum that a softmax written by hand divides by: e / sum(e), e inverse(sum(e)) or inverse(sum(e)) e, where e is an
/// exponential. The sum's index; -1 where `n` is no such quotient.
constexpr int sum_of_quotient(const graph_view& g, const node& n) {
    const bool inverse_first = n.kind == op::mul && g.operand(n, 0).kind == op::inverse;
    const int e = operand_index(g, n, inverse_first ? 1 : 0);
    int sum = operand_index(g, n, inverse_first ? 0 : 1);
    if (n.kind == op::mul) {
        if (g[sum].kind != op::inverse) {
            return -1;
        }
        sum = operand_index(g, g[sum], 0);
    }
    const bool quotient = g[e].kind == op::exp && g[sum].kind == op::reduce_sum && operand_index(g, g[sum], 0) == e;
    return quotient ? sum : -1;
}

} // namespace detail

inline constexpr std::array normalization{
    rule_record{.id = rule::instance_norm_is_not_supported,
                .fact = "R064",
                .level = severity::reject,
                .ops = {op::instance_norm},
                .sentence = "instance normalisation needs a capability that the target lacks",
                .reject = "InstanceNorm layer not supported for this ANE architecture",
                .advice = "write it with means over height and width",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.has.instance_norm || !at_least(s.t.tier, family::a13));
                }},
    rule_record{.id = rule::normalized_groups_do_not_divide_channels,
                .fact = "R063",
                .level = severity::reject,
                .ops = {op::group_norm},
                .sentence = "{limit} groups do not divide {got} channels",
                .reject = "... does not yet support depth > 1",
                .advice = "choose a number of groups that divides the channels",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const int groups = s.n.get<grouping>().groups;
                    const std::int64_t channels = s.operand(0).shape.channels();
                    return multiple_of(channels, groups);
                }},
    rule_record{.id = rule::normalized_groups_have_depth,
                .fact = "R063",
                .level = severity::reject,
                .ops = {op::group_norm},
                .sentence = "a norm over several groups has depth {got}, at most {limit} works",
                .reject = "... does not yet support depth > 1",
                .advice = "fold the depth into the height",
                .source = "guide chapter 17",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const std::int64_t depth = s.operand(0).shape.depth();
                    return holds_if(s.n.get<grouping>().groups <= 1 || depth <= 1, depth, 1);
                }},
    // TC15: 65536 was measured on the M5; up to A15 a group's plane of 130 x 130 was refused.
    rule_record{.id = rule::normalized_group_exceeds,
                .fact = "R027",
                .level = severity::reject,
                .ops = {op::group_norm},
                .sentence = "the channels of a group or its height times width come to {got}, above {limit}",
                .reject = "",
                .consequence = "32 channels of 130 x 130 in one group are refused up to A15",
                .advice = "use a smaller image or more groups",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    const extents& x = s.operand(0).shape;
                    const int groups = s.n.get<grouping>().groups;
                    const std::int64_t channels = groups > 0 ? x.channels() / groups : 0;
                    const std::int64_t plane = x.height() * x.width();
                    return at_most(channels > plane ? channels : plane, s.t.limits.group_norm_extent);
                }},
    rule_record{.id = rule::response_norm_channels_exceed,
                .fact = "R065",
                .level = severity::reject,
                .ops = {op::local_response_norm},
                .route = compile_route::netplist,
                .sentence = "{got} channels exceed {limit}, the most that the netplist's layer takes on A13",
                .reject = "LRN is not supported on this architecture.",
                .advice = "use the MIL route, which does not have this limit",
                .source = "guide appendix B, ANEForge",
                .evidence = mark::measured,
                .silicon = "M1",
                .other = compile_route::mil,
                .check = [](const subject& s) -> finding {
                    const std::int64_t channels = s.operand(0).shape.channels();
                    return holds_if(s.t.tier != family::a13 || channels <= 15, channels, 15);
                }},
    // Lowering writes (x - min) / (max - min + epsilon), which takes any axis.
    rule_record{.id = rule::minmax_norm_is_over_channels,
                .fact = "R066",
                .level = severity::note,
                .ops = {op::minmax_norm},
                .sentence = "goes over the channels (axis {got}), which the engine's own layer refuses: written with "
                            "primitives",
                .reject = "(encoded assert, byte 0x818)",
                .advice = "move the axis last where that layer matters",
                .source = "guide appendix B",
                .evidence = mark::measured,
                .silicon = "M1, M5",
                .check = [](const subject& s) -> finding {
                    const extents& x = s.operand(0).shape;
                    const int index = s.n.get<stabilizer>().axis;
                    return holds_if(!detail::is_channel_axis(x, index), normalized_axis(index, x.rank), 0);
                }},
    // The limit of one frontend's fused form. Lowering writes the norm with primitives of any rank.
    rule_record{.id = rule::rms_norm_rank_is_not_two,
                .fact = "R126",
                .level = severity::note,
                .ops = {op::rms_norm},
                .sentence =
                    "an input of rank {got}: the fused form takes rank {limit}, others are written with primitives",
                .reject = "rms_norm expects 2D [M,D]",
                .advice = "reshape to [M, D] where the fused form matters",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const int rank = s.operand(0).shape.rank;
                    return holds_if(rank == 2, rank, 2);
                }},
    // R082 concerns a switch of the engine's own attention layer, off by default, that subtracts the maximum. In a
    // graph the same mistake is a softmax without that subtraction. A declared range that keeps the sum finite is as
    // good.
    rule_record{.id = rule::softmax_does_not_subtract_its_maximum,
                .fact = "R082",
                .level = severity::hazard,
                .ops = {op::div, op::mul},
                .of_infinity = true,
                .sentence =
                    "a softmax of numbers whose maximum is not subtracted: nothing says that their exponentials "
                    "add up to less than {limit}",
                .reject = "",
                .consequence = "infinity over infinity",
                .advice = "use softmax or attention, subtract the maximum, or clamp the operand on both sides",
                .source = "guide chapter 26",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const int sum = detail::sum_of_quotient(s.g, s.n);
                    if (sum < 0) {
                        return {};
                    }
                    const node& e = s.g.operand(s.g[sum], 0);
                    if (ane::detail::subtracted_maximum(s.g, s.g.operand(e, 0)) != nullptr) {
                        return {};
                    }
                    const interval& r = s.value_ranges[static_cast<std::size_t>(sum)];
                    return holds_if(r.high < half_max, 0, static_cast<std::int64_t>(half_max));
                }},
};

} // namespace ane::rules
