#pragma once

#include "append.hpp"

/// Elementary functions of one operand, elementwise. The result has the operand's shape. On the engine all but square
/// and abs are tables of 33 knots with linear interpolation (numerics section 4).
namespace ane {

namespace detail {
template <class X, dtype TX> constexpr auto unary(op kind, tensor<X, TX> x, const attributes& values, site where) {
    return append_arithmetic<inferred{.shape = X::value}>(kind, values, where, x);
}
/// A coefficient that the engine gets as an fp16 number.
constexpr float coefficient(double value) {
    require_fp16(value);
    return static_cast<float>(value);
}
} // namespace detail

/// The error function; the native table reads NaN as +infinity (N084).
template <class X, dtype TX> constexpr auto erf(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::erf, x, no_attributes{}, where);
}
/// e^x; infinite from x = 11.094 (R150)
template <class X, dtype TX> constexpr auto exp(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::exp, x, no_attributes{}, where);
}
/// 2^x; infinite from x = 16
template <class X, dtype TX> constexpr auto exp2(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::exp2, x, no_attributes{}, where);
}
/// ln(x + epsilon); on the engine -45440 at +0 (N096)
template <class X, dtype TX> constexpr auto log(tensor<X, TX> x, double epsilon = 0, site where = here()) {
    return detail::unary(op::log, x, stabilizer{.epsilon = detail::coefficient(epsilon)}, where);
}
/// the square root; on the engine +0 below zero (N093)
template <class X, dtype TX> constexpr auto sqrt(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sqrt, x, no_attributes{}, where);
}
/// 1 / sqrt(x + epsilon)
template <class X, dtype TX> constexpr auto rsqrt(tensor<X, TX> x, double epsilon = 0, site where = here()) {
    return detail::unary(op::rsqrt, x, stabilizer{.epsilon = detail::coefficient(epsilon)}, where);
}
/// 1 / (x + epsilon); on the engine +infinity at -0 (N102, R158)
template <class X, dtype TX> constexpr auto inverse(tensor<X, TX> x, double epsilon = 0, site where = here()) {
    return detail::unary(op::inverse, x, stabilizer{.epsilon = detail::coefficient(epsilon)}, where);
}
/// x^2; infinite from |x| = 256 (R151). R072.
template <class X, dtype TX> constexpr auto square(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::square, x, no_attributes{}, where);
}
/// |x|
template <class X, dtype TX> constexpr auto abs(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::abs, x, no_attributes{}, where);
}
/// -1, 0 or 1
template <class X, dtype TX> constexpr auto sign(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sign, x, no_attributes{}, where);
}
/// The smallest integer that is not below x. A multiplication by a scalar right after it is dropped by the engine's
/// compiler (measured on M5, MIL facts section 5): lowering makes it a constant of the full shape.
template <class X, dtype TX> constexpr auto ceil(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::ceil, x, no_attributes{}, where);
}
/// The largest integer that is not above x; what `ceil` says of a multiplication holds here too.
template <class X, dtype TX> constexpr auto floor(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::floor, x, no_attributes{}, where);
}
/// The nearest integer, halves away from zero on the engine (inferred). The engine's kernel adds 0.5 to values from
/// |x| = 1024 on, 1024 becomes 1025 (measured on M5, MIL facts section 5): lowering lets them pass.
template <class X, dtype TX> constexpr auto round(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::round, x, no_attributes{}, where);
}
/// sin x, x in radians. Native from A15 (R132); near the seams at +-pi the error is 0.04 to 0.12 (R133, N120).
template <class X, dtype TX> constexpr auto sin(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::sin, x, no_attributes{}, where);
}
/// cos x, x in radians; as `sin` (R132, R133).
template <class X, dtype TX> constexpr auto cos(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::cos, x, no_attributes{}, where);
}
/// The arc tangent in radians; relative error up to 1.9e-2 (N206, measured on M5). R133.
template <class X, dtype TX> constexpr auto atan(tensor<X, TX> x, site where = here()) {
    return detail::unary(op::atan, x, no_attributes{}, where);
}

} // namespace ane
