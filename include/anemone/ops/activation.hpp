#pragma once

#include "convolution.hpp"
#include "functions.hpp"

/// Activations, elementwise. The result has the operand's shape. Guide chapter 3; numerics section 4. Coefficients are
/// fp16 numbers; their names are those of the MIL operations.
namespace ane {

/// max(x, 0)
template <class X, dtype TX> constexpr auto relu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::relu, x, no_attributes{}, where);
}
/// min(max(x, 0), 6)
template <class X, dtype TX> constexpr auto relu6(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::relu6, x, no_attributes{}, where);
}
/// x where x >= 0, slope x elsewhere
template <class X, dtype TX> constexpr auto leaky_relu(tensor<X, TX> x, double slope = 0.01, site where = here()) {
    return detail::unary(op::leaky_relu, x, coefficients{.alpha = detail::coefficient(slope)}, where);
}
/// min(max(x, low), high)
template <class X, dtype TX> constexpr auto clamp(tensor<X, TX> x, double low, double high, site where = here()) {
    if (!(low <= high)) {
        detail::refuse_graph("clamp", "its low end is above its high end");
    }
    return detail::unary(op::clamp, x, coefficients{static_cast<float>(low), static_cast<float>(high)}, where);
}
/// x where x >= alpha, 0 elsewhere
template <class X, dtype TX> constexpr auto thresholded_relu(tensor<X, TX> x, double alpha = 1, site where = here()) {
    return detail::unary(op::thresholded_relu, x, coefficients{.alpha = detail::coefficient(alpha)}, where);
}
/// min(x, beta) where x >= 0, min(alpha x, beta) elsewhere
template <class X, dtype TX>
constexpr auto clamped_relu(tensor<X, TX> x, double alpha, double beta, site where = here()) {
    return detail::unary(op::clamped_relu, x, coefficients{detail::coefficient(alpha), detail::coefficient(beta)},
                         where);
}
/// x where x >= 0, alpha (e^x - 1) elsewhere
template <class X, dtype TX> constexpr auto elu(tensor<X, TX> x, double alpha = 1, site where = here()) {
    return detail::unary(op::elu, x, coefficients{.alpha = detail::coefficient(alpha)}, where);
}
/// 1 / (1 + e^-x); on the engine a table of 33 knots
template <class X, dtype TX> constexpr auto sigmoid(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sigmoid, x, no_attributes{}, where);
}
/// min(max(alpha x + beta, 0), 1)
template <class X, dtype TX>
constexpr auto hard_sigmoid(tensor<X, TX> x, double alpha = 0.2, double beta = 0.5, site where = here()) {
    return detail::unary(op::hard_sigmoid, x, coefficients{detail::coefficient(alpha), detail::coefficient(beta)},
                         where);
}
/// tanh(x); on the engine a table
template <class X, dtype TX> constexpr auto tanh(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::tanh, x, no_attributes{}, where);
}
/// alpha tanh(beta x)
template <class X, dtype TX>
constexpr auto scaled_tanh(tensor<X, TX> x, double alpha, double beta, site where = here()) {
    return detail::unary(op::scaled_tanh, x, coefficients{detail::coefficient(alpha), detail::coefficient(beta)},
                         where);
}
/// x Phi(x), the exact form; on the engine one table for this and the tanh form: bit-identical (numerics section 4)
template <class X, dtype TX> constexpr auto gelu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::gelu, x, no_attributes{}, where);
}
/// x sigmoid(1.702 x); on the engine a table of its own
template <class X, dtype TX> constexpr auto gelu_sigmoid(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::gelu_sigmoid, x, no_attributes{}, where);
}
/// x sigmoid(x), also named swish; on the engine a table
template <class X, dtype TX> constexpr auto silu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::silu, x, no_attributes{}, where);
}
/// ln(1 + e^x). The engine's own gives 0 from x = 11.09 (measured on M5, MIL facts section 5) and at +infinity (R159,
/// N098), so it is lowered to softplus(min(x, 10)) + relu(x - 10).
template <class X, dtype TX> constexpr auto softplus(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::softplus, x, no_attributes{}, where);
}
/// x / (1 + |x|); on the engine +0 at +infinity (R159, N099)
template <class X, dtype TX> constexpr auto softsign(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::softsign, x, no_attributes{}, where);
}

/// Parameters for each channel (axis 1) of a tensor of rank 3 or more (R127).
constexpr inferred prelu_rule(const extents& x, const extents& slope) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::rank_is_too_small, x.rank, 3);
    return r.ok() ? detail::require_vector(r, slope, x[1]) : r;
}
constexpr inferred parametric_softplus_rule(const extents& x, const extents& alpha, const extents& beta) {
    const inferred r = prelu_rule(x, alpha);
    return r.ok() ? detail::require_vector(r, beta, x[1]) : r;
}

/// x where x >= 0, slope x elsewhere, with one slope for each channel (axis 1). Rank 3 or more (R127).
template <class X, dtype TX, class S, dtype TS>
constexpr auto prelu(tensor<X, TX> x, tensor<S, TS> slope, site where = here()) {
    constexpr inferred r = prelu_rule(X::value, S::value);
    return detail::append_arithmetic<r>(op::prelu, no_attributes{}, where, x, slope);
}
/// alpha ln(1 + e^(beta x)), with one alpha and one beta for each channel (axis 1). Rank 3 or more, as prelu.
template <class X, dtype TX, class A, dtype TA, class B, dtype TB>
constexpr auto parametric_softplus(tensor<X, TX> x, tensor<A, TA> alpha, tensor<B, TB> beta, site where = here()) {
    constexpr inferred r = parametric_softplus_rule(X::value, A::value, B::value);
    return detail::append_arithmetic<r>(op::parametric_softplus, no_attributes{}, where, x, alpha, beta);
}

} // namespace ane
