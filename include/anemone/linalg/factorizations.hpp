#pragma once

#include "matrix.hpp"

#include <cstdint>
#include <type_traits>

/// Factorizations without pivots, a row in each of n steps. Each element is one contraction over the rows made before,
/// a_kj - sum of l_ki u_ij, which the datapath sums wide and rounds once (guide chapter 16). To n = 32. Without a pivot,
/// a zero on the way, which data decides, leaves infinities and NaN: nothing is checked while a program runs.
namespace ane::linalg {

/// A = L U: `l` has ones on its diagonal.
template <class A> struct lu_factors {
    A l;
    A u;
};
/// A = L D L^T: `l` has ones on its diagonal, `d` [..., n, 1] is that of D.
template <class A, class D> struct ldl_factors {
    A l;
    D d;
};

namespace detail {

/// Row k of `from` less the rows of `from` above it, each times element k of the row of `by` with its number.
template <class A> constexpr auto eliminated(A from, A by, std::int64_t k, source_location where) {
    const auto above = constant<rows<A>, 1>(from, where, [k](std::int64_t i, std::int64_t) { return i < k ? -1 : 0; });
    const auto unit = unit_column(from, k, where);
    return matmul<transposed{.a = true}>(matmul(by, unit, where) * above + unit, from, where);
}
/// The row with zeros before element `first`.
template <class Row> constexpr Row from_element(Row row, std::int64_t first, source_location where) {
    return row *
           constant<1, columns<Row>>(row, where, [first](std::int64_t, std::int64_t j) { return j < first ? 0 : 1; });
}
template <class Row> constexpr auto element(Row row, std::int64_t k, source_location where) {
    return matmul(row,
                  constant<columns<Row>, 1>(row, where, [k](std::int64_t i, std::int64_t) { return i == k ? 1 : 0; }),
                  where);
}

} // namespace detail

/// The lower triangle L of A = L L^T for a symmetric positive definite A [..., n, n] (Golub and Van Loan, Matrix
/// Computations, 4.2). |A - L L^T| is about n eps |A|, eps = 2^-11. Where a pivot is not positive, NaN or, on the engine,
/// infinities.
template <class A>
    requires fits<detail::rules::factored, A>
constexpr A cholesky(A a, source_location where = here()) {
    A u = a;
    for (std::int64_t k = 0; k < rows<A>; ++k) {
        const auto row = detail::eliminated(u, u, k, where);
        const auto root = sqrt(detail::element(row, k, where), where);
        u = detail::with_row(u, k, detail::from_element(row, k, where) / root, where);
    }
    return transposed_of(u, where);
}
template <class A, class Broken = breach<detail::rules::factored, A>> Broken cholesky(A, ...);

/// A = L U for a general A [..., n, n] whose leading minors are not zero: Doolittle (Golub and Van Loan, 3.2). Exact to
/// about n eps |L| |U|, which is large where a pivot is small: for diagonally dominant and positive definite matrices.
template <class A>
    requires fits<detail::rules::factored, A>
constexpr lu_factors<A> lu(A a, source_location where = here()) {
    A u = a;
    A turned_l = transposed_of(a, where);
    for (std::int64_t k = 0; k < rows<A>; ++k) {
        const auto row = detail::from_element(detail::eliminated(u, turned_l, k, where), k, where);
        const auto column = detail::from_element(detail::eliminated(turned_l, u, k, where), k, where);
        const auto pivot = detail::element(row, k, where);
        u = detail::with_row(u, k, row, where);
        turned_l = detail::with_row(turned_l, k, column / pivot, where);
    }
    return {transposed_of(turned_l, where), u};
}
template <class A, class Broken = breach<detail::rules::factored, A>> Broken lu(A, ...);

/// A = L D L^T for a symmetric A [..., n, n] whose leading minors are not zero, definite or not (Golub and Van Loan,
/// 4.1). Error as of `lu`.
template <class A>
    requires fits<detail::rules::factored, A>
constexpr auto ldl(A a, source_location where = here()) {
    A u = a; // D L^T
    A turned_l = a;
    for (std::int64_t k = 0; k < rows<A>; ++k) {
        const auto row = detail::from_element(detail::eliminated(u, turned_l, k, where), k, where);
        u = detail::with_row(u, k, row, where);
        turned_l = detail::with_row(turned_l, k, row / detail::element(row, k, where), where);
    }
    const auto d = diagonal_of(u, where);
    return ldl_factors<A, std::remove_const_t<decltype(d)>>{transposed_of(turned_l, where), d};
}
template <class A, class Broken = breach<detail::rules::factored, A>> Broken ldl(A, ...);

} // namespace ane::linalg
