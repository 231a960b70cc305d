#pragma once

#include "fold_arithmetic.hpp"
#include "fold_movement.hpp"
#include "fold_sources.hpp"

/// Operators on constants, computed while reading: a function for each in one table. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

ANEMONE_INLINE const converter_table& folding_table() {
    using cell = node_call;
    static const converter_table table{
        {"Add", [](cell& c) { return fold_binary(c, [](double a, double b) { return a + b; }); }},
        {"Sub", [](cell& c) { return fold_binary(c, [](double a, double b) { return a - b; }); }},
        {"Mul", [](cell& c) { return fold_binary(c, [](double a, double b) { return a * b; }); }},
        {"Div", fold_divide},
        {"Mod", fold_modulo},
        {"Pow", [](cell& c) { return fold_binary(c, [](double a, double b) { return std::pow(a, b); }); }},
        {"Max", [](cell& c) { return fold_several(c, [](double a, double b) { return std::max(a, b); }); }},
        {"Min", [](cell& c) { return fold_several(c, [](double a, double b) { return std::min(a, b); }); }},
        {"Sum", [](cell& c) { return fold_several(c, [](double a, double b) { return a + b; }); }},
        {"Equal",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a == b); }, 9);
         }},
        {"Greater",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a > b); }, 9);
         }},
        {"GreaterOrEqual",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a >= b); }, 9);
         }},
        {"Less",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a < b); }, 9);
         }},
        {"LessOrEqual",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a <= b); }, 9);
         }},
        {"And",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a != 0 && b != 0); }, 9);
         }},
        {"Or",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double(a != 0 || b != 0); }, 9);
         }},
        {"Xor",
         [](cell& c) {
             return fold_binary(
                 c, [](double a, double b) { return double((a != 0) != (b != 0)); }, 9);
         }},
        {"Not",
         [](cell& c) {
             return fold_unary(
                 c, [](double a) { return double(a == 0); }, 9);
         }},
        {"Neg", [](cell& c) { return fold_unary(c, [](double a) { return -a; }); }},
        {"Abs", [](cell& c) { return fold_unary(c, [](double a) { return std::abs(a); }); }},
        {"Sqrt", [](cell& c) { return fold_unary(c, [](double a) { return std::sqrt(a); }); }},
        {"Exp", [](cell& c) { return fold_unary(c, [](double a) { return std::exp(a); }); }},
        {"Log", [](cell& c) { return fold_unary(c, [](double a) { return std::log(a); }); }},
        {"Sin", [](cell& c) { return fold_unary(c, [](double a) { return std::sin(a); }); }},
        {"Cos", [](cell& c) { return fold_unary(c, [](double a) { return std::cos(a); }); }},
        {"Floor", [](cell& c) { return fold_unary(c, [](double a) { return std::floor(a); }); }},
        {"Ceil", [](cell& c) { return fold_unary(c, [](double a) { return std::ceil(a); }); }},
        {"Round", [](cell& c) { return fold_unary(c, [](double a) { return std::nearbyint(a); }); }},
        {"Reciprocal", [](cell& c) { return fold_unary(c, [](double a) { return 1 / a; }); }},
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
        {"ReduceSum", [](cell& c) { return fold_reduction(c, 0, [](double a, double b) { return a + b; }); }},
        {"ReduceMean",
         [](cell& c) {
             return fold_reduction(
                 c, 0, [](double a, double b) { return a + b; }, true);
         }},
        {"ReduceProd", [](cell& c) { return fold_reduction(c, 1, [](double a, double b) { return a * b; }); }},
        {"ReduceMax",
         [](cell& c) { return fold_reduction(c, -HUGE_VAL, [](double a, double b) { return std::max(a, b); }); }},
        {"ReduceMin",
         [](cell& c) { return fold_reduction(c, HUGE_VAL, [](double a, double b) { return std::min(a, b); }); }},
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
