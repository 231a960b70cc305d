#pragma once

#include "products.hpp"

#include <cstdint>

/// Solutions of A X = B by a fixed number of iterations: A [..., n, n] of any n (512 on the engine, guide chapter 16), B
/// [..., n, m], each column by itself. Nothing stops early: choose the count for the worst input. All stop gaining at an
/// error of about eps times the condition of A, eps = 2^-11: what the fp16 numbers of A and X are worth. Scale B
/// to elements about 1: residuals below 2^-14 are subnormal, and lost. Conjugate gradients scale by themselves.
namespace ane::linalg {

namespace detail {

/// x_j^T y_j of each column: [..., 1, m]. One column is a product, which is summed wide.
template <class X> constexpr auto column_dots(X x, X y, source_location where) {
    if constexpr (columns<X> == 1) {
        return matmul<transposed{.a = true}>(x, y, where);
    } else {
        return reduce_sum<axes{-2}>(x * y, where);
    }
}
/// The largest magnitude of each column, for a division by it.
template <class X> constexpr auto largest_of_column(X x, source_location where) {
    return maximum(reduce_max<axes{-2}>(abs(x, where), where), smallest_divisor, where);
}

/// x + change(b - A x), `Iterations` times from x = 0.
template <int Iterations, class A, class B, class Change>
constexpr B corrected(A a, B b, source_location where, Change change) {
    B x = change(b);
    for (int i = 1; i < Iterations; ++i) {
        x = x + change(b - matmul(a, x, where));
    }
    return x;
}

/// Conjugate gradients with z = precondition(r). The residual is s r with the largest element of r 1, for in fp16 its
/// square would vanish long before the residual does; the direction is s p. No divisor is zero, so that what has
/// converged stays.
template <int Iterations, class A, class B, class Precondition>
constexpr B conjugate_gradients(A a, B b, source_location where, Precondition precondition) {
    auto s = largest_of_column(b, where);
    B r = b / s;
    B p = precondition(r);
    auto rho = column_dots(r, p, where);
    B x = fill_like(b, 0, where);
    for (int i = 0; i < Iterations; ++i) {
        const B q = matmul(a, p, where);
        const auto alpha = rho / maximum(column_dots(p, q, where), smallest_divisor, where);
        x = x + p * (alpha * s);
        const B left = r - q * alpha;
        const auto shrunk = largest_of_column(left, where);
        r = left / shrunk;
        const B z = precondition(r);
        const auto next = column_dots(r, z, where);
        p = z + p * (shrunk * (next / maximum(rho, smallest_divisor, where)));
        rho = next;
        s = s * shrunk;
    }
    return x;
}

} // namespace detail

/// Richardson's iteration x + omega (b - A x): converges where all eigenvalues of omega A are within 1 of 1; for a
/// positive definite A best with omega = 2 / (smallest + largest eigenvalue), an error (K - 1) / (K + 1) times the last
/// (Saad, Iterative Methods for Sparse Linear Systems, 4.2).
template <int Iterations, class A, class B>
    requires iterates<detail::rules::system, Iterations, A, B>
constexpr B richardson(A a, B b, double omega, source_location where = here()) {
    return detail::corrected<Iterations>(a, b, where, [omega](B residual) { return residual * omega; });
}
template <int Iterations, class A, class B, class Broken = iteration_breach<detail::rules::system, Iterations, A, B>>
Broken richardson(A, B, ...);

/// Jacobi's iteration x + omega D^-1 (b - A x), D the diagonal of A; omega 1, or less where it must be damped. Converges
/// for diagonally dominant A (Saad, 4.1). A zero in D gives infinities.
template <int Iterations, class A, class B>
    requires iterates<detail::rules::system, Iterations, A, B>
constexpr B jacobi(A a, B b, double omega = 1, source_location where = here()) {
    const auto diagonal = diagonal_of(a, where);
    return detail::corrected<Iterations>(a, b, where, [=](B residual) {
        const B change = residual / diagonal;
        return omega == 1 ? change : change * omega;
    });
}
template <int Iterations, class A, class B, class Broken = iteration_breach<detail::rules::system, Iterations, A, B>>
Broken jacobi(A, B, ...);

/// Chebyshev's iteration for an A whose eigenvalues lie in [low, high], low > 0: the error falls by about
/// (sqrt(K) - 1) / (sqrt(K) + 1) a step, K = high / low, without a single dot product (Saad, 12.3).
template <int Iterations, class A, class B>
    requires iterates<detail::rules::system, Iterations, A, B>
constexpr B chebyshev(A a, B b, double low, double high, source_location where = here()) {
    if (!(low > 0 && low < high)) {
        a.graph->refuse(model_rule::the_low_end_must_lie_below_the_high_end, "chebyshev, 0 < low < high", where);
        low = 1; // what the rest of the graph goes on with: there is no model
        high = 2;
    }
    const double centre = (high + low) / 2;
    const double radius = (high - low) / 2;
    double rho = radius / centre;
    B d = b * (1 / centre);
    B x = d;
    for (int i = 1; i < Iterations; ++i) {
        const double next = 1 / (2 * centre / radius - rho);
        d = d * (next * rho) + (b - matmul(a, x, where)) * (2 * next / radius);
        x = x + d;
        rho = next;
    }
    return x;
}
template <int Iterations, class A, class B, class Broken = iteration_breach<detail::rules::system, Iterations, A, B>>
Broken chebyshev(A, B, ...);

/// Conjugate gradients for a symmetric positive definite A (Hestenes and Stiefel, 1952; Saad, 6.7): n iterations where
/// arithmetic is exact, about sqrt(K) / 2 ln(2 / error) otherwise. The largest element of A should be about 1.
template <int Iterations, class A, class B>
    requires iterates<detail::rules::system, Iterations, A, B>
constexpr B conjugate_gradients(A a, B b, source_location where = here()) {
    return detail::conjugate_gradients<Iterations>(a, b, where, [](B r) { return r; });
}
template <int Iterations, class A, class B, class Broken = iteration_breach<detail::rules::system, Iterations, A, B>>
Broken conjugate_gradients(A, B, ...);

/// The same with the diagonal of A as preconditioner, which undoes a bad scale of the unknowns (Saad, 9.2). The elements
/// of the diagonal should lie within 2^-7 and 2^7.
template <int Iterations, class A, class B>
    requires iterates<detail::rules::system, Iterations, A, B>
constexpr B jacobi_conjugate_gradients(A a, B b, source_location where = here()) {
    const auto diagonal = diagonal_of(a, where);
    return detail::conjugate_gradients<Iterations>(a, b, where, [=](B r) -> B { return r / diagonal; });
}
template <int Iterations, class A, class B, class Broken = iteration_breach<detail::rules::system, Iterations, A, B>>
Broken jacobi_conjugate_gradients(A, B, ...);

} // namespace ane::linalg
