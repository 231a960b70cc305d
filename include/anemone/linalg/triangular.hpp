#pragma once

#include "factorizations.hpp"
#include "matrix.hpp"

#include <cstdint>

/// Solutions by substitution: n steps, a row of all right sides in each. To n = 32.
namespace ane::linalg {

namespace detail {

/// Substitution in the order of the rows, or against it. The elements of T on the other side of its diagonal are not
/// read, the right side B is [..., n, m].
template <bool Downwards, class T, class B> constexpr B substituted(T t, B b, source_location where) {
    constexpr std::int64_t n = rows<T>;
    // A row of `known` times X is what the diagonal divides: the right side in the row's own place less what is known.
    const auto known =
        t * constant<n, n>(t, where,
                           [](std::int64_t i, std::int64_t j) { return (Downwards ? j < i : j > i) ? -1 : 0; }) +
        identity<n>(t, where);
    const auto diagonal = diagonal_of(t, where);
    B x = b;
    for (std::int64_t step = 0; step < n; ++step) {
        const std::int64_t k = Downwards ? step : n - 1 - step;
        const auto unit = unit_column(t, k, where);
        const auto row = matmul(matmul<transposed{.a = true}>(unit, known, where), x, where);
        x = with_row(x, k, row / matmul<transposed{.a = true}>(unit, diagonal, where), where);
    }
    return x;
}

} // namespace detail

/// X of L X = B, L [..., n, n] lower triangular, B [..., n, m] (Golub and Van Loan, Matrix Computations, 3.1). What stands
/// above the diagonal is not read. X solves a system whose L is wrong by about n eps |L|, eps = 2^-11. A zero on the
/// diagonal gives infinities and NaN.
template <class L, class B>
    requires fits<detail::rules::factored_system, L, B>
constexpr B solve_lower(L l, B b, source_location where = here()) { return detail::substituted<true>(l, b, where); }
template <class L, class B, class Broken = breach<detail::rules::factored_system, L, B>> Broken solve_lower(L, B, ...);
/// X of U X = B, U [..., n, n] upper triangular: as `solve_lower`.
template <class U, class B>
    requires fits<detail::rules::factored_system, U, B>
constexpr B solve_upper(U u, B b, source_location where = here()) { return detail::substituted<false>(u, b, where); }
template <class U, class B, class Broken = breach<detail::rules::factored_system, U, B>> Broken solve_upper(U, B, ...);

/// X of A X = B by Cholesky's factor, A symmetric positive definite. The relative error is about eps times the
/// condition of A: three digits at 1, none at 2000.
template <class A, class B>
    requires fits<detail::rules::factored_system, A, B>
constexpr B solve_positive(A a, B b, source_location where = here()) {
    const A l = cholesky(a, where);
    return solve_upper(transposed_of(l, where), solve_lower(l, b, where), where);
}
template <class A, class B, class Broken = breach<detail::rules::factored_system, A, B>>
Broken solve_positive(A, B, ...);
/// X of A X = B by the factors of `lu`, within their limits.
template <class A, class B>
    requires fits<detail::rules::factored_system, A, B>
constexpr B solve(A a, B b, source_location where = here()) {
    const lu_factors<A> f = lu(a, where);
    return solve_upper(f.u, solve_lower(f.l, b, where), where);
}
template <class A, class B, class Broken = breach<detail::rules::factored_system, A, B>> Broken solve(A, B, ...);

} // namespace ane::linalg
