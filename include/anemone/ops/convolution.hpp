#pragma once

#include "append.hpp"
#include "scaled.hpp"

namespace ane {

namespace detail {

constexpr int same_total(std::int64_t in, int kernel, int stride, int dilation) {
    const std::int64_t out = (in + stride - 1) / stride;
    const std::int64_t total = (out - 1) * stride + std::int64_t{dilation} * (kernel - 1) + 1 - in;
    return total > 0 ? static_cast<int>(total) : 0;
}

/// Explicit amounts for a padding that may say `same` or `valid`.
constexpr padding2 resolved(const padding2& wanted, const extents& x, size2 kernel, size2 stride, size2 dilation) {
    if (wanted.mode == padding_mode::explicit_amount) {
        return wanted;
    }
    if (wanted.mode == padding_mode::valid) {
        return {};
    }
    const int vertical = same_total(x.height(), kernel.height, stride.height, dilation.height);
    const int horizontal = same_total(x.width(), kernel.width, stride.width, dilation.width);
    return {vertical / 2, vertical - vertical / 2, horizontal / 2, horizontal - horizontal / 2};
}

constexpr size2 kernel_of(const extents& weight) {
    return {static_cast<int>(weight.height()), static_cast<int>(weight.width())};
}

template <class Attributes> constexpr inferred require_window(const Attributes& a, inferred r) {
    r.require(a.stride.height >= 1, fault::stride_must_be_at_least_1, a.stride.height, 1);
    r.require(a.stride.width >= 1, fault::stride_must_be_at_least_1, a.stride.width, 1);
    for (const int amount : {a.padding.top, a.padding.bottom, a.padding.left, a.padding.right}) {
        r.require(amount >= 0, fault::padding_must_not_be_negative, amount, 0);
    }
    return r;
}

template <class Attributes>
constexpr inferred require_convolution(const Attributes& a, const extents& x, const extents& weight) {
    inferred r = require_window(a, {});
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(weight.rank == 4, fault::weight_must_have_rank_4_as_O_I_kH_kW, weight.rank, 4);
    r.require(a.dilation.height >= 1, fault::dilation_must_be_at_least_1, a.dilation.height, 1);
    r.require(a.dilation.width >= 1, fault::dilation_must_be_at_least_1, a.dilation.width, 1);
    r.require(a.groups >= 1, fault::groups_must_be_at_least_1, a.groups, 1);
    if (r.ok()) {
        r.require(x[1] % a.groups == 0, fault::groups_must_divide_the_input_channels_R037, x[1], a.groups);
    }
    return r;
}

constexpr std::int64_t output_channels(const conv&, const extents& weight) { return weight[0]; }
constexpr std::int64_t output_channels(const conv_transpose& a, const extents& weight) {
    return weight.rank == 4 ? weight[1] * a.groups : 0;
}

/// A vector with one value per channel, as biases and norm parameters are.
constexpr inferred require_vector(inferred r, const extents& vector, std::int64_t channels,
                                  fault otherwise = fault::parameter_must_have_one_value_for_each_channel) {
    r.require(vector.rank == 1, fault::bias_or_parameter_must_have_rank_1, vector.rank, 1);
    r.require(vector.count() == channels, otherwise, vector.count(), channels);
    return r;
}

} // namespace detail

/// The attributes as a graph keeps them: padding in explicit amounts.
constexpr conv resolve(conv a, const extents& x, const extents& weight) {
    a.padding = detail::resolved(a.padding, x, detail::kernel_of(weight), a.stride, a.dilation);
    return a;
}
constexpr conv_transpose resolve(conv_transpose a, const extents& x, const extents& weight) {
    // `same` makes the output stride times the input: the total padding is what the kernel adds beyond that.
    if (a.padding.mode == padding_mode::same) {
        const auto total = [](std::int64_t kernel, int stride, int dilation) {
            const std::int64_t t = std::int64_t{dilation} * (kernel - 1) + 1 - stride;
            return t > 0 ? static_cast<int>(t) : 0;
        };
        const int vertical = total(weight.height(), a.stride.height, a.dilation.height);
        const int horizontal = total(weight.width(), a.stride.width, a.dilation.width);
        a.padding = {vertical / 2, vertical - vertical / 2, horizontal / 2, horizontal - horizontal / 2};
    } else {
        a.padding = detail::resolved(a.padding, x, detail::kernel_of(weight), a.stride, a.dilation);
    }
    return a;
}

/// H' = (H + top + bottom - dilation (kH - 1) - 1) / stride + 1, W' likewise; the weight is [O, I / groups, kH, kW].
constexpr inferred shape_rule(const conv& given, const extents& x, const extents& weight) {
    inferred r = detail::require_convolution(given, x, weight);
    if (!r.ok()) {
        r.shape = x;
        return r;
    }
    const conv a = resolve(given, x, weight);
    r.require(weight[0] % a.groups == 0, fault::groups_must_divide_the_output_channels_R037, weight[0], a.groups);
    r.require(weight[1] * a.groups == x[1], fault::weight_channels_times_groups_must_equal_the_input_channels,
              weight[1] * a.groups, x[1]);
    const std::int64_t reach_h = a.dilation.height * (weight[2] - 1) + 1;
    const std::int64_t reach_w = a.dilation.width * (weight[3] - 1) + 1;
    const std::int64_t padded_h = x[2] + a.padding.top + a.padding.bottom;
    const std::int64_t padded_w = x[3] + a.padding.left + a.padding.right;
    // A "weight" of one output that is larger than several "images": the two were swapped.
    const bool swapped = weight[0] == 1 && x[0] > 1 && weight[1] == x[1];
    r.require(!swapped || reach_h <= padded_h, fault::the_image_comes_first_and_the_weight_second, reach_h, padded_h);
    r.require(!swapped || reach_w <= padded_w, fault::the_image_comes_first_and_the_weight_second, reach_w, padded_w);
    r.require(reach_h <= padded_h, fault::kernel_must_fit_into_the_padded_height_R033, reach_h, padded_h);
    r.require(reach_w <= padded_w, fault::kernel_must_fit_into_the_padded_width_R033, reach_w, padded_w);
    r.shape = r.ok() ? extents{x[0], weight[0], (padded_h - reach_h) / a.stride.height + 1,
                               (padded_w - reach_w) / a.stride.width + 1}
                     : x;
    return r;
}

/// H' = (H - 1) stride - top - bottom + dilation (kH - 1) + 1; the weight is [I, O / groups, kH, kW].
constexpr inferred shape_rule(const conv_transpose& given, const extents& x, const extents& weight) {
    inferred r = detail::require_convolution(given, x, weight);
    if (!r.ok()) {
        r.shape = x;
        return r;
    }
    const conv_transpose a = resolve(given, x, weight);
    r.require(weight[0] == x[1], fault::axis_0_of_the_weight_must_equal_the_input_channels, weight[0], x[1]);
    const std::int64_t out_h =
        (x[2] - 1) * a.stride.height - a.padding.top - a.padding.bottom + a.dilation.height * (weight[2] - 1) + 1;
    const std::int64_t out_w =
        (x[3] - 1) * a.stride.width - a.padding.left - a.padding.right + a.dilation.width * (weight[3] - 1) + 1;
    r.require(out_h >= 1, fault::every_extent_must_be_at_least_1_R019, out_h, 1);
    r.require(out_w >= 1, fault::every_extent_must_be_at_least_1_R019, out_w, 1);
    r.shape = r.ok() ? extents{x[0], weight[1] * a.groups, out_h, out_w} : x;
    return r;
}

/// The same with a bias of one value for each output channel.
template <class Attributes>
constexpr inferred shape_rule(const Attributes& given, const extents& x, const extents& weight, const extents& bias) {
    return detail::require_vector(shape_rule(given, x, weight), bias, detail::output_channels(given, weight),
                                  fault::bias_must_have_one_value_for_each_output);
}

/// Two-dimensional convolution (cross-correlation): y[n, o, i, j] = sum over c, u, v of
/// x[n, c, i s + u d - top, j s + v d - left] w[o, c, u, v]. x is [N, C, H, W], the weight [O, C / groups, kH, kW].
/// Depthwise where groups equals C. Either may be `scaled`. Guide chapter 4; R030-R048.
template <conv A = conv{}, class X, class W>
    requires obeys<shapes::product_of<A>, X, W>
constexpr auto conv2d(X x, W weight, source_location where = here()) {
    return detail::product<shapes::product_of<A>>(op::conv2d, detail::resolved_for<A, X, W>, where, x, weight);
}
template <conv A = conv{}, class X, class W, class Broken = breach<op::conv2d, shapes::product_of<A>, X, W>>
Broken conv2d(X, W, ...);

/// The same with a bias of one value per output channel, which starts the accumulator.
template <conv A = conv{}, class X, class W, class B>
    requires obeys<shapes::product_of<A>, X, W, B>
constexpr auto conv2d(X x, W weight, B bias, source_location where = here()) {
    return detail::product<shapes::product_of<A>>(op::conv2d, detail::resolved_for<A, X, W>, where, x, weight, bias);
}
template <conv A = conv{}, class X, class W, class B, class Broken = breach<op::conv2d, shapes::product_of<A>, X, W, B>>
Broken conv2d(X, W, B, ...);

/// Transposed convolution (deconvolution), the adjoint of `conv2d`; the weight is [C, O / groups, kH, kW]. R039, R183.
template <conv_transpose A = conv_transpose{}, class X, class W>
    requires obeys<shapes::product_of<A>, X, W>
constexpr auto conv_transpose2d(X x, W weight, source_location where = here()) {
    return detail::product<shapes::product_of<A>>(op::conv_transpose2d, detail::resolved_for<A, X, W>, where, x,
                                                  weight);
}
template <conv_transpose A = conv_transpose{}, class X, class W,
          class Broken = breach<op::conv_transpose2d, shapes::product_of<A>, X, W>>
Broken conv_transpose2d(X, W, ...);

template <conv_transpose A = conv_transpose{}, class X, class W, class B>
    requires obeys<shapes::product_of<A>, X, W, B>
constexpr auto conv_transpose2d(X x, W weight, B bias, source_location where = here()) {
    return detail::product<shapes::product_of<A>>(op::conv_transpose2d, detail::resolved_for<A, X, W>, where, x, weight,
                                                  bias);
}
template <conv_transpose A = conv_transpose{}, class X, class W, class B,
          class Broken = breach<op::conv_transpose2d, shapes::product_of<A>, X, W, B>>
Broken conv_transpose2d(X, W, B, ...);

} // namespace ane
