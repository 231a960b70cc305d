#pragma once

#include "elementwise.hpp"

/// Comparisons, whose result is boolean, and what reads a boolean: `logical_not`, `select`, `to_f16`. No port is
/// boolean.
namespace ane {

/// The element type of an operation's result where its operands do not decide it.
constexpr dtype result_type(op kind) noexcept {
    return is_comparison(kind) || kind == op::logical_not ? dtype::boolean : dtype::f16;
}

/// A boolean operand, as comparisons give it.
constexpr inferred boolean_rule(dtype type, const extents& x) {
    inferred r;
    r.shape = x;
    return r.require(type == dtype::boolean, fault::operand_is_not_boolean, static_cast<int>(type),
                     static_cast<int>(dtype::boolean));
}

/// The condition is boolean; the three operands broadcast.
constexpr inferred select_rule(dtype type, const extents& condition, const extents& a, const extents& b) {
    const inferred r = boolean_rule(type, condition);
    if (!r.ok()) {
        return r;
    }
    const inferred values = detail::broadcast(a, b);
    return values.ok() ? detail::broadcast(condition, values.shape) : values;
}

namespace detail {

template <class A, dtype TA, class B, dtype TB>
constexpr auto compare(op kind, tensor<A, TA> a, tensor<B, TB> b, site where) {
    constexpr inferred r = require_arithmetic<tensor<A, TA>, tensor<B, TB>>(broadcast(A::value, B::value));
    return append<r, dtype::boolean>(kind, no_attributes{}, where, a, b);
}
template <class A, dtype TA> constexpr auto compare(op kind, tensor<A, TA> a, number auto b, site where) {
    return compare(kind, a, scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto compare(op kind, number auto a, tensor<B, TB> b, site where) {
    return compare(kind, scalar(b, static_cast<double>(a), where), b, where);
}

} // namespace detail

/// a == b, true or false for each element
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto equal(A a, B b, site where = here()) { return detail::compare(op::equal, a, b, where); }
/// a != b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto not_equal(A a, B b, site where = here()) { return detail::compare(op::not_equal, a, b, where); }
/// a > b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto greater(A a, B b, site where = here()) { return detail::compare(op::greater, a, b, where); }
/// a >= b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto greater_equal(A a, B b, site where = here()) { return detail::compare(op::greater_equal, a, b, where); }
/// a < b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto less(A a, B b, site where = here()) { return detail::compare(op::less, a, b, where); }
/// a <= b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto less_equal(A a, B b, site where = here()) { return detail::compare(op::less_equal, a, b, where); }

/// true where x is false
template <class X, dtype TX> constexpr auto logical_not(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = boolean_rule(TX, X::value);
    return detail::append<r, dtype::boolean>(op::logical_not, no_attributes{}, where, x);
}

/// a where the condition is true, b elsewhere; the three broadcast. The condition is the result of a comparison.
template <class C, dtype TC, class A, dtype TA, class B, dtype TB>
constexpr auto select(tensor<C, TC> condition, tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    constexpr inferred r =
        detail::require_arithmetic<tensor<A, TA>, tensor<B, TB>>(select_rule(TC, C::value, A::value, B::value));
    return detail::append<r>(op::select, no_attributes{}, where, condition, a, b);
}
template <class C, dtype TC, class A, dtype TA>
constexpr auto select(tensor<C, TC> condition, tensor<A, TA> a, number auto b, site where = here()) {
    return select(condition, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class C, dtype TC, class B, dtype TB>
constexpr auto select(tensor<C, TC> condition, number auto a, tensor<B, TB> b, site where = here()) {
    return select(condition, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// 1 where x is true, 0 where it is false
template <class X> constexpr auto to_f16(tensor<X, dtype::boolean> x, site where = here()) {
    return detail::append<inferred{.shape = X::value}>(op::cast, no_attributes{}, where, x);
}

} // namespace ane
