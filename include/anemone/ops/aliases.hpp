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
    requires obeys<shapes::broadcast, A, B>
constexpr auto real_div(A a, B b, source_location where = here()) { return div(a, b, where); }
template <class A, class B, class Broken = breach<op::div, shapes::broadcast, A, B>> Broken real_div(A, B, ...);

/// min(max(x, alpha), beta): `clamp`
template <class X>
    requires obeys<shapes::same, X>
constexpr auto clip(X x, double alpha, double beta, source_location where = here()) {
    return clamp(x, alpha, beta, where);
}
template <class X, class Broken = breach<op::clamp, shapes::same, X>> Broken clip(X, ...);

/// max(x, alpha): `maximum` with a number
template <class X>
    requires obeys<shapes::same, X>
constexpr auto threshold(X x, double alpha, source_location where = here()) { return maximum(x, alpha, where); }
template <class X, class Broken = breach<op::maximum, shapes::same, X>> Broken threshold(X, ...);

/// min(max(x, 0), n) for a positive n: `clamp`
template <class X>
    requires obeys<shapes::same, X>
constexpr auto relu_n(X x, double n, source_location where = here()) {
    if (!(n > 0)) {
        x.graph->refuse(model_rule::the_limit_must_be_positive, "relu_n", where);
    }
    return clamp(x, 0, n, where);
}
template <class X, class Broken = breach<op::clamp, shapes::same, X>> Broken relu_n(X, ...);

/// alpha x + beta: `mul` and `add` with numbers
template <class X>
    requires obeys<shapes::same, X>
constexpr auto linear_activation(X x, double alpha, double beta, source_location where = here()) {
    return add(mul(x, alpha, where), beta, where);
}
template <class X, class Broken = breach<op::mul, shapes::same, X>> Broken linear_activation(X, ...);

/// min(max(alpha x + beta, 0), 1): `hard_sigmoid`
template <class X>
    requires obeys<shapes::same, X>
constexpr auto sigmoid_hard(X x, double alpha = 0.2, double beta = 0.5, source_location where = here()) {
    return hard_sigmoid(x, alpha, beta, where);
}
template <class X, class Broken = breach<op::hard_sigmoid, shapes::same, X>> Broken sigmoid_hard(X, ...);

/// The tanh form of gelu: `gelu`, because the engine's two modes are bit-identical (numerics section 4, measured on
/// M6).
template <class X>
    requires obeys<shapes::same, X>
constexpr auto gelu_tanh_approx(X x, source_location where = here()) { return gelu(x, where); }
template <class X, class Broken = breach<op::gelu, shapes::same, X>> Broken gelu_tanh_approx(X, ...);

/// `gelu_sigmoid`
template <class X>
    requires obeys<shapes::same, X>
constexpr auto gelu_sigmoid_approx(X x, source_location where = here()) { return gelu_sigmoid(x, where); }
template <class X, class Broken = breach<op::gelu_sigmoid, shapes::same, X>> Broken gelu_sigmoid_approx(X, ...);

/// `parametric_softplus`
template <class X, class A, class B>
    requires obeys<shapes::by<parametric_softplus_rule>, X, A, B>
constexpr auto softplus_parametric(X x, A alpha, B beta, source_location where = here()) {
    return parametric_softplus(x, alpha, beta, where);
}
template <class X, class A, class B,
          class Broken = breach<op::parametric_softplus, shapes::by<parametric_softplus_rule>, X, A, B>>
Broken softplus_parametric(X, A, B, ...);

/// `arg_max`, `arg_min`, `global_arg_max` and `global_arg_min`
template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto reduce_argmax(X x, source_location where = here()) { return arg_max<Axis>(x, where); }
template <axis Axis = axis{}, class X, class Broken = breach<op::arg_max, shapes::by<arg_shape_rule, Axis>, X>>
Broken reduce_argmax(X, ...);

template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto reduce_argmin(X x, source_location where = here()) { return arg_min<Axis>(x, where); }
template <axis Axis = axis{}, class X, class Broken = breach<op::arg_min, shapes::by<arg_shape_rule, Axis>, X>>
Broken reduce_argmin(X, ...);

template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto global_argmax(X x, source_location where = here()) { return global_arg_max<Axis>(x, where); }
template <axis Axis = axis{}, class X, class Broken = breach<op::global_arg_max, shapes::by<arg_shape_rule, Axis>, X>>
Broken global_argmax(X, ...);

template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto global_argmin(X x, source_location where = here()) { return global_arg_min<Axis>(x, where); }
template <axis Axis = axis{}, class X, class Broken = breach<op::global_arg_min, shapes::by<arg_shape_rule, Axis>, X>>
Broken global_argmin(X, ...);

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
