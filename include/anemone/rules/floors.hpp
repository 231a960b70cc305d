#pragma once

#include "../graph/op_set.hpp"
#include "../targets/target.hpp"
#include "policy.hpp"

#include <array>
#include <cstddef>
#include <string_view>

/// From which generation an operation runs, and by which routes (guide appendices A and B, chapter 35; the operator
/// sweep of ANEForge). One row for each operation, in their order.
namespace ane {

/// How an operation is found on one generation of Macs.
enum class availability : std::uint8_t {
    native, ///< an instruction or a lowering of the engine's compiler
    bridge, ///< as a layer of the netplist, or folded into another operation
    gated,  ///< from a later generation on
    none    ///< nowhere
};

constexpr std::string_view name(availability a) noexcept {
    constexpr std::string_view names[] = {"native", "bridge", "gated", "none"};
    return names[static_cast<std::size_t>(a)];
}

/// The five generations of Macs that the appendix lists: M1 (A13) to M5 (A17).
inline constexpr std::size_t mac_generations = 5;

struct operation_support {
    op kind;
    const char* fact; ///< the operation's name in the sources; "" where they list it as a layer of the netplist only
    family floor; ///< the first generation that has it: `older` stands for all (F0), a13 for F2, a14 for F3, a15 for F4
    const char* status;                       ///< one letter for each of M1 to M5: native, bridge, gated, none
    compile_route route = compile_route::any; ///< the one route that takes it
    const char* route_fact = "";              ///< why

