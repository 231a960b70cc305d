#pragma once

#include "mil_ast.hpp"
#include <anemone/graph/op.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace ane::standin {

/// What the executor does for an operation.
enum class action {
    unary,
    binary,
    comparison,
    logical_not,
    select,
    per_channel,
    convolution,
    transposed_convolution,
    matmul,
    pool,
    softmax,
    reduce,
    batch_norm,
    standardize,
    response_norm,
    attention,
    reshape,
    transpose,
    concat,
    split,
    slice,
    rearrange,
    pad,
    cast,
    resize,
    affine_map,
    quantize,
    dequantize,
    top_k,
    affine_weight,
    palette_weight,
    sparse_weight,
    blockwise_weight,
    sparse_palette_weight,
    sparse_blockwise_weight
};

/// What an argument must be.
enum class role {
    tensor,   ///< fp16 of any source
    numbers,  ///< of any type that a cast takes
    bytes,    ///< int8 or uint8
    booleans, ///< bool, of any source
    tensors,  ///< a tuple of fp16 tensors
    real,     ///< constant fp16 scalar
    vector,   ///< constant fp16 tensor of rank 1
    constant, ///< constant fp16 tensor
    integer,  ///< constant int32 scalar
    natural,  ///< constant uint32 scalar
    integers, ///< constant int32 tensor of rank 1
    matrix,   ///< constant int32 tensor of rank 2
    flag,     ///< constant bool scalar
    flags,    ///< constant bool tensor of rank 1
    word,     ///< constant string
    packed    ///< constant of a weight storage type; the operation checks which
};

struct parameter {
    std::string_view name;
    role is = role::tensor;
    bool required = true;
};

struct signature {
    std::string_view name;
    action act = action::unary;
    op kind = op::relu; ///< which kernel, where the action has several
    std::array<parameter, 9> storage{};
    std::size_t count = 0;
    bool in_attributes = false; ///< operands are written in the attribute brackets

    constexpr std::span<const parameter> parameters() const { return {storage.data(), count}; }
};

namespace detail {
template <std::size_t N>
constexpr signature make(std::string_view name, action act, op kind, const parameter (&list)[N],
                         bool attributes = false) {
    signature result{name, act, kind, {}, N, attributes};
    for (std::size_t i = 0; i < N; ++i) {
        result.storage[i] = list[i];
    }
    return result;
}

inline constexpr parameter x{"x", role::tensor};
constexpr signature unary(std::string_view name, op kind) { return make(name, action::unary, kind, {x}); }
constexpr signature binary(std::string_view name, op kind) {
    return make(name, action::binary, kind, {x, {"y", role::tensor}});
}
constexpr signature with_alpha(std::string_view name, op kind) {
    return make(name, action::unary, kind, {x, {"alpha", role::real}});
}
constexpr signature with_alpha_and_beta(std::string_view name, op kind) {
    return make(name, action::unary, kind, {x, {"alpha", role::real}, {"beta", role::real}});
}
constexpr signature comparison(std::string_view name, op kind) {
    return make(name, action::comparison, kind, {x, {"y", role::tensor}});
}
constexpr signature blocks(std::string_view name, op kind, std::string_view factor) {
    return make(name, action::rearrange, kind, {x, {factor, role::integer}});
}
constexpr signature maximum_pool(std::string_view name, op kind) {
    return make(name, action::pool, kind,
                {x,
                 {"kernel_sizes", role::integers},
                 {"strides", role::integers},
                 {"pad_type", role::word},
                 {"pad", role::integers},
                 {"ceil_mode", role::flag}});
}
constexpr signature reduce(std::string_view name, op kind) {
    return make(name, action::reduce, kind, {x, {"axes", role::integers}, {"keep_dims", role::flag}});
}
constexpr signature convolution(std::string_view name, action act, op kind) {
    return make(name, act, kind,
                {x,
                 {"weight", role::tensor},
                 {"strides", role::integers},
                 {"pad_type", role::word},
                 {"pad", role::integers},
                 {"dilations", role::integers},
                 {"groups", role::integer}});
}
} // namespace detail

