#pragma once

#include "../values/power_of_two.hpp"
#include "elementwise.hpp"

/// Products that stay away from the quantum of the accumulator: an operand is multiplied by a power of two before the
/// product and the result by its inverse after it. Both are exact, so the function is the same; the accumulator, whose
/// quantum is 2^-16 whatever the operands, loses that much less. Which power: `recommended_scale`.
namespace ane {

/// An operand that carries a factor of 2^K. Only products accept it; they return a plain tensor.
template <int K, class Shape, dtype Type> struct scaled_tensor {
    tensor<Shape, Type> value;

    static constexpr extents extent = Shape::value;
};

namespace detail {

template <int K, class Shape, dtype Type>
inline constexpr operand operand_of_type<scaled_tensor<K, Shape, Type>> = {Shape::value, Type, operand::scaled_tensor};
template <int K, dtype Type>
inline constexpr operand operand_of_type<scaled_tensor<K, unknown_shape, Type>> = {unknown_shape::value, Type,
                                                                                   operand::unknown};

/// The factor of an operand, as the exponent of two.
template <class T> inline constexpr int scale_of = 0;
template <int K, class S, dtype T> inline constexpr int scale_of<scaled_tensor<K, S, T>> = K;

template <class T> inline constexpr bool is_plain = operand_of_type<T>.is == operand::tensor;

template <class S, dtype T> constexpr tensor<S, T> unscaled(tensor<S, T> x) { return x; }
template <int K, class S, dtype T> constexpr tensor<S, T> unscaled(scaled_tensor<K, S, T> x) { return x.value; }

/// x 2^K; x itself where that is one.
template <int K, class X> constexpr X times_power(X x, source_location where) {
    static_assert(K >= -14 && K <= 14, "a scale of fp16 values lies between 2^-14 and 2^14");
    if constexpr (K == 0) {
        return x;
    } else {
        return mul(x, power_of_two(K), where);
    }
}

/// Appends a product; the factors of its operands are taken out of its result.
template <class Rule, class A, class B>
constexpr auto product(op kind, const attributes& values, source_location where, A a, B b) {
    constexpr int k = scale_of<A> + scale_of<B>;
    if constexpr (is_plain<A> && is_plain<B>) {
        return append<Rule>(kind, values, where, a, b);
    } else {
        return times_power<-k>(append<Rule>(kind, values, where, unscaled(a), unscaled(b)), where);
    }
}
/// The bias starts the accumulator and is scaled with it.
template <class Rule, class A, class B, class C>
constexpr auto product(op kind, const attributes& values, source_location where, A a, B b, C bias) {
    constexpr int k = scale_of<A> + scale_of<B>;
    if constexpr (is_plain<A> && is_plain<B>) {
        return append<Rule>(kind, values, where, a, b, bias);
    } else {
        const auto scaled_bias = times_power<k>(bias, where);
        return times_power<-k>(append<Rule>(kind, values, where, unscaled(a), unscaled(b), scaled_bias), where);
    }
}

} // namespace detail

namespace shapes {
/// A factor of 2^K, which is exact for normal fp16 values.
template <int K> struct factor {
    static constexpr inferred judge(const extents& x) {
        inferred r{.shape = x};
        return r.require(K >= -14 && K <= 14, fault::scale_must_lie_between_2_to_minus_14_and_2_to_14, K,
                         K < 0 ? -14 : 14);
    }
};
} // namespace shapes

/// x with a factor of 2^K for the product that reads it: `linear(x, scaled<6>(w), b)`. Scale the weight where there is
/// one: that is computed when it is loaded, and refused there if a value leaves fp16. An input costs a multiplication,
/// unless the operation before it takes the factor.
template <int K, class X>
    requires obeys<shapes::factor<K>, X>
constexpr auto scaled(X x, source_location where = here()) {
    return scaled_tensor<K, typename X::shape_type, X::element>{detail::times_power<K>(x, where)};
}
template <int K, class X, class Broken = breach<op::mul, shapes::factor<K>, X>> Broken scaled(X, ...);

} // namespace ane
