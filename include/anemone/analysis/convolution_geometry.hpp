#pragma once

#include "../graph/graph.hpp"
#include "../targets/description.hpp"

#include <cstdint>

namespace ane {

/// The properties of a convolution, transposed or not, that decide how the engine's compiler lays it out.
struct convolution_geometry {
    std::int64_t kernel_height = 1;
    std::int64_t kernel_width = 1;
    std::int64_t in_channels = 1;
    std::int64_t out_channels = 1;
    size2 stride = 1;
    size2 dilation = 1;
    int groups = 1;

    constexpr std::int64_t kernel_elements() const { return kernel_height * kernel_width; }
    constexpr bool unit_stride() const { return stride.height == 1 && stride.width == 1; }
    constexpr bool dilated() const { return dilation.height > 1 || dilation.width > 1; }
    /// One channel for each group: lowered on a path of its own (guide chapter 17).
    constexpr bool depthwise() const { return groups > 1 && groups == in_channels; }
};

/// Of a `conv2d` or a `conv_transpose2d`; their weights are [O, I / groups, kH, kW] and [I, O / groups, kH, kW].
constexpr convolution_geometry geometry_of(const graph_view& g, const node& n) {
    const extents& weight = g.operand(n, 1).shape;
    convolution_geometry c;
    c.kernel_height = weight.height();
    c.kernel_width = weight.width();
    c.in_channels = g.operand(n, 0).shape.channels();
    c.out_channels = n.shape.channels();
    if (n.kind == op::conv2d) {
        const conv& a = n.get<conv>();
        c.stride = a.stride;
        c.dilation = a.dilation;
        c.groups = a.groups;
    } else {
        const conv_transpose& a = n.get<conv_transpose>();
        c.stride = a.stride;
        c.dilation = a.dilation;
        c.groups = a.groups;
    }
    return c;
}

/// How many of the native factors (2, 3, 4, 8) a stride is the product of: 0 for stride 1, at most 2; -1 for a stride
/// that is not a product of two of them (R041; guide chapter 17, decompiled).
constexpr int stride_steps(int stride, const target_description& t) {
    if (stride == 1) {
        return 0;
    }
    int steps = -1;
    for (const std::int32_t first : t.limits.stride_factors) {
        if (stride == first) {
            return 1;
        }
        for (const std::int32_t second : t.limits.stride_factors) {
            steps = stride == first * second ? 2 : steps;
        }
    }
    return steps;
}

/// Whether the compiler takes a convolution apart before it lays it out: its stride is not native (R041), it is dilated
/// (space-to-batch, R042), or it has groups and too long a sum (R043).
struct decomposition {
    bool stride = false;
    bool dilation = false;
    bool groups = false;

    constexpr bool any() const { return stride || dilation || groups; }
};

constexpr decomposition decomposition_of(const convolution_geometry& c, const target_description& t) {
    const auto native = [&t](int stride) {
        const int steps = stride_steps(stride, t);
        return steps == 0 || steps == 1;
    };
    return {!native(c.stride.height) || !native(c.stride.width), c.dilated(),
            c.groups > 1 && !c.depthwise() && c.in_channels * c.kernel_elements() > t.limits.group_conv_decompose};
}

} // namespace ane
