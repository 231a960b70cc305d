#pragma once

#include "products.hpp"

/// Functions of a matrix by products alone, of any n: iterations of Newton and Schulz, which square the error in each step
/// once it is below 1 (Higham, Functions of Matrices, chapters 5 to 8). They begin with a matrix scaled by its norms; small
/// singular values grow by 2 (inverse) or 1.5 (root, polar factor) a step, hence about 2 log2 K or 1.7 log2 K steps and four.
namespace ane::linalg {

namespace detail {
/// c I - X.
template <class X> constexpr X from_identity(double c, X x, source_location where) {
    return identity<rows<X>>(x, where) * c - x;
}
} // namespace detail

/// A^-1 of a regular A [..., n, n]: X (2 I - A X), from A^T / (|A|_1 |A|_infinity). The elements of A^-1 must be fp16
/// numbers. |A X - I| ends at about eps K.
template <int Iterations, class A>
    requires iterates<detail::rules::square, Iterations, A>
constexpr A inverse_of(A a, source_location where = here()) {
    A x = transposed_of(a / norm_1(a, where), where) / norm_infinity(a, where);
    for (int i = 0; i < Iterations; ++i) {
        x = matmul(x, detail::from_identity(2, matmul(a, x, where), where), where);
    }
    return x;
}
template <int Iterations, class A, class Broken = iteration_breach<detail::rules::square, Iterations, A>>
Broken inverse_of(A, ...);

/// A^1/2 and A^-1/2.
template <class A> struct matrix_roots {
    A root;
    A inverse_root;
};

/// The roots of a symmetric positive definite A [..., n, n]: Y T and T Z with T = (3 I - Z Y) / 2, from A / |A|_infinity
/// and I.
template <int Iterations, class A>
    requires iterates<detail::rules::square, Iterations, A>
constexpr matrix_roots<A> square_root_of(A a, source_location where = here()) {
    const auto scale = norm_infinity(a, where);
    A y = a / scale;
    A z = detail::from_identity(1, fill_like(a, 0, where), where);
    for (int i = 0; i < Iterations; ++i) {
        const A t = detail::from_identity(3, matmul(z, y, where), where) * 0.5;
        y = matmul(y, t, where);
        z = matmul(t, z, where);
    }
    const auto root = sqrt(scale, where);
    return {y * root, z / root};
}
template <int Iterations, class A, class Broken = iteration_breach<detail::rules::square, Iterations, A>>
Broken square_root_of(A, ...);

/// The orthogonal factor U of A = U H, H symmetric, for A [..., m, n] of full rank n <= m: X (3 I - X^T X) / 2, from
/// A / sqrt(|A|_1 |A|_infinity).
template <int Iterations, class A>
    requires iterates<detail::rules::tall, Iterations, A>
constexpr A polar_factor(A a, source_location where = here()) {
    A x = a / sqrt(norm_1(a, where), where) / sqrt(norm_infinity(a, where), where);
    for (int i = 0; i < Iterations; ++i) {
        x = matmul(x, detail::from_identity(3, matmul<transposed{.a = true}>(x, x, where), where) * 0.5, where);
    }
    return x;
}
template <int Iterations, class A, class Broken = iteration_breach<detail::rules::tall, Iterations, A>>
Broken polar_factor(A, ...);

} // namespace ane::linalg
