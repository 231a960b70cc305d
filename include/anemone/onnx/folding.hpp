#pragma once

#include "dequantized.hpp"
#include "fold_arithmetic.hpp"
#include "fold_movement.hpp"
#include "fold_sources.hpp"

/// Operators on constants, computed while reading: a function for each in one table. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

ANEMONE_INLINE const converter_table& folding_table() {
    using cell = node_call;
    static const converter_table table{
        {"Add", fold_two<op::add>},
        {"Sub", fold_two<op::sub>},
        {"Mul", fold_two<op::mul>},
        {"Div", [](cell& c) { return fold_pair(c, folding::quotient()); }},
        {"Mod", fold_modulo},
        {"Pow", fold_power},
        {"Max", [](cell& c) { return fold_several(c, folding::pair_function_of(op::maximum)); }},
        {"Min", [](cell& c) { return fold_several(c, folding::pair_function_of(op::minimum)); }},
        {"Sum", [](cell& c) { return fold_several(c, folding::pair_function_of(op::add)); }},
        {"Equal", fold_condition<op::equal>},
        {"Greater", fold_condition<op::greater>},
        {"GreaterOrEqual", fold_condition<op::greater_equal>},
        {"Less", fold_condition<op::less>},
        {"LessOrEqual", fold_condition<op::less_equal>},
        {"And", fold_condition<op::logical_and>},
        {"Or", fold_condition<op::logical_or>},
        {"Xor", fold_condition<op::logical_xor>},
        {"Not", [](cell& c) { return fold_function(c, folding::function_of(op::logical_not), element_type::boolean); }},
        {"Neg", [](cell& c) { return fold_function(c, folding::negation()); }},
        {"Abs", fold_one<op::abs>},
        {"Sqrt", fold_one<op::sqrt>},
        {"Exp", fold_one<op::exp>},
        {"Log", fold_one<op::log>},
        {"Sin", fold_one<op::sin>},
        {"Cos", fold_one<op::cos>},
        {"Floor", fold_one<op::floor>},
        {"Ceil", fold_one<op::ceil>},
        {"Reciprocal", fold_one<op::inverse>},
        {"Round", [](cell& c) { return fold_function(c, folding::nearest_even()); }},
        {"Identity", [](cell& c) { return results{c.known(0)}; }},
        {"Cast", fold_cast},
        {"CastLike", fold_cast},
        {"Where", fold_where},
        {"Reshape", fold_shape_change},
        {"Flatten", fold_shape_change},
        {"Squeeze", fold_shape_change},
        {"Unsqueeze", fold_shape_change},
        {"Transpose", fold_transpose},
        {"Concat", fold_concat},
        {"Slice", fold_slice},
        {"Gather", fold_gather},
        {"Expand", fold_expand},
        {"Tile", fold_tile},
        {"Split", fold_split},
        {"ReduceSum", [](cell& c) { return fold_reduction(c, folding::sums()); }},
        {"ReduceMean", [](cell& c) { return fold_reduction(c, folding::sums(), true); }},
        {"ReduceProd", [](cell& c) { return fold_reduction(c, folding::products()); }},
        {"ReduceMax", [](cell& c) { return fold_reduction(c, folding::maxima()); }},
        {"ReduceMin", [](cell& c) { return fold_reduction(c, folding::minima()); }},
        {"ConstantOfShape", fold_constant_of_shape},
        {"Range", fold_range},
        {"NonZero", fold_nonzero},
        {"Trilu", fold_trilu},
        {"ScatterND", fold_scatter_nd},
        {"DequantizeLinear", fold_dequantize},
    };
    return table;
}

} // namespace ane::onnx::inline ANEMONE_WAY
