#pragma once

#include "refused.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
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

// What the standard library calls the larger or the smaller of two, and C++ the conjunction of conditions.
#define ANEMONE_OF_TWO(name, how)                                                                                      \
    template <class A, class B>                                                                                        \
        requires(detail::of_a_model<A> || detail::of_a_model<B>)                                                       \
    __attribute__((unavailable(how))) constexpr auto name(A a, B b) {                                                  \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name, a, b);       \
    }
ANEMONE_OF_TWO(max, "the larger element of two is maximum(a, b), of an axis reduce_max<axes{1}>(x)")
ANEMONE_OF_TWO(min, "the smaller element of two is minimum(a, b), of an axis reduce_min<axes{1}>(x)")
ANEMONE_OF_TWO(operator&&, "conditions on tensors are combined by logical_and(c, d)")
ANEMONE_OF_TWO(operator||, "conditions on tensors are combined by logical_or(c, d)")
ANEMONE_OF_TWO(operator^, "a power is pow(x, 3), square(x)")
#undef ANEMONE_OF_TWO

// An extent list is no type, and no argument.
template <class Extents, class X>
    requires detail::of_a_model<X>
__attribute__((unavailable("extents stand in angle brackets: reshape<1, 64>(x)"))) constexpr auto reshape(X x) {
    return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, "reshape", x);
}
template <class X>
    requires detail::of_a_model<X>
__attribute__((unavailable("extents stand in angle brackets: reshape<1, 64>(x)"))) constexpr auto reshape(
    X x, std::initializer_list<std::int64_t>) {
    return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, "reshape", x);
}
template <class X, class First, class Second, class... More>
    requires(detail::of_a_model<X>&& std::is_integral_v<First>&& std::is_integral_v<Second>)
__attribute__((unavailable("extents stand in angle brackets: reshape<1, 64>(x)"))) constexpr auto reshape(X x, First,
                                                                                                          Second,
                                                                                                          More...) {
    return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, "reshape", x);
}

// A size is a factor of one operation, and two extents of another.
template <auto First, auto... More, class X>
    requires(std::is_integral_v<decltype(First)>&& detail::of_a_model<X>)
__attribute__((unavailable("a factor is that of resize<rescaling{.by = 2}>(x), extents are those of "
                           "resize_bilinear<size2{16, 16}>(x)"))) constexpr auto
resize(X x) {
    return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, "resize", x);
}

// One end of two.
#define ANEMONE_OF_ONE_END(name)                                                                                       \
    template <class X>                                                                                                 \
        requires detail::of_a_model<X>                                                                                 \
    __attribute__((unavailable(#name " takes both ends: " #name "(x, 0, 6); one end is maximum(x, 0) or "              \
                                     "minimum(x, 6)"))) constexpr auto                                                 \
    name(X x, double) {                                                                                                \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name, x);          \
    }
ANEMONE_OF_ONE_END(clamp)
ANEMONE_OF_ONE_END(clip)
#undef ANEMONE_OF_ONE_END

// Several axes are one constant.
#define ANEMONE_REDUCTION(name, onnx, meaning)                                                                         \
    template <auto First, auto Second, auto... More, class X>                                                          \
        requires(std::is_integral_v<decltype(Second)> && !std::is_same_v<decltype(Second), bool> &&                    \
                 detail::of_a_model<X>)                                                                                \
    __attribute__((unavailable("several axes are one constant: " #name "<axes{2, 3}>(x)"))) constexpr auto name(X x) { \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name, x);          \
    }
#include "../graph/operations.def"

// Operands are arguments, not a list.
#define ANEMONE_OF_A_LIST(name)                                                                                        \
    template <auto... constants, class X>                                                                              \
        requires detail::of_a_model<X>                                                                                 \
    __attribute__((unavailable("operands are arguments of their own: " #name "<axis{1}>(x, y)"))) constexpr auto name( \
        std::initializer_list<X> operands) {                                                                           \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name,              \
                                     *operands.begin());                                                               \
    }
ANEMONE_OF_A_LIST(concat)
ANEMONE_OF_A_LIST(stack)
#undef ANEMONE_OF_A_LIST

// What other libraries call an operation.
#define ANEMONE_OTHER_NAME(name, how)                                                                                  \
    template <auto... constants, class... Operands>                                                                    \
        requires(detail::of_a_model<Operands> || ...)                                                                  \
    __attribute__((unavailable("write " how))) constexpr auto name(Operands... operands) {                             \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name,              \
                                     operands...);                                                                     \
    }
ANEMONE_OTHER_NAME(argmax, "arg_max<axis{1}>(x)")
ANEMONE_OTHER_NAME(argmin, "arg_min<axis{1}>(x)")
ANEMONE_OTHER_NAME(global_avg_pool, "reduce_mean<axes{2, 3}>(x)")
ANEMONE_OTHER_NAME(global_max_pool, "reduce_max<axes{2, 3}>(x)")
ANEMONE_OTHER_NAME(embedding, "gather<axis{0}>(table, ids)")
ANEMONE_OTHER_NAME(where, "select(c, a, b)")
ANEMONE_OTHER_NAME(cat, "concat<axis{1}>(x, y)")
ANEMONE_OTHER_NAME(permute, "transpose<permutation{0, 2, 1}>(x)")
ANEMONE_OTHER_NAME(view, "reshape<1, 64>(x)")
ANEMONE_OTHER_NAME(unsqueeze, "expand_dims<axes{0}>(x)")
ANEMONE_OTHER_NAME(sum, "reduce_sum<axes{1}>(x)")
ANEMONE_OTHER_NAME(mean, "reduce_mean<axes{1}>(x)")
ANEMONE_OTHER_NAME(bmm, "matmul(a, b)")
ANEMONE_OTHER_NAME(upsample, "upsample_nearest_neighbor<2>(x)")
ANEMONE_OTHER_NAME(interpolate, "resize_bilinear<size2{16, 16}>(x)")
#undef ANEMONE_OTHER_NAME

// Parameters that are weights of the model, not made by the operation.
#define ANEMONE_TOO_FEW(name, least, how)                                                                              \
    template <auto... constants, class... Operands>                                                                    \
        requires(sizeof...(Operands) < least && (detail::of_a_model<Operands> || ...))                                 \
    __attribute__((unavailable("its parameters are weights of the model: " how))) constexpr auto name(                 \
        Operands... operands) {                                                                                        \
        return detail::refused_among(model_rule::the_call_must_be_written_as_the_first_error_says, #name,              \
                                     operands...);                                                                     \
    }
ANEMONE_TOO_FEW(conv2d, 2, "conv2d(x, w) or conv2d(x, w, bias)")
ANEMONE_TOO_FEW(linear, 2, "linear(x, w) or linear(x, w, bias)")
ANEMONE_TOO_FEW(layer_norm, 3, "layer_norm(x, gamma, beta)")
ANEMONE_TOO_FEW(rms_norm, 2, "rms_norm(x, gamma)")
ANEMONE_TOO_FEW(instance_norm, 3, "instance_norm(x, gamma, beta)")
ANEMONE_TOO_FEW(batch_norm, 5, "batch_norm(x, mean, variance, gamma, beta)")
#undef ANEMONE_TOO_FEW

} // namespace ane

#undef ANEMONE_MISUSED_OPERATIONS
