#pragma once

#include "../values/shape.hpp"

#include <cstdint>

/// What kernels of linear algebra refuse when a model is built, as constraints: each has a twin for operands that break its
/// rule, whose result is a type without a definition (ops/shape_fault.hpp says why).
namespace ane::linalg {

/// The largest matrix that a factorization unrolls: n steps in one program (guide chapter 16).
inline constexpr std::int64_t largest_factored = 32;
/// The largest matrix of a spectral decomposition: sweeps times n steps in one program (guide chapter 16).
inline constexpr std::int64_t largest_decomposed = 20;

enum class fault : std::uint8_t {
    none,
    a_matrix_has_two_axes_at_least_and_a_vector_is_n_by_1,
    a_matrix_has_at_least_one_row_and_one_column,
    a_vector_has_one_column,
    the_matrix_must_be_square,
    the_matrix_must_not_have_more_columns_than_rows,
    the_right_side_must_have_as_many_rows_as_the_matrix,
    inner_extents_must_be_equal,
    a_factorization_is_unrolled_to_32_columns,
    a_spectral_decomposition_is_unrolled_to_20_columns,
    an_iteration_runs_at_least_once
};

/// The operands of a kernel that are wrong: there is no such value.
template <fault Broken, std::int64_t Got, std::int64_t Want, class... Operands> struct refused_operands;

/// What a rule finds: the first thing that is wrong.
struct finding {
    fault broken = fault::none;
    std::int64_t got = 0;
    std::int64_t want = 0;

    constexpr finding& require(bool kept, fault otherwise, std::int64_t found, std::int64_t wanted) {
        if (broken == fault::none && !kept) {
            *this = {otherwise, found, wanted};
        }
        return *this;
    }
};

namespace detail::rules {

constexpr finding matrix(const extents& a) {
    finding f;
    f.require(a.rank >= 2, fault::a_matrix_has_two_axes_at_least_and_a_vector_is_n_by_1, a.rank, 2);
    return f.require(a.count() >= 1, fault::a_matrix_has_at_least_one_row_and_one_column, a.count(), 1);
}
constexpr finding both(finding first, const finding& second) { return first.broken == fault::none ? second : first; }
constexpr finding matrices(const extents& a, const extents& b) { return both(matrix(a), matrix(b)); }
constexpr finding vectors(const extents& x, const extents& y) {
    finding f = matrices(x, y);
    if (f.broken == fault::none) {
        f.require(x.from_last(0) == 1, fault::a_vector_has_one_column, x.from_last(0), 1);
        f.require(y.from_last(0) == 1, fault::a_vector_has_one_column, y.from_last(0), 1);
    }
    return f;
}
constexpr finding inner(const extents& x, const extents& y) {
    finding f = vectors(x, y);
    return f.broken == fault::none ? f.require(x.from_last(1) == y.from_last(1), fault::inner_extents_must_be_equal,
                                               x.from_last(1), y.from_last(1))
                                   : f;
}
constexpr finding product(const extents& a, const extents& b) {
    finding f = matrices(a, b);
    return f.broken == fault::none ? f.require(a.from_last(0) == b.from_last(1), fault::inner_extents_must_be_equal,
                                               a.from_last(0), b.from_last(1))
                                   : f;
}
constexpr finding applied(const extents& a, const extents& x) { return both(product(a, x), vectors(x, x)); }
constexpr finding square(const extents& a) {
    finding f = matrix(a);
    return f.broken == fault::none ? f.require(a.from_last(1) == a.from_last(0), fault::the_matrix_must_be_square,
                                               a.from_last(1), a.from_last(0))
                                   : f;
}
/// As many rows as columns, or more.
constexpr finding tall(const extents& a) {
    finding f = matrix(a);
    return f.broken == fault::none
               ? f.require(a.from_last(0) <= a.from_last(1), fault::the_matrix_must_not_have_more_columns_than_rows,
                           a.from_last(0), a.from_last(1))
               : f;
}
constexpr finding small(finding f, const extents& a, fault otherwise, std::int64_t most) {
    return f.broken == fault::none ? f.require(a.from_last(0) <= most, otherwise, a.from_last(0), most) : f;
}
constexpr finding factored(const extents& a) {
    return small(square(a), a, fault::a_factorization_is_unrolled_to_32_columns, largest_factored);
}
constexpr finding factored_tall(const extents& a) {
    return small(tall(a), a, fault::a_factorization_is_unrolled_to_32_columns, largest_factored);
}
constexpr finding decomposed(const extents& a) {
    return small(square(a), a, fault::a_spectral_decomposition_is_unrolled_to_20_columns, largest_decomposed);
}
constexpr finding decomposed_tall(const extents& a) {
    return small(tall(a), a, fault::a_spectral_decomposition_is_unrolled_to_20_columns, largest_decomposed);
}
constexpr finding right_side(finding f, const extents& a, const extents& b) {
    f = both(f, matrix(b));
    return f.broken == fault::none
               ? f.require(a.from_last(1) == b.from_last(1), fault::the_right_side_must_have_as_many_rows_as_the_matrix,
                           b.from_last(1), a.from_last(1))
               : f;
}
constexpr finding system(const extents& a, const extents& b) { return right_side(square(a), a, b); }
constexpr finding factored_system(const extents& a, const extents& b) { return right_side(factored(a), a, b); }
constexpr finding fitted(const extents& a, const extents& b) { return right_side(factored_tall(a), a, b); }
constexpr finding system_of_vectors(const extents& a, const extents& x) { return both(system(a, x), vectors(x, x)); }
constexpr finding subspace(const extents& a, const extents& x) { return both(system(a, x), factored_tall(x)); }

} // namespace detail::rules

namespace detail {
template <auto Rule, int Iterations, class... T> constexpr finding found() {
    finding f = Rule(T::extent...);
    return f.require(Iterations >= 1, fault::an_iteration_runs_at_least_once, Iterations, 1);
}
/// A variable, so that it is computed once for operands of these types.
template <auto Rule, int Iterations, class... T> inline constexpr finding finding_of = found<Rule, Iterations, T...>();

template <bool Kept> struct refused_where {};
template <> struct refused_where<false> {
    template <auto Rule, int Iterations, class... T>
    using type = refused_operands<finding_of<Rule, Iterations, T...>.broken, finding_of<Rule, Iterations, T...>.got,
                                  finding_of<Rule, Iterations, T...>.want, T...>;
};
} // namespace detail

/// Whether operands keep a rule, and an iteration runs at all.
template <auto Rule, int Iterations, class... T>
concept iterates = (detail::finding_of<Rule, Iterations, T...>.broken == fault::none);
template <auto Rule, class... T>
concept fits = iterates<Rule, 1, T...>;

/// The type that says what is wrong; no type where nothing is.
template <auto Rule, int Iterations, class... T>
using iteration_breach =
    typename detail::refused_where<iterates<Rule, Iterations, T...>>::template type<Rule, Iterations, T...>;
template <auto Rule, class... T> using breach = iteration_breach<Rule, 1, T...>;

} // namespace ane::linalg
