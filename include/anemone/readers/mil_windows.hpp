#pragma once

#include "mil_table.hpp"
#include "mil_volumes.hpp"

#include <algorithm>
#include <limits>

/// Convolutions, pools and products of matrices. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// An image with one spatial axis has a height of 1 in the graph: [N, C, W] as [N, C, 1, W].
ANEMONE_INLINE dynamic_tensor with_height(mil_call& c, const dynamic_tensor& x) {
    const extents& s = x.shape();
    return s.rank == 3 ? c.reshape(x, {s[0], s[1], 1, s[2]}) : x;
}
ANEMONE_INLINE dynamic_tensor without_height(mil_call& c, const dynamic_tensor& x) {
    const extents& s = x.shape();
    return c.reshape(x, {s[0], s[1], s[3]});
}

/// The spatial parameters of a convolution or a pool, on two axes.
struct window_geometry {
    size2 kernel;
    size2 stride;
    size2 dilation;
    padding2 padding;
};

/// One or two numbers as height and width.
ANEMONE_INLINE size2 spatial_pair(mil_call& c, const indices& list) {
    return list.rank == 1 ? size2(1, spatial_number(c, list[0]))
                          : size2(spatial_number(c, list[0]), spatial_number(c, list[1]));
}

ANEMONE_INLINE padding2 custom_padding(mil_call& c, int axes) {
    indices none;
    for (int i = 0; i < 2 * axes; ++i) {
        none.append(0);
    }
    const indices p = c.integers("pad", 2 * axes, none);
    const auto at = [&](int i) { return spatial_number(c, p[i]); };
    return axes == 1 ? padding2(0, 0, at(0), at(1)) : padding2(at(0), at(1), at(2), at(3));
}

/// Padding that makes the result ceil(input / stride); what is odd goes to the end, or to the begin ("lower").
ANEMONE_INLINE padding2 same_padding(const window_geometry& g, const extents& x, bool lower) {
    const auto total = [](std::int64_t in, std::int64_t k, std::int64_t s, std::int64_t d) {
        const std::int64_t out = (in + s - 1) / s;
        return static_cast<int>(std::max<std::int64_t>((out - 1) * s + d * (k - 1) + 1 - in, 0));
    };
    const int high = total(x.height(), g.kernel.height, std::max(g.stride.height, 1), g.dilation.height);
    const int wide = total(x.width(), g.kernel.width, std::max(g.stride.width, 1), g.dilation.width);
    const int top = lower ? high - high / 2 : high / 2;
    const int left = lower ? wide - wide / 2 : wide / 2;
    return {top, high - top, left, wide - left};
}

/// The parameters of a window over x, which has its height; `axes` are those of the file, 1 or 2.
ANEMONE_INLINE window_geometry geometry_of(mil_call& c, size2 kernel, const extents& x, int axes) {
    const indices ones = axes == 1 ? indices{1} : indices{1, 1};
    window_geometry g;
    g.kernel = kernel;
    g.stride = spatial_pair(c, c.integers("strides", axes, ones));
    g.dilation = spatial_pair(c, c.integers("dilations", axes, ones));
    const std::string type = c.word("pad_type", "valid");
    if (type == "custom") {
        g.padding = custom_padding(c, axes);
        return g;
    }
    c.ignore("pad");
    if (type == "same" || type == "same_lower") {
        g.padding = same_padding(g, x, type == "same_lower");
    } else if (type != "valid") {
        c.refuse(formatted("pad_type must be valid, same, same_lower or custom, not {}", type));
    }
    return g;
}

/// The number of spatial axes of an image of the file; refuses others than one and two.
ANEMONE_INLINE int spatial_axes(mil_call& c, const extents& x) {
    if (x.rank != 3 && x.rank != 4) {
        c.refuse(formatted("works on {}; the graph has windows over images [N, C, W] and [N, C, H, W]", print(x)));
    }
    return x.rank - 2;
}

