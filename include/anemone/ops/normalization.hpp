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
        for (const extents& vector : {gamma, beta}) {
            r = detail::require_vector(r, vector, channels,
                                       fault::parameter_must_have_the_length_of_the_normalised_axis);
        }
    }
    return r;
}

/// Every parameter has one value for each channel (axis 1).
constexpr inferred batch_norm_rule(const extents& x, const extents& mean, const extents& variance, const extents& gamma,
                                   const extents& beta) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::input_must_have_channels_on_axis_1_and_rank_3, x.rank, 3);
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
    r.require(x.rank >= 3, fault::input_must_have_channels_on_axis_1_and_rank_3, x.rank, 3);
    return r.ok() ? detail::require_vector(detail::require_vector(r, gamma, x[1]), beta, x[1]) : r;
}

/// The same where `groups` of the channels are normalised together.
constexpr inferred group_norm_rule(int groups, const extents& x, const extents& gamma, const extents& beta) {
    inferred r = instance_norm_rule(x, gamma, beta);
    r.require(groups >= 1, fault::groups_must_be_at_least_1, groups, 1);
    if (r.ok()) {
        r.require(x[1] % groups == 0, fault::groups_must_divide_the_channels_R063, x[1], groups);
    }
    return r;
}

/// The scale has one value for each index of the normalised axis.
constexpr inferred rms_norm_rule(int along, const extents& x, const extents& gamma) {
    const inferred r = axis_rule({along}, x);
    return r.ok() ? detail::require_vector(r, gamma, x[normalized_axis(along, x.rank)],
                                           fault::parameter_must_have_the_length_of_the_normalised_axis)
                  : r;
}

/// Channels are axis 1.
constexpr inferred shape_rule(const response_norm_shape& given, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 3, fault::input_must_have_channels_on_axis_1_and_rank_3, x.rank, 3);
    r.require(given.size >= 1, fault::window_must_reach_over_at_least_1_channel, given.size, 1);
    return r;
}

namespace detail {
template <axis Along, class X> constexpr stabilizer stabilized(X x, double epsilon, source_location where) {
    return {.epsilon = coefficient(x, epsilon, where), .axis = normalized_axis(Along.index, X::extent.rank)};
}
} // namespace detail

/// e^(x - max) / sum of e^(x - max) along an axis. The engine subtracts the maximum in hardware (N109). R062.
template <axis Axis = axis{-1}, class X>
    requires obeys<shapes::by<axis_rule, Axis>, X>
constexpr auto softmax(X x, source_location where = here()) {
    return detail::append<shapes::by<axis_rule, Axis>>(op::softmax, detail::resolved_for<Axis, X>, where, x);
}
template <axis Axis = axis{-1}, class X, class Broken = breach<op::softmax, shapes::by<axis_rule, Axis>, X>>
Broken softmax(X, ...);

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance along one axis. R063.
template <axis Axis = axis{-1}, class X, class G, class B>
    requires obeys<shapes::by<layer_norm_rule, Axis.index>, X, G, B>
constexpr auto layer_norm(X x, G gamma, B beta, double epsilon = 1e-5, source_location where = here()) {
    return detail::append<shapes::by<layer_norm_rule, Axis.index>>(
        op::layer_norm, detail::stabilized<Axis>(x, epsilon, where), where, x, gamma, beta);
}
template <axis Axis = axis{-1}, class X, class G, class B,
          class Broken = breach<op::layer_norm, shapes::by<layer_norm_rule, Axis.index>, X, G, B>>
Broken layer_norm(X, G, B, ...);

/// Inference form: gamma (x - mean) / sqrt(variance + epsilon) + beta with stored statistics per channel (axis 1).
/// Lowered to one scale and one offset per channel, computed from the weights when the graph is compiled.
template <class X, class M, class V, class G, class B>
    requires obeys<shapes::by<batch_norm_rule>, X, M, V, G, B>
constexpr auto batch_norm(X x, M mean, V variance, G gamma, B beta, double epsilon = 1e-5,
                          source_location where = here()) {
    return detail::append<shapes::by<batch_norm_rule>>(
        op::batch_norm, stabilizer{.epsilon = detail::coefficient(x, epsilon, where), .axis = 1}, where, x, mean,
        variance, gamma, beta);
}
template <class X, class M, class V, class G, class B,
          class Broken = breach<op::batch_norm, shapes::by<batch_norm_rule>, X, M, V, G, B>>
