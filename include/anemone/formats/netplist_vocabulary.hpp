#pragma once

#include "../base/way.hpp"
#include "netplist_convolution.hpp"
#include "netplist_elementwise.hpp"
#include "netplist_matmul.hpp"
#include "netplist_movement.hpp"

namespace ane::formats::inline ANEMONE_WAY {

/// The operations of a lowered graph that are written as a unit. Facts: netplist-units. What is missing here is
/// refused; cast, because the keys of Quant and DeQuant are not known and no other unit is known to change an element
/// type. Which of the two gelu forms the GELU unit computes is not stated. (A template, because a table would compile all
/// writers wherever it is seen.)
template <class Lazy>
inline constexpr netplist_form netplist_vocabulary[] = {
    {op::conv2d, "Conv", "Conv", write_conv},
    {op::conv_transpose2d, "Conv", "DeConv", write_conv_transpose},
    {op::matmul, "MatrixMultiplication", "", write_matmul},
    {op::add, "ElementWise", "Add", write_binary},
    {op::sub, "ElementWise", "Sub", write_binary},
    {op::mul, "ElementWise", "Mult", write_binary},
    {op::div, "ElementWise", "Mult", write_div},
    {op::minimum, "ElementWise", "Min", write_binary},
    {op::maximum, "ElementWise", "Max", write_binary},
    {op::relu, "Neuron", "ReLU", write_unary},
    {op::relu6, "Neuron", "ClampedReLU", write_clamp},
    {op::leaky_relu, "Neuron", "LeakyReLU", write_leaky_relu},
    {op::clamp, "Neuron", "ClampedReLU", write_clamp},
    {op::sigmoid, "Neuron", "SigmoidHighPrecision", write_unary},
    {op::tanh, "Neuron", "Tanh", write_unary},
    {op::gelu, "Neuron", "GELU", write_unary},
    {op::silu, "Neuron", "SigmoidHighPrecision", write_silu},
    {op::exp, "Neuron", "Exp2", write_exp},
    {op::log, "Neuron", "Log2", write_log},
    {op::log2, "Neuron", "Log2", write_unary},
    {op::sqrt, "Neuron", "Sqrt", write_unary},
    {op::rsqrt, "Neuron", "Rsqrt", write_rsqrt},
    {op::abs, "ElementWise", "Abs", write_unary},
    {op::max_pool, "Pooling", "Max", write_pool},
    {op::avg_pool, "Pooling", "Avg", write_pool},
    {op::softmax, "Softmax", "", write_softmax},
    {op::reduce_sum, "Reduction", "Sum", write_reduction},
    {op::reduce_mean, "Reduction", "Avg", write_reduction},
    {op::reduce_max, "Reduction", "Max", write_reduction},
    {op::reduce_min, "Reduction", "Min", write_reduction},
    {op::arg_max, "ArgMinMax", "Max", write_arg},
    {op::arg_min, "ArgMinMax", "Min", write_arg},
    {op::reshape, "Reshape", "", write_reshape},
    {op::transpose, "Transpose", "", write_transpose},
    {op::concat, "Concat", "", write_concat},
    {op::slice, "InputView", "", write_slice},
    {op::pad, "Concat", "", write_pad},
};

/// The netplist form of an operation, or null where none is known.
template <class Lazy = void> const netplist_form* find_netplist_form(op kind) {
    for (const netplist_form& form : netplist_vocabulary<Lazy>) {
        if (form.kind == kind) {
            return &form;
        }
    }
    return nullptr;
}

} // namespace ane::formats::inline ANEMONE_WAY