/// The operands of a convolution, the bias only where there is one.
ANEMONE_INLINE std::vector<dynamic_tensor> convolved(mil_call& c, const dynamic_tensor& x, const dynamic_tensor& w) {
    std::vector<dynamic_tensor> operands{x, w};
    if (c.has("bias")) {
        const dynamic_tensor bias = c.tensor("bias");
        operands.push_back(bias.shape().rank == 0 ? c.reshape(bias, {1}) : bias);
    }
    return operands;
}

ANEMONE_INLINE std::vector<mil_value> read_conv(mil_call& c) {
    const dynamic_tensor given = c.tensor("x");
    if (given.shape().rank == 5) {
        return c.result(read_volume_conv(c, given));
    }
    const int axes = spatial_axes(c, given.shape());
    const dynamic_tensor x = with_height(c, given);
    const dynamic_tensor w = with_height(c, c.tensor("weight"));
    const size2 kernel(spatial_number(c, w.shape().height()), spatial_number(c, w.shape().width()));
    const window_geometry g = geometry_of(c, kernel, x.shape(), axes);
    const conv a{.stride = g.stride,
                 .dilation = g.dilation,
                 .padding = g.padding,
                 .groups = spatial_number(c, c.integer("groups", 1))};
    const dynamic_tensor y = c.add(op::conv2d, convolved(c, x, w), a);
    return c.result(axes == 1 ? without_height(c, y) : y);
}

/// Amounts of a transposed convolution, on each side; of "same", which makes stride times the input's extent, half of the
/// kernel's rest: what is odd is cut off at the end (`with_same_extent`).
ANEMONE_INLINE padding2 transposed_padding(mil_call& c, const window_geometry& g, int axes) {
    const std::string type = c.word("pad_type", "valid");
    if (type == "custom") {
        return custom_padding(c, axes);
    }
    c.ignore("pad");
    if (type == "valid") {
        return {};
    }
    if (type != "same") {
        c.refuse(formatted(
            "pad_type {} of a transposed convolution has no one meaning: give the amounts with pad_type custom", type));
    }
    const int high = g.dilation.height * (g.kernel.height - 1) + 1 - (axes == 1 ? 1 : g.stride.height);
    const int wide = g.dilation.width * (g.kernel.width - 1) + 1 - g.stride.width;
    return {std::max(high, 0) / 2, std::max(wide, 0) / 2};
}

/// Height and width of `y` as "same" has them: one row less where the kernel's rest is odd, zeros where a stride leaves more
/// room than the kernel fills. As TensorFlow has it; Core ML's definition does not say at which end.
ANEMONE_INLINE dynamic_tensor with_same_extent(mil_call& c, const dynamic_tensor& y, std::int64_t height,
                                               std::int64_t width) {
    indices none;
    indices size = y.shape();
    pads more;
    for (int i = 0; i < size.rank; ++i) {
        const bool is_spatial = i >= size.rank - 2;
        const std::int64_t wanted = !is_spatial ? size[i] : i == size.rank - 2 ? height : width;
        none.append(0);
        more.before.append(0);
        more.after.append(std::max<std::int64_t>(wanted - size[i], 0));
        size[i] = std::min(size[i], wanted);
    }
    if (size != y.shape() || more.after != none) {
        c.scope().note("of a transposed convolution with pad_type same the odd row or column is taken from the end");
    }
    const dynamic_tensor cut = c.slice(y, none, size);
    return more.after == none ? cut : c.add(op::pad, {cut, c.number(0)}, more);
}

