#pragma once

#include "append.hpp"

/// Functions of one operand, elementwise; what is to be known of each stands with its row in graph/operations.def. The
/// result has the operand's shape. On the engine most are tables of 33 knots with linear interpolation (numerics section
/// 4).
namespace ane {

namespace detail {
/// Appends an operation of one operand.
template <class X> constexpr X unary(op kind, X x, const attributes& values, source_location where) {
    return {x.graph, append_node(kind, dtype::f16, X::extent, values, where, {{x.graph, x.node}})};
}
/// A coefficient that the engine gets as an fp16 number.
template <class X> constexpr float coefficient(X x, double value, source_location where) {
    x.graph->require_fp16(value, "constant", where);
    return static_cast<float>(value);
}
} // namespace detail

// Those without attributes, by their rows.
#define ANEMONE_FUNCTION(name, ...)                                                                                    \
    template <class X>                                                                                                 \
        requires obeys<shapes::same, X>                                                                                \
    constexpr auto name(X x, source_location where = here()) {                                                         \
        return detail::unary(op::name, x, no_attributes{}, where);                                                     \
    }                                                                                                                  \
    template <class X, class Broken = breach<op::name, shapes::same, X>> Broken name(X, ...);
#include "../graph/operations.def"

/// ln(x + epsilon); on the engine -45440 at +0 (N096)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto log(X x, double epsilon = 0, source_location where = here()) {
    return detail::unary(op::log, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::log, shapes::same, X>> Broken log(X, ...);
/// 1 / sqrt(x + epsilon)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto rsqrt(X x, double epsilon = 0, source_location where = here()) {
    return detail::unary(op::rsqrt, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::rsqrt, shapes::same, X>> Broken rsqrt(X, ...);
/// 1 / (x + epsilon); on the engine +infinity at -0 (N102, R158)
template <class X>
    requires obeys<shapes::same, X>
constexpr auto inverse(X x, double epsilon = 0, source_location where = here()) {
    return detail::unary(op::inverse, x, stabilizer{.epsilon = detail::coefficient(x, epsilon, where)}, where);
}
template <class X, class Broken = breach<op::inverse, shapes::same, X>> Broken inverse(X, ...);

} // namespace ane
