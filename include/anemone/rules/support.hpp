#pragma once

#include "../catalogue/catalogue.hpp"
#include "../graph/constants.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// Operations that a newer generation introduced, each covered by the rule that names what is missing.
inline constexpr op_set trigonometric_ops{op::sin, op::cos};
inline constexpr op_set late_order_ops{op::top_k, op::top_k_indices, op::sort, op::arg_sort, op::dynamic_slice};
inline constexpr op_set random_ops{op::dropout, op::random_uniform};
inline constexpr op_set sampling_ops{op::crop_resize, op::resample, op::affine, op::gather_hw};

} // namespace detail

/// Whether the target has the operation at all.
inline constexpr std::array support{
    rule_record{.id = rule::operation_below_its_floor,
                .fact = "floor",
                .level = severity::reject,
                .ops = op_set::where([](op o) {
                    return floor_of(o) != family::older && !detail::trigonometric_ops.contains(o) &&
                           !detail::late_order_ops.contains(o) && !detail::random_ops.contains(o) &&
                           !detail::sampling_ops.contains(o);
                }),
                .sentence = "needs generation tier {limit} (2 is A13, 3 A14, 4 A15), the target has {got}",
                .reject = "Some ops are not supported on any of the specified backends",
                .advice = "choose a later target, or write it with other operations",
                .source = "guide chapter 35",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const family floor = floor_of(s.n.kind);
                    return holds_if(at_least(s.t.tier, floor), generation_tier(s.t.tier), generation_tier(floor));
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
    rule_record{.id = rule::sine_is_not_native,
                .fact = "R132",
                .level = severity::reject,
                .ops = detail::trigonometric_ops,
                .sentence = "is native from generation tier {limit} (A15), the target has {got}",
                .reject = "family floor F4",
                .advice = "fold the range to half a period and use an odd polynomial",
                .source = "guide appendix A, rewrites",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.has.native_sin_cos, generation_tier(s.t.tier), generation_tier(family::a15));
                }},
    // OC1: the catalogue of layers has top-k on the M1; the code generator was seen to refuse it there.
    rule_record{
        .id = rule::code_generator_lacks_the_operation,
        .fact = "R134",
        .level = severity::reject,
        .ops = detail::late_order_ops,
        .sentence = "passes the validators, but code is generated from tier {limit} (A14) on, the target has {got}",
        .reject = "(validator passes; code generator rejects)",
        .advice = "choose A14 or later, or do it on the host",
        .source = "guide chapters 4 and 22",
        .evidence = mark::measured,
        .silicon = "M1",
        .check = [](const subject& s) -> finding {
            return holds_if(at_least(s.t.tier, family::a14), generation_tier(s.t.tier), generation_tier(family::a14));
        }},
    // A dropout at rate 0 is the identity, which every target has.
    rule_record{
        .id = rule::random_numbers_are_not_supported,
        .fact = "R136",
        .level = severity::reject,
        .ops = detail::random_ops,
        .sentence = "needs a generator of random numbers (A15 and later)",
        .reject = "Dropout layer is not supported on this architecture. | Random layer is not supported on this "
                  "architecture.",
        .advice = "leave dropout out of an inference model (rate 0 is the identity); make random tensors on the host",
        .source = "guide appendix B",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding {
            const bool is_identity = s.n.kind == op::dropout && !(s.n.get<drop_ratio>().ratio > 0);
            return holds_if(s.t.has.dropout_random || is_identity);
        }},
    rule_record{.id = rule::texture_engine_is_missing,
                .fact = "R131",
                .level = severity::reject,
                .ops = detail::sampling_ops,
                .sentence = "needs the texture engine (A14 and later)",
                .reject = "affine transform is not supported on this architecture",
                .advice = "choose A14 or later, or sample on the host",
                .source = "guide appendices A and B",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return holds_if(s.t.has.texture_engine); }},
    rule_record{.id = rule::divisor_is_not_constant,
                .fact = "R178",
                .level = severity::reject,
                .ops = {op::div},
                .sentence = "the divisor must be a constant before A13",
                .reject = "",
                .advice = "multiply by the inverse",
                .source = "guide appendix A",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.tier != family::older || is_known_when_compiled(s.g, s.g.operands(s.n)[1]));
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
                .silicon = "M5",
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
    // Reported once per program: at the node of its first output.
    rule_record{.id = rule::target_has_no_mil,
                .fact = "R176",
                .level = severity::reject,
                .ops = every_op,
                .route = compile_route::mil,
                .sentence = "the MIL route needs A13 or later",
                .reject = "MIL is only supported for H13+ ANE architectures",
                .advice = "use the netplist route",
                .source = "guide chapter 12",
                .evidence = mark::decompiled,
                .other = compile_route::netplist,
                .check = [](const subject& s) -> finding {
                    return holds_if(s.t.mil_supported || s.g.outputs.empty() || s.g.outputs[0].node != s.index);
                }},
    // OC9: the guide lists reduce_argmax as native, the M5 sweep of the MIL route found it not implemented.
    rule_record{.id = rule::arg_reduction_has_no_mil_form,
                .fact = "OC9",
                .level = severity::reject,
                .ops = {op::arg_max, op::arg_min},
                .route = compile_route::mil,
                .sentence = "has no form on the MIL route",
                .reject = "Not implemented",
                .advice = "use the netplist route, or take the index on the host",
                .source = "ANEForge",
                .evidence = mark::measured,
                .other = compile_route::netplist,
                .check = [](const subject&) -> finding { return holds_if(false); }},
    // Layers that the frontend refuses, and operations that the sweep of the MIL route found not implemented.
    rule_record{.id = rule::operation_has_no_mil_form,
                .fact = "OC10 OC11 OC12 OC13 OC14",
                .level = severity::reject,
                .ops = op_set::where([](op o) {
                    return support_of(o).route == compile_route::netplist && o != op::arg_max && o != op::arg_min;
                }),
                .route = compile_route::mil,
                .sentence = "has no form on the MIL route",
                .reject = "Not implemented",
                .advice = "use the netplist route",
                .source = "guide appendix B, ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .other = compile_route::netplist,
                .check = [](const subject&) -> finding { return holds_if(false); }},
    rule_record{.id = rule::operation_has_no_netplist_form,
                .fact = "R105",
                .level = severity::reject,
                .ops = only_by(compile_route::mil),
                .route = compile_route::netplist,
                .sentence = "has no form on the netplist route",
                .reject = "",
                .consequence = "the unit has no validator and is never reached",
                .advice = "use the MIL route",
                .source = "guide chapter 26",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .other = compile_route::mil,
                .check = [](const subject&) -> finding { return holds_if(false); }},
};

} // namespace ane::rules
