#pragma once

#include "../graph/op.hpp"

#include <string_view>

namespace ane {

/// How one operation is written in a netplist: the unit that computes it, and its variant.
struct netplist_form {
    op kind;
    std::string_view unit;
    std::string_view variant;
};

/// The operations of a lowered graph that are written as a unit. Facts: netplist-units. What is missing here is
/// refused; cast, because the keys of Quant and DeQuant are not known and no other unit is known to change an element
/// type. Which of the two gelu forms the GELU unit computes is not stated.
inline constexpr netplist_form netplist_vocabulary[] = {
    {op::conv2d, "Conv", "Conv"},
    {op::conv_transpose2d, "Conv", "DeConv"},
    {op::matmul, "MatrixMultiplication", ""},
    {op::add, "ElementWise", "Add"},
    {op::sub, "ElementWise", "Sub"},
    {op::mul, "ElementWise", "Mult"},
    {op::div, "ElementWise", "Mult"},
    {op::minimum, "ElementWise", "Min"},
    {op::maximum, "ElementWise", "Max"},
    {op::relu, "Neuron", "ReLU"},
    {op::relu6, "Neuron", "ClampedReLU"},
    {op::leaky_relu, "Neuron", "LeakyReLU"},
    {op::clamp, "Neuron", "ClampedReLU"},
    {op::sigmoid, "Neuron", "SigmoidHighPrecision"},
    {op::tanh, "Neuron", "Tanh"},
    {op::gelu, "Neuron", "GELU"},
    {op::silu, "Neuron", "SigmoidHighPrecision"},
    {op::exp, "Neuron", "Exp2"},
    {op::log, "Neuron", "Log2"},
    {op::log2, "Neuron", "Log2"},
    {op::sqrt, "Neuron", "Sqrt"},
    {op::rsqrt, "Neuron", "Rsqrt"},
    {op::abs, "ElementWise", "Abs"},
    {op::max_pool, "Pooling", "Max"},
    {op::avg_pool, "Pooling", "Avg"},
    {op::softmax, "Softmax", ""},
    {op::reduce_sum, "Reduction", "Sum"},
    {op::reduce_mean, "Reduction", "Avg"},
    {op::reduce_max, "Reduction", "Max"},
    {op::reduce_min, "Reduction", "Min"},
    {op::arg_max, "ArgMinMax", "Max"},
    {op::arg_min, "ArgMinMax", "Min"},
    {op::reshape, "Reshape", ""},
    {op::transpose, "Transpose", ""},
    {op::concat, "Concat", ""},
    {op::slice, "InputView", ""},
    {op::pad, "Concat", ""},
};

/// The netplist form of an operation, or null where none is known.
constexpr const netplist_form* find_netplist_form(op kind) noexcept {
    for (const netplist_form& form : netplist_vocabulary) {
        if (form.kind == kind) {
            return &form;
        }
    }
    return nullptr;
}

} // namespace ane
