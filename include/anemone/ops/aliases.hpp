#pragma once

#include "activation.hpp"
#include "comparison.hpp"
#include "reduction.hpp"

#include <array>
#include <string_view>

/// Operations under the names that Core ML's MIL gives them, where this library calls them otherwise.
namespace ane {

/// a / b: `div`
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto real_div(A a, B b, site where = here()) { return div(a, b, where); }
/// min(max(x, alpha), beta): `clamp`
template <class X, dtype TX> constexpr auto clip(tensor<X, TX> x, double alpha, double beta, site where = here()) {
    return clamp(x, alpha, beta, where);
}
/// max(x, alpha): `maximum` with a number
template <class X, dtype TX> constexpr auto threshold(tensor<X, TX> x, double alpha, site where = here()) {
    return maximum(x, alpha, where);
}
/// min(max(x, 0), n) for a positive n: `clamp`
template <class X, dtype TX> constexpr auto relu_n(tensor<X, TX> x, double n, site where = here()) {
    if (!(n > 0)) {
        detail::refuse_graph("relu_n", "its limit must be positive");
    }
    return clamp(x, 0, n, where);
}
/// alpha x + beta: `mul` and `add` with numbers
template <class X, dtype TX>
constexpr auto linear_activation(tensor<X, TX> x, double alpha, double beta, site where = here()) {
    return add(mul(x, alpha, where), beta, where);
}
/// min(max(alpha x + beta, 0), 1): `hard_sigmoid`
template <class X, dtype TX>
constexpr auto sigmoid_hard(tensor<X, TX> x, double alpha = 0.2, double beta = 0.5, site where = here()) {
    return hard_sigmoid(x, alpha, beta, where);
}
/// The tanh form of gelu: `gelu`, because the engine's two modes are bit-identical (numerics section 4, measured on
/// M6).
template <class X, dtype TX> constexpr auto gelu_tanh_approx(tensor<X, TX> x, site where = here()) {
    return gelu(x, where);
}
/// `gelu_sigmoid`
template <class X, dtype TX> constexpr auto gelu_sigmoid_approx(tensor<X, TX> x, site where = here()) {
    return gelu_sigmoid(x, where);
}
/// `parametric_softplus`
template <class X, dtype TX, class A, dtype TA, class B, dtype TB>
constexpr auto softplus_parametric(tensor<X, TX> x, tensor<A, TA> alpha, tensor<B, TB> beta, site where = here()) {
    return parametric_softplus(x, alpha, beta, where);
}
/// `arg_max`, `arg_min`, `global_arg_max` and `global_arg_min`
template <axis Axis = axis{}, class X, dtype TX> constexpr auto reduce_argmax(tensor<X, TX> x, site where = here()) {
    return arg_max<Axis>(x, where);
}
template <axis Axis = axis{}, class X, dtype TX> constexpr auto reduce_argmin(tensor<X, TX> x, site where = here()) {
    return arg_min<Axis>(x, where);
}
template <axis Axis = axis{}, class X, dtype TX> constexpr auto global_argmax(tensor<X, TX> x, site where = here()) {
    return global_arg_max<Axis>(x, where);
}
template <axis Axis = axis{}, class X, dtype TX> constexpr auto global_argmin(tensor<X, TX> x, site where = here()) {
    return global_arg_min<Axis>(x, where);
}

/// An operation's name elsewhere (MIL, guide appendix A) and the builder that makes it here.
struct operation_alias {
    std::string_view name;
    std::string_view builder;
};

inline constexpr auto operation_aliases = std::to_array<operation_alias>({
    {"conv", "conv2d"},
    {"dynamic_weight_conv", "conv2d"},
    {"conv_transpose", "conv_transpose2d"},
    {"cast", "to_f16"},
    {"scaled_dot_product_attention", "attention"},
    {"real_div", "div"},
    {"clip", "clamp"},
    {"threshold", "maximum"},
    {"relu_n", "clamp"},
    {"sigmoid_hard", "hard_sigmoid"},
    {"gelu_tanh_approx", "gelu"},
    {"gelu_sigmoid_approx", "gelu_sigmoid"},
    {"softplus_parametric", "parametric_softplus"},
    {"reduce_argmax", "arg_max"},
    {"reduce_argmin", "arg_min"},
    {"global_argmax", "global_arg_max"},
    {"global_argmin", "global_arg_min"},
    {"slice_by_size", "slice"},
    {"slice_by_index", "strided_slice"},
    {"topk", "top_k"},
    {"argsort", "arg_sort"},
    {"const", "constant"},
    {"constexpr_affine_dequantize", "compressed"},
    {"constexpr_lut_to_dense", "compressed"},
    {"constexpr_lut_to_sparse", "compressed"},
    {"constexpr_sparse_to_dense", "compressed"},
    {"constexpr_blockwise_shift_scale", "compressed"},
    {"constexpr_sparse_blockwise_shift_scale", "compressed"},
});

} // namespace ane
