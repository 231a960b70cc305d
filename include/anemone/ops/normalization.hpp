#pragma once

#include "append.hpp"
#include "convolution.hpp"
#include "reduction.hpp"

namespace ane {

/// Scale and offset have one value for each index of the normalised axis.
constexpr inferred layer_norm_rule(int along, const extents& x, const extents& gamma, const extents& beta) {
    inferred r = axis_rule({along}, x);
    if (r.ok()) {
        const std::int64_t channels = x[normalized_axis(along, x.rank)];
        r = detail::require_vector(detail::require_vector(r, gamma, channels), beta, channels);
    }
    return r;
}

/// Every parameter has one value for each channel (axis 1).
constexpr inferred batch_norm_rule(const extents& x, const extents& mean, const extents& variance, const extents& gamma,
                                   const extents& beta) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::rank_is_too_small, x.rank, 3);
    if (r.ok()) {
        for (const extents& vector : {mean, variance, gamma, beta}) {
            r = detail::require_vector(r, vector, x[1]);
        }
    }
    return r;
}

/// e^(x - max) / sum of e^(x - max) along an axis. The engine subtracts the maximum in hardware (N109). R062.
template <axis Axis = axis{-1}, class X, dtype TX> constexpr auto softmax(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = axis_rule(Axis, X::value);
    return detail::append_arithmetic<r>(op::softmax, resolve(Axis, X::value), where, x);
}

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance along one axis. R063.
template <axis Axis = axis{-1}, class X, dtype TX, class G, dtype TG, class B, dtype TB>
constexpr auto layer_norm(tensor<X, TX> x, tensor<G, TG> gamma, tensor<B, TB> beta, double epsilon = 1e-5,
                          site where = here()) {
    constexpr inferred r = layer_norm_rule(Axis.index, X::value, G::value, B::value);
    return detail::append_arithmetic<r>(
        op::layer_norm,
        stabilizer{.epsilon = static_cast<float>(epsilon), .axis = normalized_axis(Axis.index, X::value.rank)}, where,
        x, gamma, beta);
}

/// Inference form: gamma (x - mean) / sqrt(variance + epsilon) + beta with stored statistics per channel (axis 1).
/// Lowered to one scale and one offset per channel, computed from the weights when the graph is compiled.
template <class X, dtype TX, class M, dtype TM, class V, dtype TV, class G, dtype TG, class B, dtype TB>
constexpr auto batch_norm(tensor<X, TX> x, tensor<M, TM> mean, tensor<V, TV> variance, tensor<G, TG> gamma,
                          tensor<B, TB> beta, double epsilon = 1e-5, site where = here()) {
    constexpr inferred r = batch_norm_rule(X::value, M::value, V::value, G::value, B::value);
    return detail::append_arithmetic<r>(op::batch_norm, stabilizer{.epsilon = static_cast<float>(epsilon), .axis = 1},
                                        where, x, mean, variance, gamma, beta);
}

} // namespace ane
