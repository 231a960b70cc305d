#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../numerics/kernel_shapes.hpp"

#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

/// The numbers of a convolution node; `Attributes` is conv or conv_transpose.
template <class Attributes>
constexpr numerics::convolution_shape convolution_shape_of(const graph_view& g, const node& n) {
    const Attributes& a = n.get<Attributes>();
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    return {.batch = x[0],
            .in_channels = x[1],
            .in_height = x[2],
            .in_width = x[3],
            .out_channels = n.shape[1],
            .out_height = n.shape[2],
            .out_width = n.shape[3],
            .kernel_height = w[2],
            .kernel_width = w[3],
            .stride_height = a.stride.height,
            .stride_width = a.stride.width,
            .dilation_height = a.dilation.height,
            .dilation_width = a.dilation.width,
            .pad_top = a.padding.top,
            .pad_left = a.padding.left,
            .groups = a.groups};
}

/// A cross correlation as the convolution that it is: one channel, the template as the kernel.
constexpr numerics::convolution_shape correlation_shape_of(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    const extents& pattern = g.operand(n, 1).shape;
    return {.batch = x[0],
            .in_height = x[2],
            .in_width = x[3],
            .out_height = n.shape[2],
            .out_width = n.shape[3],
            .kernel_height = pattern[2],
            .kernel_width = pattern[3]};
}

constexpr numerics::pool_shape pool_shape_of(const graph_view& g, const node& n) {
    const pool& p = n.get<pool>();
    const extents& x = g.operand(n, 0).shape;
    return {.batch = x[0],
            .channels = x[1],
            .in_height = x[2],
            .in_width = x[3],
            .out_height = n.shape[2],
            .out_width = n.shape[3],
            .kernel_height = p.kernel.height,
            .kernel_width = p.kernel.width,
            .stride_height = p.stride.height,
            .stride_width = p.stride.width,
            .pad_top = p.padding.top,
            .pad_left = p.padding.left,
            .exclude_padding = p.exclude_padding};
}

/// One product of a matmul node: its batch is walked with `for_each_batch`.
constexpr numerics::matmul_shape matmul_shape_of(const graph_view& g, const node& n) {
    const transposed& form = n.get<transposed>();
    const extents& a = g.operand(n, 0).shape;
    return {.batch = 1,
            .m = n.shape.height(),
            .n = n.shape.width(),
            .k = form.a ? a.height() : a.width(),
            .transpose_a = form.a,
            .transpose_b = form.b,
            .a_batch_stride = 0,
            .b_batch_stride = 0};
}

/// The numbers that a one-operand node carries, 0 where it has none: slope, ends of a clamp, or epsilon.
struct unary_numbers {
    float first = 0;
    float second = 0;
};
template <class Attributes> unary_numbers unary_numbers_of(const node& n) {
    unary_numbers numbers;
    if constexpr (!std::is_same_v<Attributes, no_attributes>) {
        float* next = &numbers.first;
        const auto take = [&](const auto& value) {
            if constexpr (std::is_same_v<decltype(value), const float&>) {
                *next = value;
                next = &numbers.second;
            }
        };
        Attributes::visit_members(n.get<Attributes>(), [&](const auto&... each) { (take(each), ...); });
    }
    return numbers;
}

} // namespace ane::detail::inline ANEMONE_WAY
