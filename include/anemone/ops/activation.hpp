#pragma once

#include "convolution.hpp"
#include "functions.hpp"

/// Activations, elementwise. The result has the operand's shape. Guide chapter 3; numerics section 4. Coefficients are
/// fp16 numbers; their names are those of the MIL operations.
namespace ane {

/// x where x >= 0, slope x elsewhere
template <class X>
    requires obeys<shapes::same, X>
constexpr auto leaky_relu(X x, double slope = 0.01, source_location where = here()) {
    return detail::unary(op::leaky_relu, x, leakage{.alpha = detail::coefficient(x, slope, where)}, where);
}
template <class X, class Broken = breach<op::leaky_relu, shapes::same, X>> Broken leaky_relu(X, ...);
/// min(max(x, low), high)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto clamp(X x, double low, double high, source_location where = here()) {
    if (!(low <= high)) {
        x.graph->refuse(model_rule::the_low_end_is_above_the_high_end, "clamp", where);
    }
    return detail::unary(op::clamp, x, clip_range{static_cast<float>(low), static_cast<float>(high)}, where);
}
template <class X, class Broken = breach<op::clamp, shapes::same, X>> Broken clamp(X, ...);
/// x where x >= alpha, 0 elsewhere
template <class X>
    requires obeys<shapes::same, X>
constexpr auto thresholded_relu(X x, double alpha = 1, source_location where = here()) {
    return detail::unary(op::thresholded_relu, x, relu_threshold{.alpha = detail::coefficient(x, alpha, where)}, where);
}
template <class X, class Broken = breach<op::thresholded_relu, shapes::same, X>> Broken thresholded_relu(X, ...);
/// min(x, beta) where x >= 0, min(alpha x, beta) elsewhere
template <class X>
    requires obeys<shapes::same, X>
constexpr auto clamped_relu(X x, double alpha, double beta, source_location where = here()) {
    return detail::unary(op::clamped_relu, x,
                         clamped_leakage{detail::coefficient(x, alpha, where), detail::coefficient(x, beta, where)},
                         where);
}
template <class X, class Broken = breach<op::clamped_relu, shapes::same, X>> Broken clamped_relu(X, ...);
/// x where x >= 0, alpha (e^x - 1) elsewhere
template <class X>
    requires obeys<shapes::same, X>
constexpr auto elu(X x, double alpha = 1, source_location where = here()) {
    return detail::unary(op::elu, x, saturation{.alpha = detail::coefficient(x, alpha, where)}, where);
}
template <class X, class Broken = breach<op::elu, shapes::same, X>> Broken elu(X, ...);
/// min(max(alpha x + beta, 0), 1)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto hard_sigmoid(X x, double alpha = 0.2, double beta = 0.5, source_location where = here()) {
    return detail::unary(op::hard_sigmoid, x,
                         clamped_line{detail::coefficient(x, alpha, where), detail::coefficient(x, beta, where)},
                         where);
}
template <class X, class Broken = breach<op::hard_sigmoid, shapes::same, X>> Broken hard_sigmoid(X, ...);
/// alpha tanh(beta x)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto scaled_tanh(X x, double alpha, double beta, source_location where = here()) {
    return detail::unary(op::scaled_tanh, x,
                         tanh_scaling{detail::coefficient(x, alpha, where), detail::coefficient(x, beta, where)},
                         where);
}
template <class X, class Broken = breach<op::scaled_tanh, shapes::same, X>> Broken scaled_tanh(X, ...);
/// Parameters for each channel (axis 1) of a tensor of rank 3 or more (R127).
constexpr inferred prelu_rule(const extents& x, const extents& slope) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::input_must_have_channels_on_axis_1_and_rank_3, x.rank, 3);
    return r.ok() ? detail::require_vector(r, slope, x[1]) : r;
}
constexpr inferred parametric_softplus_rule(const extents& x, const extents& alpha, const extents& beta) {
    const inferred r = prelu_rule(x, alpha);
    return r.ok() ? detail::require_vector(r, beta, x[1]) : r;
}

/// x where x >= 0, slope x elsewhere, with one slope for each channel (axis 1). Rank 3 or more (R127).
template <class X, class S>
    requires obeys<shapes::by<prelu_rule>, X, S>
constexpr auto prelu(X x, S slope, source_location where = here()) {
    return detail::append<shapes::by<prelu_rule>>(op::prelu, no_attributes{}, where, x, slope);
}
template <class X, class S, class Broken = breach<op::prelu, shapes::by<prelu_rule>, X, S>> Broken prelu(X, S, ...);

/// alpha ln(1 + e^(beta x)), with one alpha and one beta for each channel (axis 1). Rank 3 or more, as prelu.
template <class X, class A, class B>
    requires obeys<shapes::by<parametric_softplus_rule>, X, A, B>
constexpr auto parametric_softplus(X x, A alpha, B beta, source_location where = here()) {
    return detail::append<shapes::by<parametric_softplus_rule>>(op::parametric_softplus, no_attributes{}, where, x,
                                                                alpha, beta);
}
template <class X, class A, class B,
          class Broken = breach<op::parametric_softplus, shapes::by<parametric_softplus_rule>, X, A, B>>
Broken parametric_softplus(X, A, B, ...);

} // namespace ane
