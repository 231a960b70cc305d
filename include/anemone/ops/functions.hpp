#pragma once

#include "append.hpp"

/// Elementary functions of one operand, elementwise. The result has the operand's shape. On the engine all but square
/// and abs are tables of 33 knots with linear interpolation (numerics section 4).
namespace ane {

namespace detail {
/// Appends an operation of one operand.
template <class X> constexpr X unary(op kind, X x, const attributes& values, site where) {
    return {x.graph, append_node(kind, dtype::f16, X::extent, values, where, {{x.graph, x.node}})};
}
/// A coefficient that the engine gets as an fp16 number.
template <class X> constexpr float coefficient(X x, double value, site where) {
    x.graph->require_fp16(value, "constant", where);
    return static_cast<float>(value);
}
} // namespace detail

/// The error function; the native table reads NaN as +infinity (N084).
template <class X>
    requires obeys<shapes::same, X>
constexpr auto erf(X x, site where = here()) { return detail::unary(op::erf, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::erf, shapes::same, X>> unknown_tensor erf(X, ...) = delete;
/// e^x; infinite from x = 11.094 (R150)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto exp(X x, site where = here()) { return detail::unary(op::exp, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::exp, shapes::same, X>> unknown_tensor exp(X, ...) = delete;
/// 2^x; infinite from x = 16
template <class X>
    requires obeys<shapes::same, X>
constexpr auto exp2(X x, site where = here()) { return detail::unary(op::exp2, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::exp2, shapes::same, X>> unknown_tensor exp2(X, ...) = delete;
/// ln(x + epsilon); on the engine -45440 at +0 (N096)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto log(X x, double epsilon = 0, site where = here()) {
    return detail::unary(op::log, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::log, shapes::same, X>> unknown_tensor log(X, ...) = delete;
/// the square root; on the engine +0 below zero (N093)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto sqrt(X x, site where = here()) { return detail::unary(op::sqrt, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::sqrt, shapes::same, X>> unknown_tensor sqrt(X, ...) = delete;
/// 1 / sqrt(x + epsilon)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto rsqrt(X x, double epsilon = 0, site where = here()) {
    return detail::unary(op::rsqrt, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::rsqrt, shapes::same, X>> unknown_tensor rsqrt(X, ...) = delete;
/// 1 / (x + epsilon); on the engine +infinity at -0 (N102, R158)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto inverse(X x, double epsilon = 0, site where = here()) {
    return detail::unary(op::inverse, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::inverse, shapes::same, X>> unknown_tensor inverse(X, ...) = delete;
/// x^2; infinite from |x| = 256 (R151). R072.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto square(X x, site where = here()) { return detail::unary(op::square, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::square, shapes::same, X>> unknown_tensor square(X, ...) = delete;
/// |x|
template <class X>
    requires obeys<shapes::same, X>
constexpr auto abs(X x, site where = here()) { return detail::unary(op::abs, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::abs, shapes::same, X>> unknown_tensor abs(X, ...) = delete;
/// -1, 0 or 1
template <class X>
    requires obeys<shapes::same, X>
constexpr auto sign(X x, site where = here()) { return detail::unary(op::sign, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::sign, shapes::same, X>> unknown_tensor sign(X, ...) = delete;
/// The smallest integer that is not below x. A multiplication by a scalar right after it is dropped by the engine's
/// compiler (measured on M5, MIL facts section 5): lowering makes it a constant of the full shape.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto ceil(X x, site where = here()) { return detail::unary(op::ceil, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::ceil, shapes::same, X>> unknown_tensor ceil(X, ...) = delete;
/// The largest integer that is not above x; what `ceil` says of a multiplication holds here too.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto floor(X x, site where = here()) { return detail::unary(op::floor, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::floor, shapes::same, X>> unknown_tensor floor(X, ...) = delete;
/// The nearest integer, halves away from zero on the engine (inferred). The engine's kernel adds 0.5 to values from
/// |x| = 1024 on, 1024 becomes 1025 (measured on M5, MIL facts section 5): lowering lets them pass.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto round(X x, site where = here()) { return detail::unary(op::round, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::round, shapes::same, X>> unknown_tensor round(X, ...) = delete;
/// sin x, x in radians. Native from A15 (R132); near the seams at +-pi the error is 0.04 to 0.12 (R133, N120).
template <class X>
    requires obeys<shapes::same, X>
constexpr auto sin(X x, site where = here()) { return detail::unary(op::sin, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::sin, shapes::same, X>> unknown_tensor sin(X, ...) = delete;
/// cos x, x in radians; as `sin` (R132, R133).
template <class X>
    requires obeys<shapes::same, X>
constexpr auto cos(X x, site where = here()) { return detail::unary(op::cos, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::cos, shapes::same, X>> unknown_tensor cos(X, ...) = delete;
/// The arc tangent in radians; relative error up to 1.9e-2 (N206, measured on M5). R133.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto atan(X x, site where = here()) { return detail::unary(op::atan, x, no_attributes{}, where); }
template <class X, class Broken = breach<op::atan, shapes::same, X>> unknown_tensor atan(X, ...) = delete;

} // namespace ane
