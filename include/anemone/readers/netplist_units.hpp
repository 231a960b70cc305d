#pragma once

#include "../base/way.hpp"
#include "netplist_units_axes.hpp"
#include "netplist_units_convolution.hpp"
#include "netplist_units_elementwise.hpp"
#include "netplist_units_movement.hpp"
#include "netplist_units_native.hpp"

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

inline constexpr std::string_view unknown_keys = "has keys that are not known";
inline constexpr std::string_view unknown_form = "computes something whose exact form is not known";
inline constexpr std::string_view token_only = "is known by its name alone";

/// Every unit of facts netplist-units that has a meaning in the graph, and why the others have none. A unit whose first
/// row has no variant is read whatever its variant is. (A template, because a table would compile all readers wherever
/// it is seen.)
template <class Lazy>
inline constexpr netplist_unit_form netplist_unit_table[] = {
    {"Neuron", "ReLU", read_function, op::relu},
    {"Neuron", "SigmoidHighPrecision", read_function, op::sigmoid},
    {"Neuron", "Sigmoid", read_function, op::sigmoid},
    {"Neuron", "Tanh", read_function, op::tanh},
    {"Neuron", "GELU", read_function, op::gelu},
    {"Neuron", "Sqrt", read_function, op::sqrt},
    {"Neuron", "Rsqrt", read_stabilized, op::rsqrt},
    {"Neuron", "Inv", read_stabilized, op::inverse},
    {"Neuron", "Exp2", read_function, op::exp2},
    {"Neuron", "Log2", read_log2, op::log2},
    {"Neuron", "Sin", read_function, op::sin},
    {"Neuron", "Cos", read_function, op::cos},
    {"Neuron", "Ceil", read_function, op::ceil},
    {"Neuron", "Floor", read_function, op::floor},
    {"Neuron", "RoundNearest", read_function, op::round},
    {"Neuron", "Sign", read_function, op::sign},
    {"Neuron", "ELU", read_elu, op::elu},
    {"Neuron", "LeakyReLU", read_leaky_relu, op::leaky_relu},
    {"Neuron", "ClampedReLU", read_clamped_relu, op::clamp},
    {"Neuron", "Erf", read_function, op::erf},
    {"Neuron", "Sqr", read_function, op::square},
    {"Neuron", "Swish", read_function, op::silu},
    {"Neuron", "Trunc", read_trunc},
    {"Neuron", "ReLUN", nullptr, op::identity, unknown_form},
    {"Neuron", "Degamma", nullptr, op::identity, unknown_form},
    {"Neuron", "Dirac", nullptr, op::identity, unknown_form},
    {"ElementWise", "Add", read_binary, op::add},
    {"ElementWise", "Mult", read_binary, op::mul},
    {"ElementWise", "Sub", read_binary, op::sub},
    {"ElementWise", "Min", read_binary, op::minimum},
    {"ElementWise", "Max", read_binary, op::maximum},
    {"ElementWise", "Power", read_binary, op::pow},
    {"ElementWise", "Div", read_binary, op::div},
    {"ElementWise", "GreaterThan", read_binary, op::greater},
    {"ElementWise", "LessThan", read_binary, op::less},
    {"ElementWise", "Equal", read_binary, op::equal},
    {"ElementWise", "NotEqual", read_binary, op::not_equal},
    {"ElementWise", "LessThanEqual", read_binary, op::less_equal},
    {"ElementWise", "GreaterThanEqual", read_binary, op::greater_equal},
    {"ElementWise", "Abs", read_function, op::abs},
    {"ElementWise", "Square", read_function, op::square},
    {"ElementWise", "EqualZero", read_comparison_with_zero, op::equal},
    {"ElementWise", "NotEqualZero", read_comparison_with_zero, op::not_equal},
    {"ElementWise", "LessThanZero", read_comparison_with_zero, op::less},
    {"ElementWise", "LessThanEqualZero", read_comparison_with_zero, op::less_equal},
    {"ElementWise", "GreaterThanEqualZero", read_comparison_with_zero, op::greater_equal},
    {"ElementWise", "GreaterThanZero", read_comparison_with_zero, op::greater},
    {"ScaledElementWise", "Add", read_scaled},
    {"ScaledElementWise", "Min", read_scaled},
    {"ScaledElementWise", "Max", read_scaled},
    {"ScaledElementWise", "Mult", read_scaled},
    {"ScaledElementWise", "SumSquare", nullptr, op::identity, unknown_form},
    {"GOC", "", read_goc},
    {"DynamicGOC", "", read_dynamic_goc, op::add},
    {"Conv", "Conv", read_conv, op::conv2d},
    {"Conv", "DilatedConv", read_conv, op::conv2d},
    {"Conv", "ChannelWiseConv", read_conv, op::conv2d},
    {"Conv", "ChannelWiseDilatedConv", read_conv, op::conv2d},
    {"Conv", "DeConv", read_conv, op::conv_transpose2d},
    {"Conv", "ChannelWiseDeConv", read_conv, op::conv_transpose2d},
    {"MatrixMultiplication", "", read_matmul, op::matmul},
    {"Softmax", "", read_softmax, op::softmax},
    {"Pooling", "Max", read_pool, op::max_pool},
    {"Pooling", "Min", read_pool, op::max_pool},
    {"Pooling", "Avg", read_pool, op::avg_pool},
    {"Pooling", "L2", read_pool, op::l2_pool},
    {"Pooling", "L1", nullptr, op::identity, token_only},
    {"Pooling", "ChannelMax", nullptr, op::identity, token_only},
    {"Pooling", "ChannelMin", nullptr, op::identity, token_only},
    {"Pooling", "SpatialAndChannelAvg", nullptr, op::identity, token_only},
    {"Pooling", "SpatialAndChannelMax", nullptr, op::identity, token_only},
    {"Pooling", "SpatialAndChannelMin", nullptr, op::identity, token_only},
    {"Reduction", "Sum", read_reduction, op::reduce_sum},
    {"Reduction", "Avg", read_reduction, op::reduce_mean},
    {"Reduction", "Max", read_reduction, op::reduce_max},
    {"Reduction", "Min", read_reduction, op::reduce_min},
    {"Reduction", "SatSum", nullptr, op::identity, unknown_form},
    {"Reduction", "SatSub", nullptr, op::identity, unknown_form},
    {"Reduction", "ArgMin", nullptr, op::identity, token_only},
    {"Reduction", "ArgMax", nullptr, op::identity, token_only},
    {"Reduction", "BitwiseAnd", nullptr, op::identity, "works on bits, which no tensor of the graph has"},
    {"Reduction", "BitwiseOr", nullptr, op::identity, "works on bits, which no tensor of the graph has"},
    {"Reduction", "BitwiseXor", nullptr, op::identity, "works on bits, which no tensor of the graph has"},
    {"Concat", "", read_concat, op::concat},
    {"InputView", "", read_input_view},
    {"Reshape", "", read_reshape},
    {"Transpose", "", read_transpose},
    {"Flatten", "", read_flatten},
    {"Broadcast", "", read_broadcast},
    {"Gather", "", read_gather, op::gather},
    {"DynamicSlice", "", read_dynamic_slice, op::dynamic_slice},
    {"MinMaxNormalization", "", read_minmax_norm, op::minmax_norm},
    {"LocalResponseNormalization", "Channel", read_response_norm, op::local_response_norm},
    {"InstanceNormalization", "", read_instance_norm, op::instance_norm},
    {"Sort", "", read_order},
    {"TopK", "Max", read_order},
    {"TopK", "Min", read_order},
    {"ArgMinMax", "SpatialArgMax", read_arg},
    {"ArgMinMax", "SpatialArgMin", read_arg},
    {"ArgMinMax", "ChannelArgMax", read_arg},
    {"ArgMinMax", "ChannelArgMin", read_arg},
    {"GlobalArgMinMax", "Max", read_global_arg, op::global_arg_max},
    {"GlobalArgMinMax", "Min", read_global_arg, op::global_arg_min},
    {"PixelShuffle", "", read_blocks, op::pixel_shuffle},
    {"PixelUnshuffle", "", read_blocks, op::pixel_unshuffle},
    {"ChannelToSpace", "", read_blocks, op::depth_to_space},
    {"SpaceToChannel", "", read_blocks, op::space_to_depth},
    {"SpaceToBatch", "", read_blocks, op::space_to_batch},
    {"BatchToSpace", "", read_blocks, op::batch_to_space},
    {"SDPA", "", read_attention, op::attention},
    {"CrossCorrelation", "", read_cross_correlation, op::cross_correlation},
    {"CrossProduct", "", read_cross_product, op::cross_product},
    {"CostVolume", "", read_cost_volume, op::cost_volume},
    {"FurthestPointSampling", "", read_furthest_points, op::furthest_point_sampling},
    {"RadiusSearch", "", read_radius_search, op::radius_search},
    {"Dropout", "", read_dropout, op::dropout},
    {"KernelRasterizer", "", nullptr, op::identity, unknown_form},
    {"MatrixDecomposition", "", nullptr, op::identity, unknown_form},
    {"Linear", "", nullptr, op::identity, unknown_keys},
    {"ConstMatrixMatrixMult", "", nullptr, op::identity, unknown_keys},
    {"Unflatten", "", nullptr, op::identity, unknown_keys},
    {"LayerNormalization", "", nullptr, op::identity, unknown_keys},
    {"L2Normalization", "", nullptr, op::identity, unknown_keys},
    {"BatchNorm", "", nullptr, op::identity, unknown_keys},
    {"RandomGenerator", "", nullptr, op::identity, unknown_keys},
    {"Resize", "", nullptr, op::identity, unknown_keys},
    {"ResizeAs", "", nullptr, op::identity, unknown_keys},
    {"Resample", "", nullptr, op::identity, unknown_keys},
    {"CropResize", "", nullptr, op::identity, unknown_keys},
    {"AffineTransform", "", nullptr, op::identity, unknown_keys},
    {"Padding", "", nullptr, op::identity, unknown_keys},
    {"Tile", "", nullptr, op::identity, unknown_keys},
    {"NMS", "", nullptr, op::identity, "never runs on the engine"},
    {"Shape", "", nullptr, op::identity, unknown_keys},
    {"Quant", "", nullptr, op::identity, unknown_keys},
    {"DeQuant", "", nullptr, op::identity, unknown_keys},
    {"RingBufferWriter", "", nullptr, op::identity, "keeps something between runs, which the graph does not"},
    {"RingBufferReader", "", nullptr, op::identity, "keeps something between runs, which the graph does not"},
    {"PlaneReader", "", nullptr, op::identity, unknown_keys},
    {"PlaneWriter", "", nullptr, op::identity, unknown_keys},
    {"NeuronCustom", "", nullptr, op::identity, "has a table of its own, which the graph has not"},
};

/// The row of a unit; without a reader where it is refused. `variants` says whether rows of other variants exist.
struct found_netplist_unit {
    const netplist_unit_form* form = nullptr;
    bool variants = false;
};

template <class Lazy = void> found_netplist_unit find_netplist_unit(std::string_view type, std::string_view variant) {
    found_netplist_unit result;
    for (const netplist_unit_form& form : netplist_unit_table<Lazy>) {
        if (form.type == type) {
            result.variants = true;
            if (form.variant.empty() || form.variant == variant) {
                result.form = &form;
                break;
            }
        }
    }
    return result;
}

} // namespace ane::readers::inline ANEMONE_WAY
