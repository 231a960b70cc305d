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
    convolution,
    transposed_convolution,
    matmul,
    pool,
    softmax,
    reduce,
    batch_norm,
    reshape,
    transpose,
    concat,
    split,
    slice,
    pad,
    cast,
    affine_weight,
    palette_weight,
    sparse_weight,
    blockwise_weight
};

/// What an argument must be.
enum class role {
    tensor,   ///< fp16 of any source
    image,    ///< uint8 or fp16
    tensors,  ///< a tuple of fp16 tensors
    real,     ///< constant fp16 scalar
    vector,   ///< constant fp16 tensor of rank 1
    constant, ///< constant fp16 tensor
    integer,  ///< constant int32 scalar
    integers, ///< constant int32 tensor of rank 1
    flag,     ///< constant bool scalar
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
    std::array<parameter, 8> storage{};
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
    detail::make("leaky_relu", action::unary, op::leaky_relu, {detail::x, {"alpha", role::real}}),
    detail::make("clip", action::unary, op::clamp, {detail::x, {"alpha", role::real}, {"beta", role::real}}),
    detail::make("gelu", action::unary, op::gelu, {detail::x, {"mode", role::word}}),
    detail::make("log", action::unary, op::log, {detail::x, {"epsilon", role::real}}),
    detail::make("rsqrt", action::unary, op::rsqrt, {detail::x, {"epsilon", role::real}}),
    detail::binary("add", op::add),
    detail::binary("sub", op::sub),
    detail::binary("mul", op::mul),
    detail::binary("real_div", op::div),
    detail::binary("maximum", op::maximum),
    detail::binary("minimum", op::minimum),
    detail::convolution("conv", action::convolution, op::conv2d),
    detail::convolution("conv_transpose", action::transposed_convolution, op::conv_transpose2d),
    detail::make("matmul", action::matmul, op::matmul,
                 {detail::x, {"y", role::tensor}, {"transpose_x", role::flag}, {"transpose_y", role::flag}}),
    detail::make("max_pool", action::pool, op::max_pool,
                 {detail::x,
                  {"kernel_sizes", role::integers},
                  {"strides", role::integers},
                  {"pad_type", role::word},
                  {"pad", role::integers},
                  {"ceil_mode", role::flag}}),
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
    detail::make("cast", action::cast, op::cast, {{"x", role::image}, {"dtype", role::word}}),
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