ANEMONE_INLINE std::vector<mil_value> read_conv_transpose(mil_call& c) {
    const dynamic_tensor given = c.tensor("x");
    const int axes = spatial_axes(c, given.shape());
    const dynamic_tensor x = with_height(c, given);
    const dynamic_tensor w = with_height(c, c.tensor("weight"));
    const indices ones = axes == 1 ? indices{1} : indices{1, 1};
    window_geometry g;
    g.kernel = size2(spatial_number(c, w.shape().height()), spatial_number(c, w.shape().width()));
    g.stride = spatial_pair(c, c.integers("strides", axes, ones));
    g.dilation = spatial_pair(c, c.integers("dilations", axes, ones));
    const conv_transpose a{.stride = g.stride,
                           .dilation = g.dilation,
                           .padding = transposed_padding(c, g, axes),
                           .groups = spatial_number(c, c.integer("groups", 1))};
    dynamic_tensor y = c.add(op::conv_transpose2d, convolved(c, x, w), a);
    if (c.word("pad_type", "valid") == "same") {
        y = with_same_extent(c, y, x.shape().height() * (axes == 1 ? 1 : g.stride.height),
                             x.shape().width() * g.stride.width);
    }
    y = axes == 1 ? without_height(c, y) : y;
    if (c.has("output_shape")) {
        const indices wanted = c.integers("output_shape");
        for (int i = 0; i < wanted.rank; ++i) {
            const int axis = y.shape().rank - wanted.rank + i;
            if (axis < 0 || y.shape()[axis] != wanted[i]) {
                c.refuse(formatted("output_shape {} is not what strides and padding give, {}", print(wanted),
                                   print(y.shape())));
            }
        }
    }
    return c.result(y);
}

template <op Kind> std::vector<mil_value> read_pool(mil_call& c) {
    const dynamic_tensor given = c.tensor("x");
    if (given.shape().rank == 5) {
        return c.result(read_volume_pool(c, Kind, given));
    }
    const int axes = spatial_axes(c, given.shape());
    const dynamic_tensor x = with_height(c, given);
    const size2 kernel = spatial_pair(c, c.integers("kernel_sizes", axes, {}));
    const window_geometry g = geometry_of(c, kernel, x.shape(), axes);
    pool p{.kernel = g.kernel, .stride = g.stride, .padding = g.padding};
    p.ceil_mode = c.flag("ceil_mode", false);
    if (p.ceil_mode && Kind == op::max_pool && !(p.padding == padding2{})) {
        c.doubt("max_pool with ceil_mode and padding is refused (mil-dialects: CGA)");
    }
    p.exclude_padding = Kind == op::avg_pool && c.flag("exclude_padding_from_average", false);
    const dynamic_tensor y = c.add(Kind, {x}, p);
    return c.result(axes == 1 ? without_height(c, y) : y);
}

ANEMONE_INLINE std::vector<mil_value> read_linear(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const dynamic_tensor w = c.tensor("weight");
    return c.result(c.add(op::linear, convolved(c, x, w)));
}

/// A vector is a row on the left and a column on the right; its axis is gone from the result.
ANEMONE_INLINE std::vector<mil_value> read_matmul(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const dynamic_tensor y = c.tensor("y");
    transposed form{c.flag("transpose_x", false), c.flag("transpose_y", false)};
    const bool row = x.shape().rank == 1;
    const bool column = y.shape().rank == 1;
    form.a = form.a && !row;
    form.b = form.b && !column;
    const dynamic_tensor a = row ? c.reshape(x, {1, x.shape()[0]}) : x;
    const dynamic_tensor b = column ? c.reshape(y, {y.shape()[0], 1}) : y;
    dynamic_tensor product = c.add(op::matmul, {a, b}, form);
    extents shape;
    for (int i = 0; i < product.shape().rank; ++i) {
        const bool dropped = (row && i == product.shape().rank - 2) || (column && i == product.shape().rank - 1);
        if (!dropped) {
            shape.append(product.shape()[i]);
        }
    }
    return c.result(c.reshape(product, shape));
}

ANEMONE_INLINE void add_windows(statement_table& t) {
    t.insert({
        {"conv", read_conv},
        {"conv_transpose", read_conv_transpose},
        {"max_pool", read_pool<op::max_pool>},
        {"avg_pool", read_pool<op::avg_pool>},
        {"l2_pool", read_pool<op::l2_pool>},
        {"linear", read_linear},
        {"matmul", read_matmul},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