Broken batch_norm(X, M, V, G, B, ...);

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, with mean and variance of each channel of each image (the axes
/// behind axis 1). R064.
template <class X, class G, class B>
    requires obeys<shapes::by<instance_norm_rule>, X, G, B>
constexpr auto instance_norm(X x, G gamma, B beta, double epsilon = 1e-5, source_location where = here()) {
    return detail::append<shapes::by<instance_norm_rule>>(
        op::instance_norm, stabilizer{.epsilon = detail::coefficient(x, epsilon, where), .axis = 1}, where, x, gamma,
        beta);
}
template <class X, class G, class B, class Broken = breach<op::instance_norm, shapes::by<instance_norm_rule>, X, G, B>>
Broken instance_norm(X, G, B, ...);

/// The same with mean and variance of each group of channels; gamma and beta stay per channel. R027, R063.
template <int Groups, class X, class G, class B>
    requires obeys<shapes::by<group_norm_rule, Groups>, X, G, B>
constexpr auto group_norm(X x, G gamma, B beta, double epsilon = 1e-5, source_location where = here()) {
    return detail::append<shapes::by<group_norm_rule, Groups>>(
        op::group_norm, grouping{.groups = Groups, .epsilon = detail::coefficient(x, epsilon, where)}, where, x, gamma,
        beta);
}
template <int Groups, class X, class G, class B,
          class Broken = breach<op::group_norm, shapes::by<group_norm_rule, Groups>, X, G, B>>
Broken group_norm(X, G, B, ...);

/// gamma x / sqrt(mean of x^2 + epsilon), with the mean along one axis. The engine takes [rows, axis] (R126).
/// Where an |x| is 256 or more the mean is infinite and the result 0 (R151).
template <axis Axis = axis{-1}, class X, class G>
    requires obeys<shapes::by<rms_norm_rule, Axis.index>, X, G>
constexpr auto rms_norm(X x, G gamma, double epsilon = 1e-5, source_location where = here()) {
    return detail::append<shapes::by<rms_norm_rule, Axis.index>>(
        op::rms_norm, detail::stabilized<Axis>(x, epsilon, where), where, x, gamma);
}
template <axis Axis = axis{-1}, class X, class G,
          class Broken = breach<op::rms_norm, shapes::by<rms_norm_rule, Axis.index>, X, G>>
Broken rms_norm(X, G, ...);

/// x / max(sqrt(sum of x^2), sqrt(epsilon)), with the sum along one axis (MIL facts section 5); 0 where an |x| is 256
/// or more (R151).
template <axis Axis = axis{-1}, class X>
    requires obeys<shapes::by<axis_rule, Axis>, X>
constexpr auto l2_norm(X x, double epsilon = 1e-6, source_location where = here()) {
    return detail::append<shapes::by<axis_rule, Axis>>(op::l2_norm, detail::stabilized<Axis>(x, epsilon, where), where,
                                                       x);
}
template <axis Axis = axis{-1}, class X, class Broken = breach<op::l2_norm, shapes::by<axis_rule, Axis>, X>>
Broken l2_norm(X, ...);

/// (x - min) / (max - min + epsilon), with minimum and maximum along one axis: height or width on the engine (R066).
template <axis Axis = axis{-1}, class X>
    requires obeys<shapes::by<axis_rule, Axis>, X>
constexpr auto minmax_norm(X x, double epsilon = 1e-5, source_location where = here()) {
    return detail::append<shapes::by<axis_rule, Axis>>(op::minmax_norm, detail::stabilized<Axis>(x, epsilon, where),
                                                       where, x);
}
template <axis Axis = axis{-1}, class X, class Broken = breach<op::minmax_norm, shapes::by<axis_rule, Axis>, X>>
Broken minmax_norm(X, ...);

/// x / (k + alpha / Size * sum of x^2 over Size channels)^beta: the (Size - 1) / 2 channels (axis 1) before, the
/// channel itself and the Size / 2 behind, rounded down, as far as there are any. R065.
template <int Size, class X>
    requires obeys<shapes::of<response_norm_shape{.size = Size}>, X>
constexpr auto local_response_norm(X x, double alpha = 1e-4, double beta = 0.75, double k = 1,
                                   source_location where = here()) {
    const response_norm_shape how{Size, detail::coefficient(x, alpha, where), detail::coefficient(x, beta, where),
                                  detail::coefficient(x, k, where)};
    return detail::append<shapes::of<response_norm_shape{.size = Size}>>(op::local_response_norm, how, where, x);
}
template <int Size, class X,
          class Broken = breach<op::local_response_norm, shapes::of<response_norm_shape{.size = Size}>, X>>
Broken local_response_norm(X, ...);

} // namespace ane
