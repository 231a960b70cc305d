#pragma once

#include "append.hpp"

/// Elementwise operations of one operand. The result has the operand's shape. Guide chapter 3; numerics section 4.
namespace ane {

namespace detail {
template <class X, dtype TX> constexpr auto unary(op kind, tensor<X, TX> x, const attributes& values, site where) {
    return append_arithmetic<inferred{.shape = X::value}>(kind, values, where, x);
}
} // namespace detail

/// max(x, 0)
template <class X, dtype TX> constexpr auto relu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::relu, x, no_attributes{}, where);
}
/// min(max(x, 0), 6)
template <class X, dtype TX> constexpr auto relu6(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::relu6, x, no_attributes{}, where);
}
/// 1 / (1 + e^-x); on the engine a table of 33 knots
template <class X, dtype TX> constexpr auto sigmoid(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sigmoid, x, no_attributes{}, where);
}
/// tanh(x); on the engine a table
template <class X, dtype TX> constexpr auto tanh(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::tanh, x, no_attributes{}, where);
}
/// x Phi(x), the exact form; on the engine a table for both forms
template <class X, dtype TX> constexpr auto gelu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::gelu, x, no_attributes{}, where);
}
/// x sigmoid(x), also named swish; on the engine a table
template <class X, dtype TX> constexpr auto silu(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::silu, x, no_attributes{}, where);
}
/// e^x; infinite from x = 11.094 (R150)
template <class X, dtype TX> constexpr auto exp(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::exp, x, no_attributes{}, where);
}
/// the square root; on the engine +0 below zero (N093)
template <class X, dtype TX> constexpr auto sqrt(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sqrt, x, no_attributes{}, where);
}
/// |x|
template <class X, dtype TX> constexpr auto abs(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::abs, x, no_attributes{}, where);
}
/// x where x >= 0, slope x elsewhere
template <class X, dtype TX> constexpr auto leaky_relu(tensor<X, TX> x, double slope = 0.01, site where = here()) {
    return detail::unary(op::leaky_relu, x, coefficients{.alpha = static_cast<float>(slope)}, where);
}
/// min(max(x, low), high)
template <class X, dtype TX> constexpr auto clamp(tensor<X, TX> x, double low, double high, site where = here()) {
    if (!(low <= high)) {
        detail::refuse_graph("clamp", "its low end is above its high end");
    }
    return detail::unary(op::clamp, x, coefficients{static_cast<float>(low), static_cast<float>(high)}, where);
}
/// ln(x + epsilon); on the engine -45440 at +0 (N096)
template <class X, dtype TX> constexpr auto log(tensor<X, TX> x, double epsilon = 0, site where = here()) {
    return detail::unary(op::log, x, stabilizer{.epsilon = static_cast<float>(epsilon)}, where);
}
/// 1 / sqrt(x + epsilon)
template <class X, dtype TX> constexpr auto rsqrt(tensor<X, TX> x, double epsilon = 0, site where = here()) {
    return detail::unary(op::rsqrt, x, stabilizer{.epsilon = static_cast<float>(epsilon)}, where);
}

} // namespace ane
