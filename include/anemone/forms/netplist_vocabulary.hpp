#pragma once

#include "../graph/op.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane {

/// How a unit is known, best first: a run of it on a device is reported; a file of Apple's converter has it; a builder
/// writes it; a key of it was seen in a writer; or its units are known and that together they are the operation is ours.
enum class unit_evidence : std::uint8_t { runs, real, builder, writer, composed };

constexpr std::string_view name(unit_evidence e) noexcept {
    constexpr std::string_view names[] = {"runs", "real", "builder", "writer", "composed"};
    return names[static_cast<std::size_t>(e)];
}

/// How one operation is written in a netplist: the unit that computes it, or the one that gives a composition its
/// sense, and its variant. Neither for what needs no unit.
struct netplist_form {
    op kind;
    std::string_view unit;
    std::string_view variant;
    unit_evidence evidence;
};

/// The operations of a lowered graph that are written as units. Facts: netplist-units. What is missing here is refused.
/// A cast is one of booleans: comparisons give 1 and 0 as fp16, and no unit with known keys turns bytes into fp16.
/// Attention and the min-max norm are units where `lower(g, {op::attention, op::minmax_norm})` keeps them.
/// Which of the two gelu forms the GELU unit computes is not stated.
inline constexpr netplist_form netplist_vocabulary[] = {
    {op::conv2d, "Conv", "Conv", unit_evidence::real},
    {op::conv_transpose2d, "Conv", "DeConv", unit_evidence::writer},
    {op::matmul, "MatrixMultiplication", "", unit_evidence::builder},
    {op::add, "ElementWise", "Add", unit_evidence::builder},
    {op::sub, "ElementWise", "Sub", unit_evidence::builder},
    {op::mul, "ElementWise", "Mult", unit_evidence::builder},
    {op::div, "ElementWise", "Mult", unit_evidence::composed},
    {op::minimum, "ElementWise", "Min", unit_evidence::builder},
    {op::maximum, "ElementWise", "Max", unit_evidence::builder},
    {op::relu, "Neuron", "ReLU", unit_evidence::builder},
    {op::relu6, "Neuron", "ClampedReLU", unit_evidence::builder},
    {op::leaky_relu, "Neuron", "LeakyReLU", unit_evidence::builder},
    {op::clamp, "Neuron", "ClampedReLU", unit_evidence::builder},
    {op::sigmoid, "Neuron", "SigmoidHighPrecision", unit_evidence::builder},
    {op::tanh, "Neuron", "Tanh", unit_evidence::builder},
    {op::gelu, "Neuron", "GELU", unit_evidence::builder},
    {op::silu, "Neuron", "SigmoidHighPrecision", unit_evidence::composed},
    {op::exp, "Neuron", "Exp2", unit_evidence::composed},
    {op::log, "Neuron", "Log2", unit_evidence::composed},
    {op::log2, "Neuron", "Log2", unit_evidence::builder},
    {op::sqrt, "Neuron", "Sqrt", unit_evidence::builder},
    {op::rsqrt, "Neuron", "Rsqrt", unit_evidence::builder},
    {op::abs, "ElementWise", "Abs", unit_evidence::builder},
    {op::max_pool, "Pooling", "Max", unit_evidence::builder},
    {op::avg_pool, "Pooling", "Avg", unit_evidence::builder},
    {op::softmax, "Softmax", "", unit_evidence::builder},
    {op::reduce_sum, "Reduction", "Sum", unit_evidence::builder},
    {op::reduce_mean, "Reduction", "Avg", unit_evidence::builder},
    {op::reduce_max, "Reduction", "Max", unit_evidence::builder},
    {op::reduce_min, "Reduction", "Min", unit_evidence::builder},
    {op::arg_max, "ArgMinMax", "Max", unit_evidence::runs},
    {op::arg_min, "ArgMinMax", "Min", unit_evidence::runs},
    {op::reshape, "Reshape", "", unit_evidence::real},
    {op::transpose, "Transpose", "", unit_evidence::builder},
    {op::concat, "Concat", "", unit_evidence::real},
    {op::slice, "InputView", "", unit_evidence::runs},
    {op::pad, "Concat", "", unit_evidence::composed},
    {op::pow, "ElementWise", "Mult", unit_evidence::composed},
    {op::floor_div, "Neuron", "Floor", unit_evidence::composed},
    {op::equal, "ElementWise", "Equal", unit_evidence::builder},
    {op::not_equal, "ElementWise", "NotEqual", unit_evidence::builder},
    {op::greater, "ElementWise", "GreaterThan", unit_evidence::builder},
    {op::greater_equal, "ElementWise", "GreaterThan", unit_evidence::composed},
    {op::less, "ElementWise", "LessThan", unit_evidence::builder},
    {op::less_equal, "ElementWise", "LessThan", unit_evidence::composed},
    {op::logical_not, "GOC", "", unit_evidence::composed},
    {op::select, "ElementWise", "Mult", unit_evidence::composed},
    {op::cast, "", "", unit_evidence::composed},
    {op::identity, "", "", unit_evidence::composed},
    {op::thresholded_relu, "ElementWise", "GreaterThan", unit_evidence::composed},
    {op::clamped_relu, "Neuron", "LeakyReLU", unit_evidence::composed},
    {op::elu, "Neuron", "ELU", unit_evidence::builder},
    {op::hard_sigmoid, "Neuron", "ClampedReLU", unit_evidence::composed},
    {op::scaled_tanh, "Neuron", "Tanh", unit_evidence::composed},
    {op::gelu_sigmoid, "Neuron", "SigmoidHighPrecision", unit_evidence::composed},
    {op::softplus, "Neuron", "Log2", unit_evidence::composed},
    {op::softsign, "Neuron", "Inv", unit_evidence::composed},
    {op::erf, "Neuron", "Erf", unit_evidence::writer},
    {op::exp2, "Neuron", "Exp2", unit_evidence::real},
    {op::inverse, "Neuron", "Inv", unit_evidence::builder},
    {op::sign, "Neuron", "Sign", unit_evidence::real},
    {op::ceil, "Neuron", "Ceil", unit_evidence::builder},
    {op::floor, "Neuron", "Floor", unit_evidence::builder},
    {op::round, "Neuron", "RoundNearest", unit_evidence::builder},
    {op::sin, "Neuron", "Sin", unit_evidence::builder},
    {op::cos, "Neuron", "Cos", unit_evidence::builder},
    {op::prelu, "Neuron", "ReLU", unit_evidence::composed},
    {op::parametric_softplus, "Neuron", "Log2", unit_evidence::composed},
    {op::l2_pool, "Pooling", "Avg", unit_evidence::composed},
    {op::local_response_norm, "LocalResponseNormalization", "Channel", unit_evidence::runs},
    {op::global_arg_max, "GlobalArgMinMax", "Max", unit_evidence::runs},
    {op::global_arg_min, "GlobalArgMinMax", "Min", unit_evidence::runs},
    {op::strided_slice, "InputView", "", unit_evidence::composed},
    {op::slice_update, "InputView", "", unit_evidence::composed},
    {op::reflect_pad, "Concat", "", unit_evidence::composed},
    {op::symmetric_pad, "Concat", "", unit_evidence::composed},
    {op::replicate_pad, "Concat", "", unit_evidence::composed},
    {op::tile, "Concat", "", unit_evidence::composed},
    {op::reverse, "Concat", "", unit_evidence::composed},
    {op::gather, "Concat", "", unit_evidence::composed},
    {op::dynamic_slice, "DynamicSlice", "", unit_evidence::runs},
    {op::pixel_shuffle, "PixelShuffle", "", unit_evidence::runs},
    {op::pixel_unshuffle, "PixelUnshuffle", "", unit_evidence::runs},
    {op::depth_to_space, "ChannelToSpace", "", unit_evidence::runs},
    {op::space_to_depth, "SpaceToChannel", "", unit_evidence::runs},
    {op::space_to_batch, "SpaceToBatch", "", unit_evidence::runs},
    {op::batch_to_space, "BatchToSpace", "", unit_evidence::runs},
    {op::resize, "Conv", "ChannelWiseDeConv", unit_evidence::builder},
    {op::top_k, "TopK", "", unit_evidence::runs},
    {op::top_k_indices, "TopK", "", unit_evidence::runs},
    {op::sort, "Sort", "", unit_evidence::runs},
    {op::arg_sort, "Sort", "", unit_evidence::runs},
    {op::dropout, "Dropout", "", unit_evidence::runs},
    {op::scaled_elementwise, "ScaledElementWise", "", unit_evidence::runs},
    {op::cross_correlation, "CrossCorrelation", "", unit_evidence::runs},
    {op::cross_product, "CrossProduct", "", unit_evidence::runs},
    {op::cost_volume, "CostVolume", "", unit_evidence::runs},
    {op::furthest_point_sampling, "FurthestPointSampling", "", unit_evidence::runs},
    {op::attention, "SDPA", "", unit_evidence::runs},
    {op::minmax_norm, "MinMaxNormalization", "", unit_evidence::runs},
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