/// The operations of the stand-in and their arguments (facts: mil-ops, sections 6 and 7). Every argument must be
/// written: the real text reader does not fill in the public defaults of some.
inline constexpr std::array signatures = {
    detail::unary("relu", op::relu),
    detail::unary("relu6", op::relu6),
    detail::unary("sigmoid", op::sigmoid),
    detail::unary("tanh", op::tanh),
    detail::unary("silu", op::silu),
    detail::unary("exp", op::exp),
    detail::unary("sqrt", op::sqrt),
    detail::unary("abs", op::abs),
    detail::unary("softplus", op::softplus),
    detail::unary("softsign", op::softsign),
    detail::unary("erf", op::erf),
    detail::unary("exp2", op::exp2),
    detail::unary("sign", op::sign),
    detail::unary("ceil", op::ceil),
    detail::unary("floor", op::floor),
    detail::unary("round", op::round),
    detail::unary("sin", op::sin),
    detail::unary("cos", op::cos),
    detail::unary("atan", op::atan),
    detail::with_alpha("leaky_relu", op::leaky_relu),
    detail::with_alpha("elu", op::elu),
    detail::with_alpha("thresholded_relu", op::thresholded_relu),
    detail::with_alpha_and_beta("clip", op::clamp),
    detail::with_alpha_and_beta("clamped_relu", op::clamped_relu),
    detail::with_alpha_and_beta("sigmoid_hard", op::hard_sigmoid),
    detail::with_alpha_and_beta("scaled_tanh", op::scaled_tanh),
    detail::make("inverse", action::unary, op::inverse, {detail::x, {"epsilon", role::real}}),
    detail::make("gelu", action::unary, op::gelu, {detail::x, {"mode", role::word}}),
    detail::make("log", action::unary, op::log, {detail::x, {"epsilon", role::real}}),
    detail::make("rsqrt", action::unary, op::rsqrt, {detail::x, {"epsilon", role::real}}),
    detail::binary("add", op::add),
    detail::binary("sub", op::sub),
    detail::binary("mul", op::mul),
    detail::binary("real_div", op::div),
    detail::binary("maximum", op::maximum),
    detail::binary("minimum", op::minimum),
    detail::binary("pow", op::pow),
    detail::binary("floor_div", op::floor_div),
    detail::comparison("equal", op::equal),
    detail::comparison("not_equal", op::not_equal),
    detail::comparison("greater", op::greater),
    detail::comparison("greater_equal", op::greater_equal),
    detail::comparison("less", op::less),
    detail::comparison("less_equal", op::less_equal),
    detail::make("logical_not", action::logical_not, op::logical_not, {{"x", role::booleans}}),
    detail::make("select", action::select, op::select,
                 {{"cond", role::booleans}, {"a", role::tensor}, {"b", role::tensor}}),
    detail::make("prelu", action::per_channel, op::prelu, {detail::x, {"alpha", role::vector}}),
    detail::make("softplus_parametric", action::per_channel, op::parametric_softplus,
                 {detail::x, {"alpha", role::vector}, {"beta", role::vector}}),
    detail::convolution("conv", action::convolution, op::conv2d),
    detail::convolution("conv_transpose", action::transposed_convolution, op::conv_transpose2d),
    detail::make("matmul", action::matmul, op::matmul,
                 {detail::x, {"y", role::tensor}, {"transpose_x", role::flag}, {"transpose_y", role::flag}}),
    detail::maximum_pool("max_pool", op::max_pool),
    detail::maximum_pool("l2_pool", op::l2_pool),
    detail::make("avg_pool", action::pool, op::avg_pool,
                 {detail::x,
                  {"kernel_sizes", role::integers},
                  {"strides", role::integers},
                  {"pad_type", role::word},
                  {"pad", role::integers},
                  {"ceil_mode", role::flag},
                  {"exclude_padding_from_average", role::flag}}),
    detail::make("softmax", action::softmax, op::softmax, {detail::x, {"axis", role::integer}}),
    detail::reduce("reduce_sum", op::reduce_sum),
    detail::reduce("reduce_mean", op::reduce_mean),
    detail::reduce("reduce_max", op::reduce_max),
    detail::reduce("reduce_min", op::reduce_min),
    detail::reduce("reduce_sum_square", op::reduce_sum_square),
    detail::reduce("reduce_l1_norm", op::reduce_l1_norm),
    detail::reduce("reduce_l2_norm", op::reduce_l2_norm),
    detail::reduce("reduce_log_sum", op::reduce_log_sum),
    detail::reduce("reduce_log_sum_exp", op::reduce_log_sum_exp),
    detail::make("local_response_norm", action::response_norm, op::local_response_norm,
                 {detail::x, {"size", role::integer}, {"alpha", role::real}, {"beta", role::real}, {"k", role::real}}),
    detail::make("instance_norm", action::standardize, op::instance_norm,
                 {detail::x, {"gamma", role::vector}, {"beta", role::vector}, {"epsilon", role::real}}),
    detail::make("layer_norm", action::standardize, op::layer_norm,
                 {detail::x,
                  {"axes", role::integers},
                  {"gamma", role::vector},
                  {"beta", role::vector},
                  {"epsilon", role::real}}),
    detail::make(
        "scaled_dot_product_attention", action::attention, op::attention,
        {{"query", role::tensor}, {"key", role::tensor}, {"value", role::tensor}, {"attn_mask", role::tensor, false}}),
    detail::make("batch_norm", action::batch_norm, op::batch_norm,
                 {detail::x,
                  {"mean", role::vector},
                  {"variance", role::vector},
                  {"gamma", role::vector},
                  {"beta", role::vector},
                  {"epsilon", role::real}}),
    detail::make("reshape", action::reshape, op::reshape, {detail::x, {"shape", role::integers}}),
    detail::make("squeeze", action::reshape, op::reshape, {detail::x, {"axes", role::integers}}),
    detail::make("expand_dims", action::reshape, op::reshape, {detail::x, {"axes", role::integers}}),
    detail::make("transpose", action::transpose, op::transpose, {detail::x, {"perm", role::integers}}),
    detail::make("concat", action::concat, op::concat,
                 {{"values", role::tensors}, {"axis", role::integer}, {"interleave", role::flag}}),
    detail::make("split", action::split, op::slice,
                 {detail::x, {"num_splits", role::integer}, {"axis", role::integer}}),
    detail::make("slice_by_size", action::slice, op::slice,
                 {detail::x, {"begin", role::integers}, {"size", role::integers}}),
    detail::make("pad", action::pad, op::pad,
                 {detail::x, {"pad", role::integers}, {"mode", role::word}, {"constant_val", role::real}}),
    detail::make("cast", action::cast, op::cast, {{"x", role::numbers}, {"dtype", role::word}}),
    detail::make("slice_by_index", action::rearrange, op::strided_slice,
                 {detail::x,
                  {"begin", role::integers},
                  {"end", role::integers},
                  {"stride", role::integers},
                  {"begin_mask", role::flags},
                  {"end_mask", role::flags},
                  {"squeeze_mask", role::flags}}),
    detail::make("tile", action::rearrange, op::tile, {detail::x, {"reps", role::integers}}),
    detail::make("reverse", action::rearrange, op::reverse, {detail::x, {"axes", role::integers}}),
    detail::blocks("pixel_shuffle", op::pixel_shuffle, "upscale_factor"),
    detail::make("pixel_unshuffle", action::rearrange, op::pixel_unshuffle,
                 {detail::x, {"downscale_factor", role::natural}}),
    detail::blocks("depth_to_space", op::depth_to_space, "block_size"),
    detail::blocks("space_to_depth", op::space_to_depth, "block_size"),
    detail::make("space_to_batch", action::rearrange, op::space_to_batch,
                 {detail::x, {"block_shape", role::integers}, {"paddings", role::matrix}}),
    detail::make("batch_to_space", action::rearrange, op::batch_to_space,
                 {detail::x, {"block_shape", role::integers}, {"crops", role::matrix}}),
    detail::make("upsample_nearest_neighbor", action::resize, op::resize,
                 {detail::x, {"scale_factor_height", role::integer}, {"scale_factor_width", role::integer}}),
    detail::make("resize_nearest_neighbor", action::resize, op::resize,
                 {detail::x, {"target_size_height", role::integer}, {"target_size_width", role::integer}}),
    detail::make("resize_bilinear", action::resize, op::resize,
                 {detail::x,
                  {"target_size_height", role::integer},
                  {"target_size_width", role::integer},
                  {"sampling_mode", role::word}}),
    detail::make("affine", action::affine_map, op::affine,
                 {detail::x,
                  {"transform_matrix", role::constant},
                  {"output_height", role::integer},
                  {"output_width", role::integer},
                  {"sampling_mode", role::word},
                  {"padding_mode", role::word},
                  {"padding_value", role::real},
                  {"coordinates_mode", role::word},
                  {"align_corners", role::flag}}),
    detail::make("quantize", action::quantize, op::quantize,
                 {{"input", role::tensor},
                  {"zero_point", role::packed, false},
                  {"scale", role::constant},
                  {"axis", role::integer, false},
                  {"output_dtype", role::word}}),
    detail::make("dequantize", action::dequantize, op::dequantize,
                 {{"input", role::bytes},
                  {"zero_point", role::packed, false},
                  {"scale", role::constant},
                  {"axis", role::integer, false}}),
    detail::make("topk", action::top_k, op::top_k,
                 {detail::x,
                  {"k", role::integer},
                  {"axis", role::integer},
                  {"ascending", role::flag},
                  {"sort", role::flag},
                  {"return_indices", role::flag},
                  {"output_indices_dtype", role::word}}),
    detail::make("constexpr_affine_dequantize", action::affine_weight, op::constant,
                 {{"quantized_data", role::packed},
                  {"zero_point", role::packed},
                  {"scale", role::constant},
                  {"axis", role::integer}},
                 true),
    detail::make("constexpr_lut_to_dense", action::palette_weight, op::constant,
                 {{"indices", role::packed}, {"lut", role::constant}, {"vector_axis", role::integer, false}}),
    detail::make("constexpr_sparse_to_dense", action::sparse_weight, op::constant,
                 {{"nonzero_data", role::vector}, {"mask", role::packed}}),
    detail::make("constexpr_blockwise_shift_scale", action::blockwise_weight, op::constant,
                 {{"data", role::packed}, {"scale", role::constant}, {"offset", role::packed, false}}),
    detail::make("constexpr_lut_to_sparse", action::sparse_palette_weight, op::constant,
                 {{"indices_mask", role::packed},
                  {"indices_nonzero_data", role::packed},
                  {"lut", role::constant},
                  {"vector_axis", role::integer, false}}),
    detail::make("constexpr_sparse_blockwise_shift_scale", action::sparse_blockwise_weight, op::constant,
                 {{"data_mask", role::packed},
                  {"nonzero_data", role::packed},
                  {"scale", role::constant},
                  {"offset", role::packed, false}}),
};

inline const signature* signature_of(std::string_view operation) {
    for (const signature& known : signatures) {
        if (known.name == operation) {
            return &known;
        }
    }
    return nullptr;
}

} // namespace ane::standin