    constexpr availability on(std::size_t generation) const {
        switch (status[generation]) {
        case 'n': return availability::native;
        case 'b': return availability::bridge;
        case 'g': return availability::gated;
        default: return availability::none;
        }
    }
};

namespace detail {

inline constexpr auto netplist_only = compile_route::netplist;
inline constexpr auto mil_only = compile_route::mil;

// Where the sources disagree (docs/conflicts.md) the floor is the later generation, and the route the one that was run:
// OC1 top-k, OC2 cumsum, OC9 argmax, OC10 slice_update, OC11 gather, OC12 crop_resize, OC14 random, OC17 resize.
inline constexpr operation_support supported[] = {
    {op::input, "const", family::older, "bbbbb"},
    {op::weight, "const", family::older, "bbbbb"},
    {op::constant, "const", family::older, "bbbbb"},
    {op::conv2d, "conv", family::older, "nnnnn"},
    {op::conv_transpose2d, "conv_transpose", family::older, "nnnnn"},
    {op::linear, "linear", family::older, "nnnnn"},
    {op::matmul, "matmul", family::older, "nnnnn"},
    {op::add, "add", family::older, "nnnnn"},
    {op::sub, "sub", family::older, "nnnnn"},
    {op::mul, "mul", family::older, "nnnnn"},
    {op::div, "real_div", family::older, "nnnnn"},
    {op::minimum, "minimum", family::older, "nnnnn"},
    {op::maximum, "maximum", family::older, "nnnnn"},
    {op::pow, "pow", family::older, "nnnnn"},
    {op::floor_div, "floor_div", family::older, "nnnnn"},
    {op::equal, "equal", family::older, "nnnnn"},
    {op::not_equal, "not_equal", family::older, "nnnnn"},
    {op::greater, "greater", family::older, "nnnnn"},
    {op::greater_equal, "greater_equal", family::older, "nnnnn"},
    {op::less, "less", family::older, "nnnnn"},
    {op::less_equal, "less_equal", family::older, "nnnnn"},
    {op::logical_not, "logical_not", family::older, "nnnnn"},
    {op::select, "select", family::older, "nnnnn"},
    {op::relu, "relu", family::older, "nnnnn"},
    {op::relu6, "relu6", family::older, "nnnnn"},
    {op::leaky_relu, "leaky_relu", family::older, "nnnnn"},
    {op::clamp, "clip", family::older, "nnnnn"},
    {op::thresholded_relu, "thresholded_relu", family::older, "nnnnn"},
    {op::clamped_relu, "clamped_relu", family::older, "nnnnn"},
    {op::elu, "elu", family::a13, "nnnnn"},
    {op::sigmoid, "sigmoid", family::older, "nnnnn"},
    {op::hard_sigmoid, "sigmoid_hard", family::older, "nnnnn"},
    {op::tanh, "tanh", family::older, "nnnnn"},
    {op::scaled_tanh, "scaled_tanh", family::older, "nnnnn"},
    {op::gelu, "gelu", family::older, "nnnnn"},
    {op::gelu_sigmoid, "gelu_sigmoid_approx", family::older, "nnnnn"},
    {op::silu, "silu", family::older, "nnnnn"},
    {op::softplus, "softplus", family::older, "nnnnn"},
    {op::softsign, "softsign", family::older, "nnnnn"},
    {op::erf, "erf", family::a13, "nnnnn"},
    {op::exp, "exp", family::older, "nnnnn"},
    {op::exp2, "exp2", family::a13, "nnnnn"},
    {op::log, "log", family::older, "nnnnn"},
    {op::sqrt, "sqrt", family::a13, "nnnnn"},
    {op::rsqrt, "rsqrt", family::a13, "nnnnn"},
    {op::inverse, "inverse", family::older, "nnnnn"},
    {op::square, "square", family::older, "nnnnn"},
    {op::abs, "abs", family::older, "nnnnn"},
    {op::sign, "sign", family::a13, "nnnnn"},
    {op::ceil, "ceil", family::a13, "nnnnn"},
    {op::floor, "floor", family::a13, "nnnnn"},
    {op::round, "round", family::a13, "nnnnn"},
    {op::sin, "sin", family::a15, "ggnnn"},
    {op::cos, "cos", family::a15, "ggnnn"},
    {op::atan, "atan", family::a13, "nnnnn"},
    {op::prelu, "prelu", family::older, "nnnnn"},
    {op::parametric_softplus, "softplus_parametric", family::older, "nnnnn"},
    {op::max_pool, "max_pool", family::older, "nnnnn"},
    {op::avg_pool, "avg_pool", family::older, "nnnnn"},
    {op::l2_pool, "l2_pool", family::older, "nnnnn"},
    {op::softmax, "softmax", family::a13, "nnnnn"},
    {op::layer_norm, "layer_norm", family::a13, "nnnnn"},
    {op::batch_norm, "batch_norm", family::a13, "nnnnn"},
    {op::instance_norm, "instance_norm", family::a13, "nnnnn"},
    {op::group_norm, "group_norm", family::a13, "nnnnn"},
    {op::rms_norm, "rms_norm", family::a13, "nnnnn"},
    {op::l2_norm, "l2_norm", family::a13, "nnnnn"},
    {op::local_response_norm, "local_response_norm", family::a13, "nnnnn"},
    {op::minmax_norm, "", family::a13, "bbbbb"},
    {op::reduce_sum, "reduce_sum", family::a13, "nnnnn"},
    {op::reduce_mean, "reduce_mean", family::a13, "nnnnn"},
    {op::reduce_max, "reduce_max", family::a13, "nnnnn"},
    {op::reduce_min, "reduce_min", family::a13, "nnnnn"},
    {op::reduce_sum_square, "reduce_sum_square", family::a13, "nnnnn"},
    {op::reduce_l1_norm, "reduce_l1_norm", family::a13, "nnnnn"},
    {op::reduce_l2_norm, "reduce_l2_norm", family::a13, "nnnnn"},
    {op::reduce_log_sum, "reduce_log_sum", family::a13, "nnnnn"},
    {op::reduce_log_sum_exp, "reduce_log_sum_exp", family::a13, "nnnnn"},
    {op::arg_max, "reduce_argmax", family::a13, "nnnnn", netplist_only, "OC9"},
    {op::arg_min, "reduce_argmin", family::a13, "bbnnn", netplist_only, "OC9"},
    {op::global_arg_max, "global_argmax", family::a15, "bbnnn"},
    {op::global_arg_min, "global_argmin", family::a15, "bbnnn"},
    {op::cumsum, "cumsum", family::a13, "nnnnn"}, // written as a product on both routes
    {op::reshape, "reshape", family::older, "nnnnn"},
    {op::transpose, "transpose", family::older, "nnnnn"},
    {op::concat, "concat", family::older, "nnnnn"},
    {op::slice, "slice_by_size", family::older, "nnnnn"},
    {op::strided_slice, "slice_by_index", family::older, "bbbbb"},
    {op::slice_update, "slice_update", family::older, "nnnnn", netplist_only, "OC10"},
    {op::dynamic_slice, "dynamic_slice", family::a14, "gnnnn", netplist_only, "app. B"},
    {op::pad, "pad", family::older, "nnnnn"},
    {op::reflect_pad, "pad", family::older, "nnnnn"},
    {op::symmetric_pad, "pad", family::older, "nnnnn"},
    {op::cast, "cast", family::older, "nnnnn"},
    {op::identity, "identity", family::older, "nnnnn"},
    {op::tile, "tile", family::a13, "nnnnn"},
    {op::reverse, "reverse", family::older, "nnnnn", mil_only, "R105"},
    {op::gather, "gather", family::a13, "nnnnn", netplist_only, "OC11"},
    {op::gather_along_axis, "gather_along_axis", family::a13, "nnnnn", netplist_only, "OC11"},
    {op::gather_nd, "gather_nd", family::a13, "bnnnn", netplist_only, "OC11"},
    {op::pixel_shuffle, "pixel_shuffle", family::a13, "nnnnn"},
    {op::pixel_unshuffle, "pixel_unshuffle", family::a13, "nnnnn"},
    {op::depth_to_space, "depth_to_space", family::a13, "nnnnn"},
    {op::space_to_depth, "space_to_depth", family::a13, "nnnnn"},
    {op::space_to_batch, "space_to_batch", family::a13, "nnnnn"},
    {op::batch_to_space, "batch_to_space", family::a13, "nnnnn"},
    {op::resize, "resize", family::a13, "bnnnn"},
    {op::crop_resize, "crop_resize", family::a14, "gnnnn", netplist_only, "OC12"},
    {op::resample, "resample", family::a14, "gnnnn"},
    {op::affine, "affine", family::a14, "gnnnn"},
    {op::gather_hw, "gather_hw", family::a14, "gnnnn"},
    {op::quantize, "quantize", family::older, "nnnnn"},
    {op::dequantize, "dequantize", family::older, "nnnnn"},
    {op::compressed, "constexpr_lut_to_dense", family::a13, "nnnnn"},
    {op::attention, "scaled_dot_product_attention", family::a13, "nnnnn"},
    {op::top_k, "topk", family::a14, "gnnnn"},
    {op::top_k_indices, "topk", family::a14, "gnnnn"},
    {op::sort, "sort", family::a14, "gnnnn", netplist_only, "app. B"},
    {op::arg_sort, "argsort", family::a14, "gnnnn", netplist_only, "OC13"},
    {op::dropout, "dropout", family::a15, "ggnnn", netplist_only, "app. B"},
    {op::random_uniform, "random_uniform", family::a15, "bbnnn", netplist_only, "OC14"},
    {op::scaled_elementwise, "", family::a13, "bbbbb", netplist_only, "app. B"},
    {op::cross_correlation, "", family::a13, "bbbbb", netplist_only, "app. B"},
    {op::cross_product, "cross_product", family::a13, "bbbbb", netplist_only, "app. B"},
    {op::cost_volume, "cost_volume", family::a13, "bbbbb", netplist_only, "app. B"},
    {op::furthest_point_sampling, "", family::a13, "bbbbb", netplist_only, "app. B"},
    {op::radius_search, "", family::a13, "bbbbb", netplist_only, "app. B"},
};

static_assert(std::size(supported) == op_count, "one row for each operation");
static_assert(
    [] {
        for (std::size_t i = 0; i < op_count; ++i) {
            if (supported[i].kind != static_cast<op>(i)) {
                return false;
            }
        }
        return true;
    }(),
    "the rows stand in the order of the operations");

} // namespace detail

constexpr const operation_support& support_of(op kind) noexcept {
    return detail::supported[static_cast<std::size_t>(kind)];
}

/// The family from which an operation runs. `older` is every family, the reference profiles among them.
constexpr family floor_of(op kind) noexcept { return support_of(kind).floor; }

/// The operations that only this route takes.
constexpr op_set only_by(compile_route route) {
    return op_set::where([route](op o) { return support_of(o).route == route; });
}

} // namespace ane
