#pragma once

#include "../power_of_two.hpp"
#include "elementwise.hpp"

/// Products that stay away from the quantum of the accumulator: an operand is multiplied by a power of two before the
/// product and the result by its inverse after it. Both are exact, so the function is the same; the accumulator, whose
/// quantum is 2^-16 whatever the operands, loses that much less. Which power: `recommended_scale`.
namespace ane {

/// An operand that carries a factor of 2^K. Products take it and give a plain tensor; nothing else does.
template <int K, class Shape, dtype Type> struct scaled_tensor { tensor<Shape, Type> value; };

namespace detail {

/// What a product sees of an operand: its factor, and the tensor that has it.
template <class T> struct product_operand {
    using type = T;
    static constexpr int factor = 0;
};
template <int K, class S, dtype T> struct product_operand<scaled_tensor<K, S, T>> {
    using type = tensor<S, T>;
    static constexpr int factor = K;
};
template <class T> using unscaled = typename product_operand<T>::type;
/// The factors of several operands together, as the exponent of two.
template <class... T> inline constexpr int scale_of = (product_operand<T>::factor + ...);

template <class T> constexpr T operand_of(T x) { return x; }
template <int K, class S, dtype T> constexpr tensor<S, T> operand_of(scaled_tensor<K, S, T> x) { return x.value; }

/// x 2^K; x itself where that is one.
template <int K, class X> constexpr X times_power(X x, site where) {
    static_assert(K >= -14 && K <= 14, "a scale of fp16 values lies between 2^-14 and 2^14");
    if constexpr (K == 0) {
        return x;
    } else {
        return mul(x, power_of_two(K), where);
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
constexpr auto scaled(X x, site where = here()) {
    return scaled_tensor<K, typename X::shape_type, X::element>{detail::times_power<K>(x, where)};
}
template <int K, class X, class Broken = breach<op::mul, shapes::factor<K>, X>> X scaled(X, ...) = delete;

} // namespace ane
