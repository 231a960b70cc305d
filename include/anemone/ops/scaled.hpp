#pragma once

#include "../power_of_two.hpp"
#include "attention.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "matmul.hpp"

#include <utility>

/// Products that stay away from the quantum of the accumulator: an operand is multiplied by a power of two before the
/// product and the result by its inverse after it. Both are exact, so the function is the same; the accumulator, whose
/// quantum is 2^-16 whatever the operands, loses that much less. Which power: `recommended_scale`.
namespace ane {

/// An operand that carries a factor of 2^K. Products take it and give a plain tensor; nothing else does.
template <int K, class Shape, dtype Type> struct scaled_tensor { tensor<Shape, Type> value; };

namespace detail {

template <class T> inline constexpr bool is_scaled = false;
template <int K, class S, dtype T> inline constexpr bool is_scaled<scaled_tensor<K, S, T>> = true;
template <class T> inline constexpr int scale_of = 0;
template <int K, class S, dtype T> inline constexpr int scale_of<scaled_tensor<K, S, T>> = K;

template <class S, dtype T> constexpr tensor<S, T> operand_of(tensor<S, T> x) { return x; }
template <int K, class S, dtype T> constexpr tensor<S, T> operand_of(scaled_tensor<K, S, T> x) { return x.value; }

/// x 2^K; x itself where that is one.
template <int K, class X, dtype TX> constexpr tensor<X, TX> times_power(tensor<X, TX> x, site where) {
    static_assert(K >= -14 && K <= 14, "a scale of fp16 values lies between 2^-14 and 2^14");
    if constexpr (K == 0) {
        return x;
    } else {
        return mul(x, power_of_two(K), where);
    }
}

/// What a pair of operands has too much.
template <class A, class B> inline constexpr int scale_of_product = scale_of<A> + scale_of<B>;

/// The scale of an attention's scores without the factors of its query and key.
template <class Q, class K> constexpr double score_scale(double scale) {
    using query = decltype(operand_of(std::declval<Q>()));
    const double used = scale != 0 ? scale : 1.0 / square_root(static_cast<double>(query::extent.width()));
    const double scores = used * power_of_two(-scale_of_product<Q, K>);
    const bool subnormal = scores > -power_of_two(-14) && scores < power_of_two(-14);
    if (scale_of_product<Q, K> != 0 && subnormal) {
        refuse_graph("attention", "without the factors of query and key its scale is subnormal: scale them less");
    }
    return scores;
}

} // namespace detail

/// One operand of a product or both are scaled.
template <class A, class B>
concept scaled_operands = detail::is_scaled<A> || detail::is_scaled<B>;

/// x with a factor of 2^K for the product that reads it: `linear(x, scaled<6>(w), b)`. Scale the weight where there is
/// one: that is computed when it is loaded, and refused there if a value leaves fp16. An input costs a multiplication,
/// unless the operation before it takes the factor.
template <int K, class X, dtype TX> constexpr scaled_tensor<K, X, TX> scaled(tensor<X, TX> x, site where = here()) {
    return {detail::times_power<K>(x, where)};
}

/// The same matrix product, summed at a larger scale.
template <transposed Form = transposed{}, class A, class B>
    requires scaled_operands<A, B>
constexpr auto matmul(A a, B b, site where = here()) {
    return detail::times_power<-detail::scale_of_product<A, B>>(
        matmul<Form>(detail::operand_of(a), detail::operand_of(b), where), where);
}

/// The same fully connected layer, summed at a larger scale.
template <class X, class W>
    requires scaled_operands<X, W>
constexpr auto linear(X x, W weight, site where = here()) {
    return detail::times_power<-detail::scale_of_product<X, W>>(
        linear(detail::operand_of(x), detail::operand_of(weight), where), where);
}
/// The bias starts the accumulator and is scaled with it.
template <class X, class W, class B, dtype TB>
    requires scaled_operands<X, W>
constexpr auto linear(X x, W weight, tensor<B, TB> bias, site where = here()) {
    constexpr int k = detail::scale_of_product<X, W>;
    return detail::times_power<-k>(
        linear(detail::operand_of(x), detail::operand_of(weight), detail::times_power<k>(bias, where), where), where);
}

/// The same attention. A factor on the query or the key is taken out of the scores by `scale`, before the mask; one on
/// the value out of the result.
template <class Q, class K, class V>
    requires(scaled_operands<Q, K> || scaled_operands<V, V>)
constexpr auto attention(Q query, K key, V value, double scale = 0, site where = here()) {
    return detail::times_power<-detail::scale_of<V>>(attention(detail::operand_of(query), detail::operand_of(key),
                                                               detail::operand_of(value),
                                                               detail::score_scale<Q, K>(scale), where),
                                                     where);
}
template <class Q, class K, class V, class M, dtype TM>
    requires(scaled_operands<Q, K> || scaled_operands<V, V>)
constexpr auto attention(Q query, K key, V value, tensor<M, TM> mask, double scale = 0, site where = here()) {
    return detail::times_power<-detail::scale_of<V>>(attention(detail::operand_of(query), detail::operand_of(key),
                                                               detail::operand_of(value), mask,
                                                               detail::score_scale<Q, K>(scale), where),
                                                     where);
}

/// The same convolution, summed at a larger scale.
template <conv A = conv{}, class X, class W>
    requires scaled_operands<X, W>
constexpr auto conv2d(X x, W weight, site where = here()) {
    return detail::times_power<-detail::scale_of_product<X, W>>(
        conv2d<A>(detail::operand_of(x), detail::operand_of(weight), where), where);
}
template <conv A = conv{}, class X, class W, class B, dtype TB>
    requires scaled_operands<X, W>
constexpr auto conv2d(X x, W weight, tensor<B, TB> bias, site where = here()) {
    constexpr int k = detail::scale_of_product<X, W>;
    return detail::times_power<-k>(
        conv2d<A>(detail::operand_of(x), detail::operand_of(weight), detail::times_power<k>(bias, where), where),
        where);
}

/// The same transposed convolution, summed at a larger scale.
template <conv_transpose A = conv_transpose{}, class X, class W>
    requires scaled_operands<X, W>
constexpr auto conv_transpose2d(X x, W weight, site where = here()) {
    return detail::times_power<-detail::scale_of_product<X, W>>(
        conv_transpose2d<A>(detail::operand_of(x), detail::operand_of(weight), where), where);
}
template <conv_transpose A = conv_transpose{}, class X, class W, class B, dtype TB>
    requires scaled_operands<X, W>
constexpr auto conv_transpose2d(X x, W weight, tensor<B, TB> bias, site where = here()) {
    constexpr int k = detail::scale_of_product<X, W>;
    return detail::times_power<-k>(conv_transpose2d<A>(detail::operand_of(x), detail::operand_of(weight),
                                                       detail::times_power<k>(bias, where), where),
                                   where);
}

} // namespace ane
