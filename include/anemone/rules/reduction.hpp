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
                .advice = "reduce in two levels",
                .source = "guide chapter 17",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    return at_most(s.operand(0).shape[s.n.get<axis>().index], s.t.limits.arg_reduction_axis);
                }},
    rule_record{.id = rule::reduced_axis_exceeds_four,
                .fact = "R070",
                .level = severity::reject,
                .ops = {op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min},
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
};

} // namespace ane::rules
