#pragma once

#include "matrix.hpp"

#include <cstdint>

/// Levels 1 to 3 of dense linear algebra, and norms. Guide chapter 16.
namespace ane::linalg {

/// x^T y of two vectors [..., n, 1]: [..., 1, 1]. One contraction: the sum is as wide as the datapath's, the result is
/// rounded once.
template <class X, class Y>
    requires fits<detail::rules::inner, X, Y>
constexpr auto dot(X x, Y y, source_location where = here()) { return matmul<transposed{.a = true}>(x, y, where); }
template <class X, class Y, class Broken = breach<detail::rules::inner, X, Y>> Broken dot(X, Y, ...);

/// a x + y; `a` is a number or a tensor [..., 1, 1]. Two roundings.
template <class S, class X, class Y> constexpr auto axpy(S a, X x, Y y) { return x * a + y; }

/// y = alpha A x + beta y: [..., m, n], [..., n, 1], [..., m, 1]. As `gemm`.
template <class A, class X, class Y>
    requires fits<detail::rules::applied, A, X>
constexpr auto gemv(double alpha, A a, X x, double beta, Y y, source_location where = here()) {
    return matmul(a, x, where) * alpha + y * beta;
}
template <class A, class X, class Y, class Broken = breach<detail::rules::applied, A, X>>
Broken gemv(double, A, X, double, Y, ...);

/// alpha A B + beta C: [..., m, k], [..., k, n], [..., m, n]. The product is rounded once, then each of the two
/// factors and the sum: alpha A B must stay in fp16 before alpha too.
template <class A, class B, class C>
    requires fits<detail::rules::product, A, B>
constexpr auto gemm(double alpha, A a, B b, double beta, C c, source_location where = here()) {
    return matmul(a, b, where) * alpha + c * beta;
}
template <class A, class B, class C, class Broken = breach<detail::rules::product, A, B>>
Broken gemm(double, A, B, double, C, ...);

/// alpha x y^T: [..., m, 1] and [..., n, 1] give [..., m, n].
template <class X, class Y>
    requires fits<detail::rules::vectors, X, Y>
constexpr auto ger(double alpha, X x, Y y, source_location where = here()) {
    return matmul<transposed{.b = true}>(x * alpha, y, where);
}
template <class X, class Y, class Broken = breach<detail::rules::vectors, X, Y>> Broken ger(double, X, Y, ...);

namespace detail {
/// Exactly one 1 in each row: row i has it at column at(i).
template <std::int64_t Rows, std::int64_t Columns, class X, class Function>
constexpr auto selector(X like, source_location where, Function at) {
    return constant<Rows, Columns>(like, where, [at](std::int64_t i, std::int64_t j) { return at(i) == j ? 1 : 0; });
}
/// A with each element repeated `Down` times in its column and `Across` times in its row; or, `whole`, all of it.
template <std::int64_t Down, std::int64_t Across, class A>
constexpr auto repeated(A a, bool whole, source_location where) {
    const auto of = [whole](std::int64_t times, std::int64_t count) {
        return [=](std::int64_t i) { return whole ? i % count : i / times; };
    };
    const auto down = selector<rows<A> * Down, rows<A>>(a, where, of(Down, rows<A>));
    const auto across = selector<columns<A> * Across, columns<A>>(a, where, of(Across, columns<A>));
    return matmul<transposed{.b = true}>(matmul(down, a, where), across, where);
}
} // namespace detail

/// The Kronecker product: [..., m, n] and [..., p, q] give [..., mp, nq], element (ip + k, jq + l) being a_ij b_kl. Each
/// element is rounded once; both operands are spread by products with zeros and ones, which are exact for finite elements.
template <class A, class B>
    requires fits<detail::rules::matrices, A, B>
constexpr auto kron(A a, B b, source_location where = here()) {
    return detail::repeated<rows<B>, columns<B>>(a, false, where) *
           detail::repeated<rows<A>, columns<A>>(b, true, where);
}
template <class A, class B, class Broken = breach<detail::rules::matrices, A, B>> Broken kron(A, B, ...);

/// The largest sum of magnitudes of a column, [..., 1, 1]; of a vector the sum of magnitudes.
template <class A>
    requires fits<detail::rules::matrix, A>
constexpr auto norm_1(A a, source_location where = here()) {
    return reduce_max<axes{-1}>(reduce_sum<axes{-2}>(abs(a, where), where), where);
}
template <class A, class Broken = breach<detail::rules::matrix, A>> Broken norm_1(A, ...);
/// The largest sum of magnitudes of a row, [..., 1, 1]; of a vector the largest magnitude.
template <class A>
    requires fits<detail::rules::matrix, A>
constexpr auto norm_infinity(A a, source_location where = here()) {
    return reduce_max<axes{-2}>(reduce_sum<axes{-1}>(abs(a, where), where), where);
}
template <class A, class Broken = breach<detail::rules::matrix, A>> Broken norm_infinity(A, ...);
namespace detail {
/// The root of the sum of squares over axes. Squares above 255 would be infinite, those below 2^-12 zero: elements are
/// divided by the largest magnitude first. The clamp says to the analysis of ranges that the quotients end at 1.
template <axes Axes, class A> constexpr auto length(A a, source_location where) {
    const auto largest = maximum(reduce_max<Axes>(abs(a, where), where), smallest_divisor, where);
    return largest * sqrt(reduce_sum<Axes>(square(clamp(a / largest, -1, 1, where), where), where), where);
}
} // namespace detail

/// The Euclidean length of each column: [..., m, n] gives [..., 1, n]. Four roundings; the sum of squares must stay below
/// 65504 times the square of the largest, so that up to 65504 elements are safe.
template <class A>
    requires fits<detail::rules::matrix, A>
constexpr auto norm_2(A a, source_location where = here()) { return detail::length<axes{-2}>(a, where); }
template <class A, class Broken = breach<detail::rules::matrix, A>> Broken norm_2(A, ...);
/// The root of the sum of squares of all elements, [..., 1, 1]: as `norm_2`.
template <class A>
    requires fits<detail::rules::matrix, A>
constexpr auto norm_frobenius(A a, source_location where = here()) { return detail::length<axes{-2, -1}>(a, where); }
template <class A, class Broken = breach<detail::rules::matrix, A>> Broken norm_frobenius(A, ...);

} // namespace ane::linalg
