#pragma once

#include "newton_schulz.hpp"
#include "orthogonal.hpp"

#include <cstdint>
#include <type_traits>

/// All eigenvalues and singular values by rotations of Jacobi: a fixed number of sweeps, each over all pairs of columns in
/// the rounds of a tournament, n / 2 rotations at once (Brent and Luk, 1985). n <= 20; six to ten sweeps.
namespace ane::linalg {

namespace detail {

/// Whom player i of n meets in a round of a tournament of n - 1 rounds (n if n is odd); -1 for nobody.
constexpr std::int64_t opponent(std::int64_t n, std::int64_t round, std::int64_t i) {
    const std::int64_t cycle = n + n % 2 - 1;
    std::int64_t met = 0;
    if (i == cycle) {
        met = round * ((cycle + 1) / 2) % cycle;
    } else {
        met = (round + cycle - i) % cycle;
        met = met == i ? cycle : met;
    }
    return met < n ? met : -1;
}
constexpr std::int64_t rounds_of(std::int64_t n) { return n + n % 2 - 1; }

/// The rotations that make the elements of a symmetric G between the pairs of a round zero: with tau = (g_qq - g_pp) /
/// (2 g_pq) the tangent is sign(tau) / (|tau| + sqrt(1 + tau^2)), written with quotients below 1 (Golub and Van Loan, 8.5).
template <class G> constexpr G rotation(G g, std::int64_t round, source_location where) {
    constexpr std::int64_t n = rows<G>;
    const auto pairs = selector<n, n>(g, where, [round](std::int64_t i) { return opponent(n, round, i); });
    const auto side = constant<n, 1>(g, where, [round](std::int64_t i, std::int64_t) {
        return i < opponent(n, round, i) ? smallest_divisor : -smallest_divisor;
    });
    const auto own = diagonal_of(g, where);
    const auto between = reduce_sum<axes{-1}>(g * pairs, where);
    const auto twice = between + matmul(pairs, between, where);
    const auto difference = matmul(pairs, own, where) - own;
    const auto largest = maximum(maximum(abs(difference, where), abs(twice, where), where), smallest_divisor, where);
    const auto x = clamp(difference / largest, -1, 1, where);
    const auto y = clamp(twice / largest, -1, 1, where);
    // Both of a pair turn by one angle with opposite signs; equal diagonal elements take the side's.
    const auto tangent = y * sign(x + side, where) /
                         maximum(abs(x, where) + sqrt(square(x, where) + square(y, where), where), 0.5, where);
    const auto cosine = rsqrt(square(tangent, where), 1, where);
    return identity<n>(g, where) * cosine + pairs * (tangent * cosine);
}
/// One step of Newton and Schulz towards orthonormal columns: roundings of many rotations go.
template <class V> constexpr V orthonormalized(V v, source_location where) {
    return matmul(v, from_identity(3, matmul<transposed{.a = true}>(v, v, where), where) * 0.5, where);
}
template <class A> constexpr void require_decomposed() {}

} // namespace detail

/// All eigenvalues of a symmetric A [..., n, n], in no order, and their vectors. The matrix is turned anew from the given
/// one at each sweep, and the values are v^T A v: errors of the rotations do not add up. Absolute error: a few eps |A|.
template <int Sweeps, class A>
    requires iterates<detail::rules::decomposed, Sweeps, A>
constexpr auto eigen_decomposition(A a, source_location where = here()) {
    A v = detail::from_identity(1, fill_like(a, 0, where), where);
    A turned = a;
    for (int sweep = 0; sweep < Sweeps; ++sweep) {
        for (std::int64_t round = 0; round < detail::rounds_of(rows<A>); ++round) {
            const A j = detail::rotation(turned, round, where);
            turned = matmul<transposed{.a = true}>(j, matmul(turned, j, where), where);
            v = matmul(v, j, where);
        }
        v = detail::orthonormalized(v, where);
        turned = matmul<transposed{.a = true}>(v, matmul(a, v, where), where);
    }
    const auto values = diagonal_of(turned, where);
    return eigenpairs<std::remove_const_t<decltype(values)>, A>{values, v};
}
template <int Sweeps, class A, class Broken = iteration_breach<detail::rules::decomposed, Sweeps, A>>
Broken eigen_decomposition(A, ...);

/// A = U diag(sigma) V^T: U [..., m, n] and V [..., n, n] with orthonormal columns, sigma [..., 1, n] in no order.
template <class U, class S, class V> struct singular_triplets {
    U u;
    S values;
    V v;
};

/// The singular values and vectors of A [..., m, n], n <= m, by one-sided rotations: the columns of A V are made orthogonal
/// (Hestenes, 1958). Values below |A| / 100 or so have few digits, for their squares have none (guide chapter 16); the
/// column of U of a zero is NaN.
template <int Sweeps, class A>
    requires iterates<detail::rules::decomposed_tall, Sweeps, A>
constexpr auto singular_decomposition(A a, source_location where = here()) {
    constexpr std::int64_t n = columns<A>;
    A w = a;
    auto v = matmul<transposed{.a = true}>(w, w, where);
    v = detail::from_identity(1, fill_like(v, 0, where), where);
    for (int sweep = 0; sweep < Sweeps; ++sweep) {
        for (std::int64_t round = 0; round < detail::rounds_of(n); ++round) {
            const auto j = detail::rotation(matmul<transposed{.a = true}>(w, w, where), round, where);
            w = matmul(w, j, where);
            v = matmul(v, j, where);
        }
        v = detail::orthonormalized(v, where);
        w = matmul(a, v, where);
    }
    const auto values = norm_2(w, where);
    return singular_triplets<A, std::remove_const_t<decltype(values)>, decltype(v)>{w / values, values, v};
}
template <int Sweeps, class A, class Broken = iteration_breach<detail::rules::decomposed_tall, Sweeps, A>>
Broken singular_decomposition(A, ...);

} // namespace ane::linalg
