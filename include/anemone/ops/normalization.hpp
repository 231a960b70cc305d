#pragma once

#include "append.hpp"
#include "convolution.hpp"
#include "functions.hpp"
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

/// Scale and offset have one value for each channel (axis 1); the axes behind it are normalised.
constexpr inferred instance_norm_rule(const extents& x, const extents& gamma, const extents& beta) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::rank_is_too_small, x.rank, 3);
    return r.ok() ? detail::require_vector(detail::require_vector(r, gamma, x[1]), beta, x[1]) : r;
}

/// The same where `groups` of the channels are normalised together.
constexpr inferred group_norm_rule(int groups, const extents& x, const extents& gamma, const extents& beta) {
    inferred r = instance_norm_rule(x, gamma, beta);
    r.require(groups >= 1, fault::groups_are_not_positive, groups, 1);
    if (r.ok()) {
        r.require(x[1] % groups == 0, fault::groups_do_not_divide_channels, x[1], groups);
    }
    return r;
}

/// The scale has one value for each index of the normalised axis.
constexpr inferred rms_norm_rule(int along, const extents& x, const extents& gamma) {
    const inferred r = axis_rule({along}, x);
    return r.ok() ? detail::require_vector(r, gamma, x[normalized_axis(along, x.rank)]) : r;
}

/// Channels are axis 1.
constexpr inferred shape_rule(const response& given, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::rank_is_too_small, x.rank, 3);
    r.require(given.size >= 1, fault::channel_window_is_not_positive, given.size, 1);
    return r;
}

namespace detail {
constexpr stabilizer stabilized(double epsilon, axis along, const extents& x) {
    return {.epsilon = detail::coefficient(epsilon), .axis = normalized_axis(along.index, x.rank)};
}
} // namespace detail

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
    return detail::append_arithmetic<r>(op::layer_norm, detail::stabilized(epsilon, Axis, X::value), where, x, gamma,
                                        beta);
}

/// Inference form: gamma (x - mean) / sqrt(variance + epsilon) + beta with stored statistics per channel (axis 1).
/// Lowered to one scale and one offset per channel, computed from the weights when the graph is compiled.
template <class X, dtype TX, class M, dtype TM, class V, dtype TV, class G, dtype TG, class B, dtype TB>
constexpr auto batch_norm(tensor<X, TX> x, tensor<M, TM> mean, tensor<V, TV> variance, tensor<G, TG> gamma,
                          tensor<B, TB> beta, double epsilon = 1e-5, site where = here()) {
    constexpr inferred r = batch_norm_rule(X::value, M::value, V::value, G::value, B::value);
    return detail::append_arithmetic<r>(op::batch_norm, stabilizer{.epsilon = detail::coefficient(epsilon), .axis = 1},
                                        where, x, mean, variance, gamma, beta);
}

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance of each channel of each image (the axes
/// behind axis 1). R064.
template <class X, dtype TX, class G, dtype TG, class B, dtype TB>
constexpr auto instance_norm(tensor<X, TX> x, tensor<G, TG> gamma, tensor<B, TB> beta, double epsilon = 1e-5,
                             site where = here()) {
    constexpr inferred r = instance_norm_rule(X::value, G::value, B::value);
    return detail::append_arithmetic<r>(
        op::instance_norm, stabilizer{.epsilon = detail::coefficient(epsilon), .axis = 1}, where, x, gamma, beta);
}

/// The same with mean and variance of each group of channels; gamma and beta stay per channel. R027, R063.
template <int Groups, class X, dtype TX, class G, dtype TG, class B, dtype TB>
constexpr auto group_norm(tensor<X, TX> x, tensor<G, TG> gamma, tensor<B, TB> beta, double epsilon = 1e-5,
                          site where = here()) {
    constexpr inferred r = group_norm_rule(Groups, X::value, G::value, B::value);
    return detail::append_arithmetic<r>(
        op::group_norm, grouping{.groups = Groups, .epsilon = detail::coefficient(epsilon)}, where, x, gamma, beta);
}

/// gamma x / sqrt(mean of x^2 + epsilon), with the mean along one axis. The engine takes [rows, axis] (R126).
/// Where an |x| is 256 or more the mean is infinite and the result 0 (R151).
template <axis Axis = axis{-1}, class X, dtype TX, class G, dtype TG>
constexpr auto rms_norm(tensor<X, TX> x, tensor<G, TG> gamma, double epsilon = 1e-5, site where = here()) {
    constexpr inferred r = rms_norm_rule(Axis.index, X::value, G::value);
    return detail::append_arithmetic<r>(op::rms_norm, detail::stabilized(epsilon, Axis, X::value), where, x, gamma);
}

/// x / max(sqrt(sum of x^2), sqrt(epsilon)), with the sum along one axis (MIL facts section 5); 0 where an |x| is 256
/// or more (R151).
template <axis Axis = axis{-1}, class X, dtype TX>
constexpr auto l2_norm(tensor<X, TX> x, double epsilon = 1e-6, site where = here()) {
    constexpr inferred r = axis_rule(Axis, X::value);
    return detail::append_arithmetic<r>(op::l2_norm, detail::stabilized(epsilon, Axis, X::value), where, x);
}

/// (x - min) / (max - min + epsilon), with minimum and maximum along one axis: height or width on the engine (R066).
template <axis Axis = axis{-1}, class X, dtype TX>
constexpr auto minmax_norm(tensor<X, TX> x, double epsilon = 1e-5, site where = here()) {
    constexpr inferred r = axis_rule(Axis, X::value);
    return detail::append_arithmetic<r>(op::minmax_norm, detail::stabilized(epsilon, Axis, X::value), where, x);
}

/// x / (k + alpha / Size * sum of x^2 over Size channels)^beta: the (Size - 1) / 2 channels (axis 1) before, the
/// channel itself and the Size / 2 behind, rounded down, as far as there are any. R065.
template <int Size, class X, dtype TX>
constexpr auto local_response_norm(tensor<X, TX> x, double alpha = 1e-4, double beta = 0.75, double k = 1,
                                   site where = here()) {
    constexpr inferred r = shape_rule(response{.size = Size}, X::value);
    const response how{Size, detail::coefficient(alpha), detail::coefficient(beta), detail::coefficient(k)};
    return detail::append_arithmetic<r>(op::local_response_norm, how, where, x);
}

} // namespace ane
