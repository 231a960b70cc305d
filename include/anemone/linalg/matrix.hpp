#pragma once

#include "../ops/ops.hpp"
#include "refusal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// What all kernels of linear algebra share. A matrix is a tensor [..., rows, columns], a vector a matrix of one column
/// [..., n, 1]; the leading axes hold independent problems, and the columns of a right side are independent too.
namespace ane::linalg {

/// What a division that may meet zero divides by at least: the smallest normal number of fp16.
inline constexpr double smallest_divisor = 0x1p-14;

template <class A> inline constexpr std::int64_t rows = A::extent.rank >= 2 ? A::extent.from_last(1) : 0;
template <class A> inline constexpr std::int64_t columns = A::extent.rank >= 2 ? A::extent.from_last(0) : 0;

namespace detail {

/// The shape of what is the same for each problem of X: as many axes, the last two of these extents, the others 1. A
/// variable of a struct, for g++ 12 fails on the call as an argument of the shape.
template <class X, std::int64_t Rows, std::int64_t Columns> struct shared_by {
    static constexpr extents value = [] {
        extents e = X::extent;
        for (int i = 0; i < e.rank; ++i) {
            e[i] = 1;
        }
        e[e.rank - 2] = Rows;
        e[e.rank - 1] = Columns;
        return e;
    }();
    using shape = shape_of<value>;
};

/// The constant whose element (i, j) is of(i, j), shared by all problems of `like`.
template <std::int64_t Rows, std::int64_t Columns, class X, class Function>
constexpr tensor<typename shared_by<X, Rows, Columns>::shape> constant(X like, source_location where, Function of) {
    std::array<float, static_cast<std::size_t>(Rows * Columns)> values{};
    for (std::int64_t i = 0; i < Rows; ++i) {
        for (std::int64_t j = 0; j < Columns; ++j) {
            values[static_cast<std::size_t>(i * Columns + j)] = static_cast<float>(of(i, j));
        }
    }
    return builder(*like.graph.operator->())
        .constant(tensor_type<typename shared_by<X, Rows, Columns>::shape, dtype::f16>{}, values, where);
}

/// The k-th column of the identity matrix of as many rows as A.
template <class A> constexpr auto unit_column(A a, std::int64_t k, source_location where) {
    return constant<rows<A>, 1>(a, where, [k](std::int64_t i, std::int64_t) { return i == k ? 1 : 0; });
}
template <std::int64_t N, class A> constexpr auto identity(A a, source_location where) {
    return constant<N, N>(a, where, [](std::int64_t i, std::int64_t j) { return i == j ? 1 : 0; });
}

/// The matrix with its last two axes exchanged.
template <class A, std::size_t... Axis>
constexpr auto turned(A a, source_location where, std::index_sequence<Axis...>) {
    constexpr int last = A::extent.rank - 1;
    constexpr auto from = [](int axis) { return axis == last ? last - 1 : (axis == last - 1 ? last : axis); };
    return ane::transpose<permutation{from(static_cast<int>(Axis))...}>(a, where);
}

/// The matrix with row k replaced. Written with a mask, so that each step of a loop has the types of all others: the
/// compiler instantiates one step, however many there are.
template <class A, class Row> constexpr A with_row(A a, std::int64_t k, Row row, source_location where) {
    const auto others = constant<rows<A>, 1>(a, where, [k](std::int64_t i, std::int64_t) { return i == k ? 0 : 1; });
    return a * others + unit_column(a, k, where) * row;
}

} // namespace detail

/// A^T: [..., m, n] gives [..., n, m]. Exact.
template <class A>
    requires fits<detail::rules::matrix, A>
constexpr auto transposed_of(A a, source_location where = here()) {
    return detail::turned(a, where, std::make_index_sequence<static_cast<std::size_t>(A::extent.rank)>());
}
template <class A, class Broken = breach<detail::rules::matrix, A>> Broken transposed_of(A, ...);

/// The diagonal of a square matrix as a vector [..., n, 1]. Exact where all elements are finite.
template <class A>
    requires fits<detail::rules::square, A>
constexpr auto diagonal_of(A a, source_location where = here()) {
    return reduce_sum<axes{-1}>(a * detail::identity<rows<A>>(a, where), where);
}
template <class A, class Broken = breach<detail::rules::square, A>> Broken diagonal_of(A, ...);

} // namespace ane::linalg
