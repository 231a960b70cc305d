#pragma once

#include "record.hpp"

#include <array>

namespace ane {

/// The family from which an operation is native (guide appendix A and chapter 35: floors F0 and F2).
constexpr family floor_of(op kind) noexcept {
    switch (kind) {
    case op::sqrt:
    case op::rsqrt:
    case op::softmax:
    case op::layer_norm:
    case op::batch_norm:
    case op::reduce_sum:
    case op::reduce_mean:
    case op::reduce_max:
    case op::reduce_min:
    case op::arg_max:
    case op::arg_min:
    case op::attention: return family::a13;
    default: return family::older;
    }
}

namespace rules {

/// Whether the target has the operation at all.
inline constexpr std::array support{
    rule_record{.id = rule::operation_below_its_floor,
                .fact = "floor",
                .level = severity::reject,
                .ops = computed_ops,
                .sentence = "needs generation tier {limit} (2 is A13, 3 A14, 4 A15), the target has {got}",
                .reject = "Some ops are not supported on any of the specified backends",
                .advice = "choose a later target or write it with other operations",
                .source = "guide chapter 35",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const family floor = floor_of(s.n.kind);
                    // F0 is every family, the reference profiles among them.
                    return holds_if(floor == family::older || at_least(s.t.tier, floor), generation_tier(s.t.tier),
                                    generation_tier(floor));
                }},
    rule_record{.id = rule::softmax_is_not_supported,
                .fact = "R062",
                .level = severity::reject,
                .ops = {op::softmax, op::attention},
                .sentence = "softmax needs a capability that the target lacks",
                .reject = "Softmax is not supported by this ANE architecture",
                .advice = "write it as exp, reduce_sum and div of x minus its maximum",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.has.softmax || !at_least(s.t.tier, family::a13));
                }},
    rule_record{.id = rule::divisor_is_not_constant,
                .fact = "R178",
                .level = severity::reject,
                .ops = {op::div},
                .sentence = "the divisor must be a constant before A13",
                .reject = "",
                .advice = "multiply by a constant reciprocal",
                .source = "guide appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const op divisor = s.operand(1).kind;
                    return holds_if(s.t.tier != family::older || divisor == op::constant || divisor == op::weight);
                }},
    rule_record{.id = rule::reduction_is_multiplied_by_zero,
                .fact = "R124",
                .level = severity::reject,
                .ops = {op::mul},
                .sentence = "a reduction times the constant zero does not compile",
                .reject = "ANECCompile failure",
                .advice = "subtract the tensor from itself instead",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    // Lowering turns the constant of rank 0 into a difference; a tensor of zeros stays.
                    const auto is_zero = [&s](int i) {
                        const interval& r = s.operand_range(i);
                        return s.operand(i).kind == op::constant && s.operand(i).shape.rank > 0 && r.low == 0 &&
                               r.high == 0;
                    };
                    return holds_if(!(is_reduction(s.operand(0).kind) && is_zero(1)) &&
                                    !(is_reduction(s.operand(1).kind) && is_zero(0)));
                }},
    // Once for a program: at the node of its first output.
    rule_record{.id = rule::target_has_no_mil,
                .fact = "R176",
                .level = severity::reject,
                .ops = every_op,
                .sentence = "the MIL route needs A13 or later",
                .reject = "MIL is only supported for H13+ ANE architectures",
                .advice = "use the netplist route",
                .source = "guide chapter 12",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.route != compile_route::mil || s.t.mil_supported || s.g.outputs.empty() ||
                                    s.g.outputs[0].node != s.index);
                }},
    // OC9: the guide lists reduce_argmax as native, the M5 sweep of the MIL route found it not implemented.
    rule_record{.id = rule::arg_reduction_has_no_mil_form,
                .fact = "OC9",
                .level = severity::reject,
                .ops = {op::arg_max, op::arg_min},
                .sentence = "has no form on the MIL route",
                .reject = "Not implemented",
                .advice = "use the netplist route, or take the index on the host",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding { return holds_if(s.route != compile_route::mil); }},
    // The compiler takes scalars (guide chapter 4), but no accepted text of one that is computed is published.
    rule_record{.id = rule::scalar_has_no_mil_form,
                .fact = "mil-ops 10",
                .level = severity::reject,
                .ops = activation_ops,
                .sentence = "a value of rank 0 has no known form on the MIL route",
                .reject = "",
                .advice = "keep an axis of one element",
                .source = "mil-ops facts",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.route != compile_route::mil || s.n.shape.rank > 0);
                }},
};

} // namespace rules
} // namespace ane
