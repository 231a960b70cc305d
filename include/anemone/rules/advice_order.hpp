#pragma once

#include "rule.hpp"

#include <array>
#include <string_view>

/// Findings of one layer whose advice excludes each other: which of the two is mended first.
namespace ane::rules {

/// What the rules `second` advise waits for what one of `first` advises, where a layer breaks both.
struct advice_order {
    rule_set first;
    rule_set second;
    std::string_view why; ///< what to mend first, and why, as the end of a sentence
};

inline constexpr std::array advice_orders{
    advice_order{.first = {rule::kernel_width_exceeds, rule::kernel_height_exceeds},
                 .second = {rule::stride_does_not_factor, rule::stride_is_not_native},
                 .why =
                     "the size of the kernel: frames take any stride, and another stride leaves the kernel too large"},
    advice_order{.first = {rule::kernel_width_exceeds, rule::kernel_height_exceeds},
                 .second = {rule::large_kernel_is_not_a_multiple_of_eight},
                 .why = "the size of the kernel: padded with zeros it is larger, and its parts may be small ones"},
    advice_order{.first = {rule::tensor_width_exceeds},
                 .second = {rule::kernel_width_exceeds},
                 .why = "the width of the image: with the axes swapped it is a height that is as long"},
    advice_order{.first = {rule::contraction_may_reach_ceiling, rule::int8_activation_may_saturate,
                           rule::sum_of_codes_may_reach_ceiling},
                 .second = {rule::subnormal_operand_is_zero, rule::products_are_near_the_quantum},
                 .why = "the overflow: what scales an operand up brings it nearer; narrower promises, or the sum in "
                        "parts, leave room for both"},
    advice_order{.first = {rule::value_may_leave_half_precision},
                 .second = {rule::signed_sum_is_long},
                 .why = "the overflow: a product with ones ends at 32768 already"},
    advice_order{.first = {rule::inner_value_may_leave_half_precision},
                 .second = {rule::epsilon_becomes_zero},
                 .why = "the overflow: an epsilon is chosen for the operand as it is scaled"},
};

} // namespace ane::rules
