#pragma once

#include "refused.hpp"

#include <concepts>
#include <type_traits>

/// Calls that read as if they were right, since other libraries write them so: one row each with the builder, the type of
/// the constant that it takes in angle brackets, and how it is called. What compilers say of a call without a candidate is
/// long and names no remedy; these are candidates for what the builder itself does not take, and do not compile.
#define ANEMONE_MISUSED_OPERATIONS(ROW)                                                                                \
    ROW(max_pool, pool, "max_pool<pool{.kernel = 2}>(x)")                                                              \
    ROW(avg_pool, pool, "avg_pool<pool{.kernel = 2}>(x)")                                                              \
    ROW(l2_pool, pool, "l2_pool<pool{.kernel = 2}>(x)")                                                                \
    ROW(slice, window, "slice<window{{0, 8}, {1, 8}}>(x) begins at 0, 8 and takes 1, 8 elements")                      \
    ROW(transpose, permutation, "transpose<permutation{0, 2, 1}>(x)")                                                  \
    ROW(pad, pads, "pad<pads{{0, 1}, {0, 1}}>(x) adds before and behind every axis")                                   \
    ROW(tile, repeats, "tile<repeats{1, 2}>(x)")                                                                       \
    ROW(top_k, int, "top_k<5>(x)")                                                                                     \
    ROW(group_norm, int, "group_norm<8>(x, gamma, beta)")                                                              \
    ROW(einsum, std::string_view, "einsum<\"ij,jk->ik\">(a, b)")

namespace ane {

namespace detail {

/// Whether the constants of a call do not begin with one of the type that the builder takes.
template <class Wanted, class First = void, class...>
inline constexpr bool begins_otherwise = !std::is_same_v<std::remove_cv_t<First>, Wanted>;

} // namespace detail

#define ANEMONE_ROW(name, constant, how)                                                                               \
    template <auto... an_attribute_is_a_constant_expression, class... Operands>                                        \
        requires(detail::begins_otherwise<constant, decltype(an_attribute_is_a_constant_expression)...> &&             \
                 (detail::of_a_model<Operands> || ...))                                                                \
    __attribute__((unavailable("what describes the operation is a constant in angle brackets: " how))) constexpr auto  \
    name(Operands... operands) {                                                                                       \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name,              \
                                     operands...);                                                                     \
    }
ANEMONE_MISUSED_OPERATIONS(ANEMONE_ROW)
#undef ANEMONE_ROW

// What the standard library calls the larger or the smaller of two.
#define ANEMONE_OF_TWO(name, how)                                                                                      \
    template <class A, class B>                                                                                        \
        requires(detail::of_a_model<A> || detail::of_a_model<B>)                                                       \
    __attribute__((unavailable(how))) constexpr auto name(A a, B b) {                                                  \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name, a, b);       \
    }
ANEMONE_OF_TWO(max, "the larger element of two is maximum(a, b), of an axis reduce_max<axes{1}>(x)")
ANEMONE_OF_TWO(min, "the smaller element of two is minimum(a, b), of an axis reduce_min<axes{1}>(x)")
#undef ANEMONE_OF_TWO

} // namespace ane

#undef ANEMONE_MISUSED_OPERATIONS
