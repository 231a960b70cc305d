#pragma once

#include "append.hpp"
#include "broadcast.hpp"

#include <concepts>

/// Elementwise operations of two operands with broadcasting (R026). Each operator has a named twin that also records
/// the caller's line. A number stands for a constant of rank 0.
namespace ane {

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

namespace detail {

template <class T> inline constexpr bool is_tensor = false;
template <class Shape, dtype Type> inline constexpr bool is_tensor<tensor<Shape, Type>> = true;

/// A constant of rank 0 in the graph that `like` belongs to.
template <class X, dtype TX> constexpr tensor<shape<>> scalar(tensor<X, TX> like, double value, site where) {
    require_fp16(value);
    node n;
    n.kind = op::constant;
    const float values[] = {static_cast<float>(value)};
    n.attributes = like.graph->keep(values);
    n.where = where;
    return {like.graph, like.graph->append(n, {})};
}

// A variable of its own, not of the function: computed once, not at each call in the graph's constant.
template <class A, class B> inline constexpr inferred broadcast_of = broadcast(A::value, B::value);

template <class A, dtype TA, class B, dtype TB>
constexpr auto binary(op kind, tensor<A, TA> a, tensor<B, TB> b, site where) {
    return append_arithmetic<broadcast_of<A, B>>(kind, no_attributes{}, where, a, b);
}
template <class A, dtype TA> constexpr auto binary(op kind, tensor<A, TA> a, number auto b, site where) {
    return binary(kind, a, scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto binary(op kind, number auto a, tensor<B, TB> b, site where) {
    return binary(kind, scalar(b, static_cast<double>(a), where), b, where);
}

/// Operators cannot take a default argument: they report the line of their first operand.
template <class X, dtype TX> constexpr site site_of(tensor<X, TX> x) {
    return x.graph->nodes[static_cast<std::size_t>(x.node)].where;
}

} // namespace detail

/// Two operands, at least one of them a tensor.
template <class A, class B>
concept operand_pair = (detail::is_tensor<A> && (detail::is_tensor<B> || number<B>)) ||
                       (number<A> && detail::is_tensor<B>);

/// a + b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto add(A a, B b, site where = here()) { return detail::binary(op::add, a, b, where); }
/// a - b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto sub(A a, B b, site where = here()) { return detail::binary(op::sub, a, b, where); }
/// a b, elementwise
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto mul(A a, B b, site where = here()) { return detail::binary(op::mul, a, b, where); }
/// a / b; before A13 the divisor must be a constant (R178)
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto div(A a, B b, site where = here()) { return detail::binary(op::div, a, b, where); }
/// min(a, b)
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto minimum(A a, B b, site where = here()) { return detail::binary(op::minimum, a, b, where); }
/// max(a, b)
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto maximum(A a, B b, site where = here()) { return detail::binary(op::maximum, a, b, where); }
/// a^b
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto pow(A a, B b, site where = here()) { return detail::binary(op::pow, a, b, where); }
/// The largest integer that is not above a / b. On A11 and A12 floor(a fp16(1 / b)), which can be one too small: 6 / 3
/// gives 1 (N123, decompiled).
template <class A, class B>
    requires operand_pair<A, B>
constexpr auto floor_div(A a, B b, site where = here()) { return detail::binary(op::floor_div, a, b, where); }

template <class A, dtype TA, class B, dtype TB> constexpr auto operator+(tensor<A, TA> a, tensor<B, TB> b) {
    return add(a, b, detail::site_of(a));
}
template <class A, dtype TA> constexpr auto operator+(tensor<A, TA> a, number auto b) {
    return add(a, b, detail::site_of(a));
}
template <class B, dtype TB> constexpr auto operator+(number auto a, tensor<B, TB> b) {
    return add(a, b, detail::site_of(b));
}
template <class A, dtype TA, class B, dtype TB> constexpr auto operator-(tensor<A, TA> a, tensor<B, TB> b) {
    return sub(a, b, detail::site_of(a));
}
template <class A, dtype TA> constexpr auto operator-(tensor<A, TA> a, number auto b) {
    return sub(a, b, detail::site_of(a));
}
template <class B, dtype TB> constexpr auto operator-(number auto a, tensor<B, TB> b) {
    return sub(a, b, detail::site_of(b));
}
template <class A, dtype TA, class B, dtype TB> constexpr auto operator*(tensor<A, TA> a, tensor<B, TB> b) {
    return mul(a, b, detail::site_of(a));
}
template <class A, dtype TA> constexpr auto operator*(tensor<A, TA> a, number auto b) {
    return mul(a, b, detail::site_of(a));
}
template <class B, dtype TB> constexpr auto operator*(number auto a, tensor<B, TB> b) {
    return mul(a, b, detail::site_of(b));
}
template <class A, dtype TA, class B, dtype TB> constexpr auto operator/(tensor<A, TA> a, tensor<B, TB> b) {
    return div(a, b, detail::site_of(a));
}
template <class A, dtype TA> constexpr auto operator/(tensor<A, TA> a, number auto b) {
    return div(a, b, detail::site_of(a));
}
template <class B, dtype TB> constexpr auto operator/(number auto a, tensor<B, TB> b) {
    return div(a, b, detail::site_of(b));
}
template <class A, dtype TA> constexpr auto operator-(tensor<A, TA> a) { return mul(a, -1.0, detail::site_of(a)); }

} // namespace ane
