#pragma once

#include "../graph/op.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/// What each operation is called in MIL text. Facts: mil-ops, sections 3, 6 and 7.
namespace ane {

/// How the text of an operation is known to be what the engine's compiler takes.
enum class form_evidence : std::uint8_t {
    measured,   ///< a source has run this text
    documented, ///< the operation is known to compile, and these are its public arguments; no accepted text is known
    predicted   ///< the operation is known to compile, in a form that differs from what is written here
};

constexpr std::string_view name(form_evidence e) noexcept {
    constexpr std::string_view names[] = {"measured", "documented", "predicted"};
    return names[static_cast<std::size_t>(e)];
}

/// How one operation is written in MIL text: its name there, the arguments that its operands become, and the names of
/// its attributes' members. Arguments that need more than a name are made in formats/mil_arguments.hpp.
struct mil_form {
    op kind{};
    std::string_view name{};
    form_evidence known = form_evidence::measured;
    std::array<std::string_view, 5> operands{};
    /// The MIL argument for each member of the attribute struct, in the struct's order.
    std::array<std::string_view, 5> members{};
    /// A further argument with a fixed text value, such as pad_type = "custom".
    std::string_view fixed_argument{};
    std::string_view fixed_value{};
};

namespace forms {
inline constexpr form_evidence measured = form_evidence::measured;
inline constexpr form_evidence documented = form_evidence::documented;
inline constexpr form_evidence predicted = form_evidence::predicted;

constexpr mil_form function_of_x(op kind, std::string_view name) { return {kind, name, measured, {"x"}}; }
constexpr mil_form function_of_x_and_y(op kind, std::string_view name) { return {kind, name, measured, {"x", "y"}}; }
constexpr mil_form convolution(op kind, std::string_view name) {
    return {kind, name, measured, {"x", "weight"}, {"strides", "dilations", "pad", "groups"}, "pad_type", "custom"};
}
constexpr mil_form reduction(op kind, std::string_view name) { return {kind, name, measured, {"x"}, {"axes"}}; }
} // namespace forms

/// The operations of a graph that are written as MIL. What is missing here is refused: of arg_max and arg_min, of gather
/// and several others the engine's compiler itself answers `Not implemented` (mil-ops section 8, conflict OC9). Of the
/// symmetric pad no mode is documented, of identity the compiler takes nothing.
inline constexpr mil_form mil_vocabulary[] = {
    forms::convolution(op::conv2d, "conv"),
    forms::convolution(op::conv_transpose2d, "conv_transpose"),
    {op::matmul, "matmul", forms::measured, {"x", "y"}, {"transpose_x", "transpose_y"}},
    forms::function_of_x_and_y(op::add, "add"),
    forms::function_of_x_and_y(op::sub, "sub"),
    forms::function_of_x_and_y(op::mul, "mul"),
    forms::function_of_x_and_y(op::div, "real_div"),
    forms::function_of_x_and_y(op::minimum, "minimum"),
    forms::function_of_x_and_y(op::maximum, "maximum"),
    forms::function_of_x_and_y(op::pow, "pow"),
    {op::floor_div, "floor_div", forms::documented, {"x", "y"}},
    forms::function_of_x_and_y(op::equal, "equal"),
    forms::function_of_x_and_y(op::not_equal, "not_equal"),
    forms::function_of_x_and_y(op::greater, "greater"),
    forms::function_of_x_and_y(op::greater_equal, "greater_equal"),
    forms::function_of_x_and_y(op::less, "less"),
    forms::function_of_x_and_y(op::less_equal, "less_equal"),
    forms::function_of_x(op::logical_not, "logical_not"),
    {op::select, "select", forms::measured, {"cond", "a", "b"}},
    forms::function_of_x(op::relu, "relu"),
    forms::function_of_x(op::relu6, "relu6"),
    {op::leaky_relu, "leaky_relu", forms::measured, {"x"}, {"alpha"}},
    {op::clamp, "clip", forms::measured, {"x"}, {"alpha", "beta"}},
    {op::thresholded_relu, "thresholded_relu", forms::measured, {"x"}, {"alpha"}},
    {op::clamped_relu, "clamped_relu", forms::measured, {"x"}, {"alpha", "beta"}},
    {op::elu, "elu", forms::measured, {"x"}, {"alpha"}},
    forms::function_of_x(op::sigmoid, "sigmoid"),
    {op::hard_sigmoid, "sigmoid_hard", forms::measured, {"x"}, {"alpha", "beta"}},
    forms::function_of_x(op::tanh, "tanh"),
    {op::scaled_tanh, "scaled_tanh", forms::measured, {"x"}, {"alpha", "beta"}},
    {op::gelu, "gelu", forms::measured, {"x"}, {}, "mode", "EXACT"},
    {op::gelu_sigmoid, "gelu", forms::documented, {"x"}, {}, "mode", "SIGMOID_APPROXIMATION"},
    forms::function_of_x(op::silu, "silu"),
    forms::function_of_x(op::softplus, "softplus"),
    forms::function_of_x(op::softsign, "softsign"),
    forms::function_of_x(op::erf, "erf"),
    forms::function_of_x(op::exp, "exp"),
    forms::function_of_x(op::exp2, "exp2"),
    {op::log, "log", forms::measured, {"x"}, {"epsilon"}},
    forms::function_of_x(op::sqrt, "sqrt"),
    {op::rsqrt, "rsqrt", forms::measured, {"x"}, {"epsilon"}},
    {op::inverse, "inverse", forms::measured, {"x"}, {"epsilon"}},
    forms::function_of_x(op::abs, "abs"),
    forms::function_of_x(op::sign, "sign"),
    forms::function_of_x(op::ceil, "ceil"),
    forms::function_of_x(op::floor, "floor"),
    forms::function_of_x(op::round, "round"),
    forms::function_of_x(op::sin, "sin"),
    forms::function_of_x(op::cos, "cos"),
    forms::function_of_x(op::atan, "atan"),
    {op::prelu, "prelu", forms::measured, {"x", "alpha"}},
    {op::parametric_softplus, "softplus_parametric", forms::documented, {"x", "alpha", "beta"}},
    {op::max_pool,
     "max_pool",
     forms::measured,
     {"x"},
     {"kernel_sizes", "strides", "pad", "ceil_mode"},
     "pad_type",
     "custom"},
    {op::avg_pool,
     "avg_pool",
     forms::measured,
     {"x"},
     {"kernel_sizes", "strides", "pad", "ceil_mode", "exclude_padding_from_average"},
     "pad_type",
     "custom"},
    {op::l2_pool,
     "l2_pool",
     forms::documented,
     {"x"},
     {"kernel_sizes", "strides", "pad", "ceil_mode"},
     "pad_type",
     "custom"},
    {op::softmax, "softmax", forms::measured, {"x"}, {"axis"}},
    {op::local_response_norm, "local_response_norm", forms::measured, {"x"}, {"size", "alpha", "beta", "k"}},
    // Of graphs that were lowered with these kept whole.
    {op::batch_norm, "batch_norm", forms::measured, {"x", "mean", "variance", "gamma", "beta"}, {"epsilon"}},
    {op::instance_norm, "instance_norm", forms::measured, {"x", "gamma", "beta"}, {"epsilon"}},
    {op::layer_norm, "layer_norm", forms::documented, {"x", "gamma", "beta"}, {"epsilon"}},
    {op::attention, "scaled_dot_product_attention", forms::documented, {"query", "key", "value", "attn_mask"}},
    forms::reduction(op::reduce_sum_square, "reduce_sum_square"),
    forms::reduction(op::reduce_l1_norm, "reduce_l1_norm"),
    forms::reduction(op::reduce_l2_norm, "reduce_l2_norm"),
    forms::reduction(op::reduce_log_sum, "reduce_log_sum"),
    forms::reduction(op::reduce_log_sum_exp, "reduce_log_sum_exp"),
    forms::reduction(op::reduce_sum, "reduce_sum"),
    forms::reduction(op::reduce_mean, "reduce_mean"),
    forms::reduction(op::reduce_max, "reduce_max"),
    forms::reduction(op::reduce_min, "reduce_min"),
    forms::function_of_x(op::reshape, "reshape"),
    {op::transpose, "transpose", forms::measured, {"x"}, {"perm"}},
    {op::concat, "concat", forms::measured, {}, {"axis"}},
    {op::slice, "slice_by_size", forms::measured, {"x"}, {"begin", "size"}},
    {op::strided_slice, "slice_by_index", forms::documented, {"x"}, {"begin", "stride"}},
    {op::pad, "pad", forms::documented, {"x"}, {}, "mode", "constant"},
    {op::reflect_pad, "pad", forms::documented, {"x"}, {}, "mode", "reflect"},
    {op::replicate_pad, "pad", forms::documented, {"x"}, {}, "mode", "replicate"},
    /// Of bytes measured; of booleans a source says that they go to select and logical_not only.
    {op::cast, "cast", forms::measured, {"x"}, {}, "dtype", "fp16"},
    {op::tile, "tile", forms::measured, {"x"}, {"reps"}},
    {op::reverse, "reverse", forms::measured, {"x"}},
    forms::function_of_x(op::pixel_shuffle, "pixel_shuffle"),
    forms::function_of_x(op::pixel_unshuffle, "pixel_unshuffle"),
    forms::function_of_x(op::depth_to_space, "depth_to_space"),
    forms::function_of_x(op::space_to_depth, "space_to_depth"),
    {op::space_to_batch, "space_to_batch", forms::documented, {"x"}},
    {op::batch_to_space, "batch_to_space", forms::documented, {"x"}},
    /// Or resize_nearest_neighbor or upsample_nearest_neighbor: forms/mil_resize.hpp. Bilinear samples at centres of
    /// pixels are documented only.
    {op::resize, "resize_bilinear", forms::measured, {"x"}},
    {op::affine, "affine", forms::measured, {"x", "transform_matrix"}},
    {op::quantize, "quantize", forms::documented, {"input"}},
    {op::dequantize, "dequantize", forms::documented, {"input"}},
    {op::top_k, "topk", forms::documented, {"x"}, {"k", "axis", "ascending"}},
    /// The second result, as numbers of fp16: that a cast takes its integers is predicted.
    {op::top_k_indices, "topk", forms::predicted, {"x"}, {"k", "axis", "ascending"}},
};

namespace forms {
/// For each operation its place in the vocabulary, or -1: looking one up costs a compiler one step.
inline constexpr auto mil_places = [] {
    std::array<std::int16_t, op_count> places{};
    for (std::int16_t& place : places) {
        place = -1;
    }
    std::int16_t next = 0;
    for (const mil_form& form : mil_vocabulary) {
        places[static_cast<std::size_t>(form.kind)] = next++;
    }
    return places;
}();
} // namespace forms

/// The MIL form of an operation, or null where none is written.
constexpr const mil_form* find_mil_form(op kind) {
    const std::int16_t place = forms::mil_places[static_cast<std::size_t>(kind)];
    return place < 0 ? nullptr : &mil_vocabulary[place];
}

} // namespace ane
