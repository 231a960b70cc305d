#pragma once

#include "record.hpp"

#include <array>

namespace ane::rules {

inline constexpr std::array reduction{
    rule_record{.id = rule::arg_reduction_axis_exceeds,
                .fact = "R067",
                .level = severity::reject,
                .ops = {op::arg_max, op::arg_min},
                .sentence = "the reduced axis has {got} elements, indices are exact up to {limit}",
                .reject = "ArgMinMax",
                .advice = "reduce in two levels: which part has the extreme, and where in each part it is",
                .source = "guide chapter 17",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const extents& x = s.operand(0).shape;
                    return at_most(x[normalized_axis(s.n.get<axis>().index, x.rank)], s.t.limits.arg_reduction_axis);
                }},
    rule_record{.id = rule::reduced_axis_exceeds_four,
                .fact = "R070",
                .level = severity::reject,
                .ops = ops_of(op_group::reduction),
                .sentence = "reduces axis {got}, the last is {limit}",
                .reject = "Reduction layer can only have one bottom",
                .advice = "reshape to rank 5 or less",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding {
                    const indices& list = s.n.get<axes>().list;
                    for (int i = 0; i < list.rank; ++i) {
                        if (list[i] > 4) {
                            return {true, list[i], 4};
                        }
                    }
                    return {};
                }},
    // OC18: the capability byte says A14, the form was measured unfused on M1, M2 and M5. Lowering writes both steps.
    rule_record{.id = rule::square_and_sum_are_not_fused,
                .fact = "R071",
                .level = severity::note,
                .ops = {op::reduce_sum_square},
                .sentence = "is done in two steps: the squares are rounded to fp16 before they are added",
                .reject = "square operation after reduction is not supported",
                .consequence = "one more rounding, within one ulp",
                .advice = "",
                .source = "guide chapters 12 and 17",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return holds_if(s.t.has.square_after_reduction); }},
    rule_record{.id = rule::cumulated_axis_is_not_the_last,
                .fact = "R125",
                .level = severity::reject,
                .ops = {op::cumsum},
                .sentence = "sums along axis {got}, only the last ({limit}) works",
                .reject = "cumsum: only the last axis is supported",
                .advice = "transpose the axis to the last place first",
                .source = "ANEForge",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const int rank = s.n.shape.rank;
                    const int along = normalized_axis(s.n.get<cumulation>().axis, rank);
                    return holds_if(along == rank - 1, along, rank - 1);
                }},
};

} // namespace ane::rules
