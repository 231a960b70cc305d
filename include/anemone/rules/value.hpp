#pragma once

#include "movement.hpp"
#include "record.hpp"

#include <array>

/// What may go wrong with values, as far as the declared ranges prove it. Where nothing is declared nothing is said:
/// every range would reach every limit.
namespace ane::rules {

inline constexpr std::array value{
    // The bound adds the magnitudes of all products, so that it holds for every partial sum too.
    rule_record{.id = rule::contraction_may_reach_ceiling,
                .fact = "R056",
                .level = severity::hazard,
                .ops = {op::conv2d, op::conv_transpose2d, op::linear, op::matmul},
                .sentence = "the declared ranges allow sums of {got}, from {limit} on they become infinite",
                .reject = "",
                .advice = "scale the weights or the input, split the sum, or declare narrower ranges",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const interval r = contraction_range(s.g, s.n, s.value_ranges);
                    return holds_if(!r.declared || r.magnitude() < ane::detail::contraction_ceiling,
                                    detail::reported(r.magnitude()),
                                    static_cast<std::int64_t>(ane::detail::contraction_ceiling));
                }},
    rule_record{.id = rule::exponential_may_overflow,
                .fact = "R150",
                .level = severity::hazard,
                .ops = {op::exp},
                .sentence = "the declared range reaches {got}, e^x is infinite from 11.094 on",
                .reject = "",
                .advice = "use softmax, or subtract the maximum first",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .check = [](const subject& s) -> finding {
                    const interval& x = s.operand_range(0);
                    return holds_if(!x.declared || x.high<11.09, x.high> 0 ? detail::reported(x.high) : 0, 11);
                }},
};

} // namespace ane::rules
