#pragma once

#include "products.hpp"
#include "triangular.hpp"

#include <cstdint>
#include <type_traits>

/// Orthogonal columns, least squares, and the subspaces of the largest eigenvalues.
namespace ane::linalg {

/// A = Q R: Q [..., m, n] with orthonormal columns, R [..., n, n] upper triangular.
template <class Q, class R> struct qr_factors {
    Q q;
    R r;
};

/// Modified Gram-Schmidt for A [..., m, n] with independent columns, n <= m, n <= 32 (Golub and Van Loan, 5.2). Each
/// column is made orthogonal to those before it once more before it gets length 1: Q^T Q is I to a few eps also where A's
/// condition is large, but below 1 / eps. Dependent columns give NaN, or a column of noise.
template <class A>
    requires fits<detail::rules::factored_tall, A>
constexpr auto qr(A a, source_location where = here()) {
    constexpr std::int64_t n = columns<A>;
    auto v = transposed_of(a, where); // above row k what is finished
    auto r = fill_like(matmul<transposed{.b = true}>(v, v, where), 0, where);
    for (std::int64_t k = 0; k < n; ++k) {
        const auto unit = detail::unit_column(v, k, where);
        const auto before = detail::constant<1, n>(v, where, [k](auto, std::int64_t j) { return j < k ? 1 : 0; });
        const auto row = matmul<transposed{.a = true}>(unit, v, where);
        const auto length = detail::length<axes{-1}>(row, where);
        const auto unit_row = row / length; // of length 1 first: what is small loses digits in products
        const auto again = unit_row - matmul(matmul<transposed{.b = true}>(unit_row, v, where) * before, v, where);
        const auto left = detail::length<axes{-1}>(again, where);
        const auto q = again / left;
        const auto shares = detail::from_element(matmul<transposed{.b = true}>(q, v, where), k + 1, where);
        v = detail::with_row(v - matmul<transposed{.a = true}>(shares, q, where), k, q, where);
        r = detail::with_row(r, k, shares + matmul<transposed{.b = true}>(length * left, unit, where), where);
    }
    return qr_factors<A, std::remove_const_t<decltype(r)>>{transposed_of(v, where), r};
}
template <class A, class Broken = breach<detail::rules::factored_tall, A>> Broken qr(A, ...);

/// The X that minimizes |A X - B| by columns, for A [..., m, n] as `qr`, B [..., m, k]: R^-1 Q^T B. The relative error is
/// about eps K, and eps K^2 times the part of B that A cannot reach.
template <class A, class B>
    requires fits<detail::rules::fitted, A, B>
constexpr auto least_squares(A a, B b, source_location where = here()) {
    const auto f = qr(a, where);
    return solve_upper(f.r, matmul<transposed{.a = true}>(f.q, b, where), where);
}
template <class A, class B, class Broken = breach<detail::rules::fitted, A, B>> Broken least_squares(A, B, ...);

/// Eigenvalues [..., k, 1] with their vectors as columns [..., n, k].
template <class Values, class Vectors> struct eigenpairs {
    Values values;
    Vectors vectors;
};

/// The eigenvalue of largest magnitude of a symmetric A [..., n, n], and its vector of length 1: A x, scaled, `Iterations`
/// times from a start [..., n, 1] that must not be orthogonal to it. The vector's error falls by the ratio of the two
/// largest eigenvalues a step; the value, x^T A x, has the square of it and a few eps (Golub and Van Loan, 8.2).
template <int Iterations, class A, class X>
    requires iterates<detail::rules::system_of_vectors, Iterations, A, X>
constexpr auto power_iteration(A a, X start, source_location where = here()) {
    X x = start;
    for (int i = 0; i < Iterations; ++i) {
        const X y = matmul(a, x, where);
        x = y / maximum(reduce_max<axes{-2}>(abs(y, where), where), smallest_divisor, where);
    }
    const X unit = x / norm_2(x, where);
    const auto value = dot(unit, matmul(a, unit, where), where);
    return eigenpairs<std::remove_const_t<decltype(value)>, X>{value, unit};
}
template <int Iterations, class A, class X,
          class Broken = iteration_breach<detail::rules::system_of_vectors, Iterations, A, X>>
Broken power_iteration(A, X, ...);

/// The k eigenvalues of largest magnitude of a symmetric A [..., n, n] from a start [..., n, k], k <= 32: A X, made
/// orthonormal by `qr`, `Iterations` times (Golub and Van Loan, 8.2.4).
template <int Iterations, class A, class X>
    requires iterates<detail::rules::subspace, Iterations, A, X>
constexpr auto subspace_iteration(A a, X start, source_location where = here()) {
    X x = start;
    for (int i = 0; i < Iterations; ++i) {
        x = qr(matmul(a, x, where), where).q;
    }
    const auto values = diagonal_of(matmul<transposed{.a = true}>(x, matmul(a, x, where), where), where);
    return eigenpairs<std::remove_const_t<decltype(values)>, X>{values, x};
}
template <int Iterations, class A, class X, class Broken = iteration_breach<detail::rules::subspace, Iterations, A, X>>
Broken subspace_iteration(A, X, ...);

} // namespace ane::linalg
