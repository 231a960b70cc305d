#pragma once

#include "append.hpp"
#include "broadcast.hpp"

#include <cstddef>

/// Elementwise operations of two operands with broadcasting (R026). Each operator has a named twin that also records
/// the caller's line. A number stands for a constant of rank 0.
namespace ane {

namespace shapes {
/// Axes are matched from the last; a number has none (R026).
struct broadcast {
    static constexpr bool takes_numbers = true;
    static constexpr inferred judge(const extents& a, const extents& b) { return detail::broadcast(a, b); }
};
/// The same into the shape of the first, which stays: for assignments.
struct broadcast_into {
    static constexpr bool takes_numbers = true;
    static constexpr inferred judge(const extents& a, const extents& b) {
        inferred r = detail::broadcast(a, b);
        r.require(r.shape.rank == a.rank, fault::the_left_side_of_an_assignment_keeps_its_rank, r.shape.rank, a.rank);
        for (int i = 0; r.ok() && i < a.rank; ++i) {
            r.require(r.shape[i] == a[i], fault::the_left_side_of_an_assignment_keeps_its_extents, r.shape[i], a[i]);
        }
        return r;
    }
};
} // namespace shapes

namespace detail {

/// A constant of rank 0 in the graph that `like` belongs to.
template <class X, dtype TX> constexpr tensor<shape<>> scalar(tensor<X, TX> like, double value, source_location where) {
    like.graph->require_fp16(value, "constant", where);
    node n;
    n.kind = op::constant;
    const float values[] = {static_cast<float>(value)};
    n.attributes = like.graph->keep(values);
    n.where = where;
    return {like.graph, like.graph->append(n, {})};
}

/// Appends an operation of two operands, one of which may be a number.
template <dtype Type = dtype::f16, class A, class B> constexpr auto binary(op kind, A a, B b, source_location where) {
    if constexpr (number<A>) {
        return binary<Type>(kind, scalar(b, static_cast<double>(a), where), b, where);
    } else if constexpr (number<B>) {
        return binary<Type>(kind, a, scalar(a, static_cast<double>(b), where), where);
    } else {
        return append<shapes::broadcast, Type>(kind, no_attributes{}, where, a, b);
    }
}

/// Operators cannot take a default argument: they report the line of their first operand; where two belong to two graphs, the
/// later of both lines, which is nearer.
template <class A> constexpr source_location site_of(A a) {
    return a.graph->nodes[static_cast<std::size_t>(a.node)].where;
}
template <class A, class B> constexpr source_location site_of(A a, B b) {
    if constexpr (number<A>) {
        return site_of(b);
    } else if constexpr (number<B>) {
        return site_of(a);
    } else {
        const source_location first = site_of(a);
        return a.graph == b.graph || site_of(b).line < first.line ? first : site_of(b);
    }
}

} // namespace detail

// The named ones, by their rows in graph/operations.def.
#define ANEMONE_ARITHMETIC(name, ...)                                                                                  \
    template <class A, class B>                                                                                        \
        requires obeys<shapes::broadcast, A, B>                                                                        \
    constexpr auto name(A a, B b, source_location where = here()) { return detail::binary(op::name, a, b, where); }    \
    template <class A, class B, class Broken = breach<op::name, shapes::broadcast, A, B>> Broken name(A, B, ...);
#include "../graph/operations.def"

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator+(A a, B b) { return detail::binary(op::add, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::add, shapes::broadcast, A, B>> Broken operator+(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator-(A a, B b) { return detail::binary(op::sub, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::sub, shapes::broadcast, A, B>> Broken operator-(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator*(A a, B b) { return detail::binary(op::mul, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::mul, shapes::broadcast, A, B>> Broken operator*(A, B);

template <class A, class B>
    requires obeys<shapes::broadcast, A, B>
constexpr auto operator/(A a, B b) { return detail::binary(op::div, a, b, detail::site_of(a, b)); }
template <class A, class B, class Broken = breach<op::div, shapes::broadcast, A, B>> Broken operator/(A, B);

template <class A>
    requires obeys<shapes::same, A>
constexpr auto operator-(A a) { return detail::binary(op::mul, a, -1.0, detail::site_of(a)); }
template <class A, class Broken = breach<op::mul, shapes::same, A>> Broken operator-(A);

/// `h += x` gives the variable h a new value, h + x, which must have its shape; so with `-=`, `*=` and `/=`. Nodes do not
/// change: copies made before keep the old value.
template <class X, dtype TX, class B>
    requires obeys<shapes::broadcast_into, tensor<X, TX>, B>
constexpr tensor<X, TX>& operator+=(tensor<X, TX>& a, B b) {
    return a = detail::binary(op::add, a, b, detail::site_of(a, b));
}
template <class X, dtype TX, class B, class Broken = breach<op::add, shapes::broadcast_into, tensor<X, TX>, B>>
Broken operator+=(tensor<X, TX>&, B);

template <class X, dtype TX, class B>
    requires obeys<shapes::broadcast_into, tensor<X, TX>, B>
constexpr tensor<X, TX>& operator-=(tensor<X, TX>& a, B b) {
    return a = detail::binary(op::sub, a, b, detail::site_of(a, b));
}
template <class X, dtype TX, class B, class Broken = breach<op::sub, shapes::broadcast_into, tensor<X, TX>, B>>
Broken operator-=(tensor<X, TX>&, B);

template <class X, dtype TX, class B>
    requires obeys<shapes::broadcast_into, tensor<X, TX>, B>
constexpr tensor<X, TX>& operator*=(tensor<X, TX>& a, B b) {
    return a = detail::binary(op::mul, a, b, detail::site_of(a, b));
}
template <class X, dtype TX, class B, class Broken = breach<op::mul, shapes::broadcast_into, tensor<X, TX>, B>>
Broken operator*=(tensor<X, TX>&, B);

template <class X, dtype TX, class B>
    requires obeys<shapes::broadcast_into, tensor<X, TX>, B>
constexpr tensor<X, TX>& operator/=(tensor<X, TX>& a, B b) {
    return a = detail::binary(op::div, a, b, detail::site_of(a, b));
}
template <class X, dtype TX, class B, class Broken = breach<op::div, shapes::broadcast_into, tensor<X, TX>, B>>
Broken operator/=(tensor<X, TX>&, B);

} // namespace ane
