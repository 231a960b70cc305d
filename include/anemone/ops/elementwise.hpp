#pragma once

#include "append.hpp"
#include "broadcast.hpp"

#include <concepts>

/// Elementwise operations of two operands with broadcasting (R026). Each operator has a named twin that also records the
/// caller's line. A number stands for a constant of rank 0.
namespace ane {

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

namespace detail {

template <class A, dtype TA, class B, dtype TB>
constexpr auto binary(op kind, tensor<A, TA> a, tensor<B, TB> b, site where) {
    constexpr inferred r = broadcast(A::value, B::value);
    return append_arithmetic<r>(kind, no_attributes{}, where, a, b);
}

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

/// Operators cannot take a default argument: they report the line of their first operand.
template <class X, dtype TX> constexpr site site_of(tensor<X, TX> x) {
    return x.graph->nodes[static_cast<std::size_t>(x.node)].where;
}

} // namespace detail

/// a + b
template <class A, dtype TA, class B, dtype TB>
constexpr auto add(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::add, a, b, where);
}
template <class A, dtype TA> constexpr auto add(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::add, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto add(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::add, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// a - b
template <class A, dtype TA, class B, dtype TB>
constexpr auto sub(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::sub, a, b, where);
}
template <class A, dtype TA> constexpr auto sub(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::sub, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto sub(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::sub, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// a b, elementwise
template <class A, dtype TA, class B, dtype TB>
constexpr auto mul(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::mul, a, b, where);
}
template <class A, dtype TA> constexpr auto mul(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::mul, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto mul(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::mul, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// a / b
template <class A, dtype TA, class B, dtype TB>
constexpr auto div(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::div, a, b, where);
}
template <class A, dtype TA> constexpr auto div(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::div, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto div(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::div, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// min(a, b)
template <class A, dtype TA, class B, dtype TB>
constexpr auto minimum(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::minimum, a, b, where);
}
template <class A, dtype TA> constexpr auto minimum(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::minimum, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto minimum(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::minimum, detail::scalar(b, static_cast<double>(a), where), b, where);
}

/// max(a, b)
template <class A, dtype TA, class B, dtype TB>
constexpr auto maximum(tensor<A, TA> a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::maximum, a, b, where);
}
template <class A, dtype TA> constexpr auto maximum(tensor<A, TA> a, number auto b, site where = here()) {
    return detail::binary(op::maximum, a, detail::scalar(a, static_cast<double>(b), where), where);
}
template <class B, dtype TB> constexpr auto maximum(number auto a, tensor<B, TB> b, site where = here()) {
    return detail::binary(op::maximum, detail::scalar(b, static_cast<double>(a), where), b, where);
}

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
