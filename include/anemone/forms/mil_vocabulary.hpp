#pragma once

#include "../base/way.hpp"
#include "../graph/op.hpp"

#include <array>
#include <string_view>

namespace ane::inline ANEMONE_WAY {

/// How one operation is written in MIL text: its name there, the arguments that its operands become, and the names of
/// its attributes' members. Facts: mil-ops, sections 3 and 6.
struct mil_form {
    op kind;
    std::string_view name;
    std::array<std::string_view, 2> operands;
    /// The MIL argument for each member of the attribute struct, in the struct's order.
    std::array<std::string_view, 5> members;
    /// A further argument with a fixed text value, such as pad_type = "custom".
    std::string_view fixed_argument;
    std::string_view fixed_value;
};

/// The operations of a lowered graph that are written as MIL. What is missing here is refused: of arg_max and arg_min
/// the engine's compiler itself answers `Not implemented` (mil-ops section 8, conflict OC9).
inline constexpr mil_form mil_vocabulary[] = {
    {op::conv2d, "conv", {"x", "weight"}, {"strides", "dilations", "pad", "groups"}, "pad_type", "custom"},
    {op::conv_transpose2d,
     "conv_transpose",
     {"x", "weight"},
     {"strides", "dilations", "pad", "groups"},
     "pad_type",
     "custom"},
    {op::matmul, "matmul", {"x", "y"}, {"transpose_x", "transpose_y"}, "", ""},
    {op::add, "add", {"x", "y"}, {}, "", ""},
    {op::sub, "sub", {"x", "y"}, {}, "", ""},
    {op::mul, "mul", {"x", "y"}, {}, "", ""},
    {op::div, "real_div", {"x", "y"}, {}, "", ""},
    {op::minimum, "minimum", {"x", "y"}, {}, "", ""},
    {op::maximum, "maximum", {"x", "y"}, {}, "", ""},
    {op::relu, "relu", {"x"}, {}, "", ""},
    {op::relu6, "relu6", {"x"}, {}, "", ""},
    {op::leaky_relu, "leaky_relu", {"x"}, {"alpha", ""}, "", ""},
    {op::clamp, "clip", {"x"}, {"alpha", "beta"}, "", ""},
    {op::sigmoid, "sigmoid", {"x"}, {}, "", ""},
    {op::tanh, "tanh", {"x"}, {}, "", ""},
    {op::gelu, "gelu", {"x"}, {}, "mode", "EXACT"},
    {op::silu, "silu", {"x"}, {}, "", ""},
    {op::exp, "exp", {"x"}, {}, "", ""},
    {op::log, "log", {"x"}, {"epsilon", ""}, "", ""},
    {op::sqrt, "sqrt", {"x"}, {}, "", ""},
    {op::rsqrt, "rsqrt", {"x"}, {"epsilon", ""}, "", ""},
    {op::abs, "abs", {"x"}, {}, "", ""},
    {op::max_pool, "max_pool", {"x"}, {"kernel_sizes", "strides", "pad", "ceil_mode", ""}, "pad_type", "custom"},
    {op::avg_pool,
     "avg_pool",
     {"x"},
     {"kernel_sizes", "strides", "pad", "ceil_mode", "exclude_padding_from_average"},
     "pad_type",
     "custom"},
    {op::softmax, "softmax", {"x"}, {"axis"}, "", ""},
    {op::reduce_sum, "reduce_sum", {"x"}, {"axes"}, "", ""},
    {op::reduce_mean, "reduce_mean", {"x"}, {"axes"}, "", ""},
    {op::reduce_max, "reduce_max", {"x"}, {"axes"}, "", ""},
    {op::reduce_min, "reduce_min", {"x"}, {"axes"}, "", ""},
    {op::reshape, "reshape", {"x"}, {}, "", ""},
    {op::transpose, "transpose", {"x"}, {"perm"}, "", ""},
    {op::concat, "concat", {}, {"axis"}, "", ""},
    {op::slice, "slice_by_size", {"x"}, {"begin", "size"}, "", ""},
    {op::pad, "pad", {"x", "constant_val"}, {}, "mode", "constant"},
    {op::cast, "cast", {"x"}, {}, "dtype", "fp16"},
};

/// The MIL form of an operation, or null where none is written.
constexpr const mil_form* find_mil_form(op kind) {
    for (const mil_form& form : mil_vocabulary) {
        if (form.kind == kind) {
            return &form;
        }
    }
    return nullptr;
}

} // namespace ane::inline ANEMONE_WAY
