#pragma once

#include "folding.hpp"
#include "geometry.hpp"

/// Convolutions and products. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

ANEMONE_INLINE std::vector<std::int64_t> kernel_of(const extents& w) {
    std::vector<std::int64_t> kernel;
    for (int i = 2; i < w.rank; ++i) {
        kernel.push_back(w[i]);
    }
    return kernel;
}
ANEMONE_INLINE std::vector<dynamic_tensor> with_bias(node_call& c, const dynamic_tensor& x, const dynamic_tensor& w,
                                                     int bias) {
    std::vector<dynamic_tensor> list{x, w};
    if (c.has(bias)) {
        list.push_back(c.x(bias));
    }
    return list;
}

/// Depth folded into channels: one convolution for each plane of the result, with one rounding.
ANEMONE_INLINE dynamic_tensor conv3d(node_call& c, dynamic_tensor x, const dynamic_tensor& w, const window_geometry& g,
                                     int bias, int groups) {
    if (g.before[0] > 0 || g.after[0] > 0) {
        pads p;
        p.before = {0, 0, g.before[0], 0, 0};
        p.after = {0, 0, g.after[0], 0, 0};
        x = c.add(op::pad, {x, c.number_tensor(0)}, p);
    }
    const extents s = x.shape();
    const extents& k = w.shape();
    const dynamic_tensor flat = c.reshape(w, {k[0], k[1] * k[2], k[3], k[4]});
    const ane::conv how{.stride = size2(narrow(g.strides[1]), narrow(g.strides[2])),
                        .dilation = size2(narrow(g.dilations[1]), narrow(g.dilations[2])),
                        .padding = four({g.before[1], g.before[2]}, {g.after[1], g.after[2]}),
                        .groups = groups};
    std::vector<dynamic_tensor> planes;
    for (std::int64_t d = 0; d + g.reach(0) <= s[2]; d += g.strides[0]) {
        strided_window slab;
        slab.begin = {0, 0, d, 0, 0};
        slab.stride = {1, 1, g.dilations[0], 1, 1};
        const dynamic_tensor part = c.add_as({s[0], s[1], k[2], s[3], s[4]}, op::strided_slice, {x}, slab);
        planes.push_back(
            c.add(op::conv2d, with_bias(c, c.reshape(part, {s[0], s[1] * k[2], s[3], s[4]}), flat, bias), how));
    }
    c.require(!planes.empty(), "has a kernel that is deeper than its operand");
    return stacked_planes(c, planes);
}
/// A convolution of values that were read already, by the attributes of the node.
ANEMONE_INLINE dynamic_tensor convolved(node_call& c, const dynamic_tensor& x, const dynamic_tensor& w, int bias) {
    const window_geometry g = geometry_of(c, x.shape(), kernel_of(w.shape()));
    const int groups = narrow(c.integer("group", 1));
    if (g.axes() == 3) {
        return conv3d(c, x, w, g, bias, groups);
    }
    const ane::conv how{
        .stride = two(g.strides), .dilation = two(g.dilations), .padding = four(g.before, g.after), .groups = groups};
    const dynamic_tensor image = as_image(c, x); // one after the other: the order of arguments is the compiler's
    const dynamic_tensor kernel = as_image(c, w);
    return without_height(c, c.add(op::conv2d, with_bias(c, image, kernel, bias), how), g.axes());
}
ANEMONE_INLINE results read_conv(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor w = c.x(1);
    return {convolved(c, x, w, 2)};
}

/// The padding of a transposed convolution; `after` is negative where rows follow that no tap reaches.
ANEMONE_INLINE window_geometry transposed_geometry(node_call& c, const extents& x, const extents& w) {
    const std::vector<std::int64_t> kernel = kernel_of(w);
    const std::size_t n = kernel.size();
    c.require(x.rank == static_cast<int>(n) + 2 && n >= 1 && n <= 3, "has another number of spatial axes than of one "
                                                                     "to three");
    window_geometry g{.kernel = kernel,
                      .strides = spatial_list(c, "strides", n, 1, 1),
                      .dilations = spatial_list(c, "dilations", n, 1, 1),
                      .before = {},
                      .after = {}};
    const std::vector<std::int64_t> extra = spatial_list(c, "output_padding", n, 0, 0);
    const std::vector<std::int64_t> given = spatial_list(c, "pads", 2 * n, 0, 0);
    const std::string automatic = c.word("auto_pad", "NOTSET");
    std::optional<std::vector<std::int64_t>> wanted = c.integers("output_shape");
    c.require(!wanted || wanted->size() >= n, "has an output_shape of too few extents");
    constexpr std::int64_t most_pads = std::int64_t{1} << 62;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t e = x[static_cast<int>(i) + 2];
        const std::int64_t full = g.strides[i] * (e - 1) + g.reach(i); // of numbers up to 2^20 and an extent up to 2^40
        std::int64_t before = given[i];
        std::int64_t after = given[i + n];
        if (wanted || automatic.starts_with("SAME")) {
            const std::int64_t out = wanted ? (*wanted)[wanted->size() - n + i] : e * g.strides[i];
            const checked_integer wanted_pads = checked_integer(full) + extra[i] - out;
            c.require(wanted_pads.is_within(-most_pads, most_pads), formatted("wants {} elements of an axis", out));
            const std::int64_t total = wanted_pads.value();
            const std::int64_t smaller = (total - (total < 0 ? 1 : 0)) / 2; // rounded down
            before = automatic == "SAME_UPPER" ? smaller : total - smaller;
            after = total - before;
            c.require(before >= 0, formatted("wants {} elements of an axis that has {}", out, full + extra[i]));
        }
        g.before.push_back(before);
        g.after.push_back(after - extra[i]);
    }
    return g;
}
/// The bias of a transposed convolution, over the axes behind the channels.
ANEMONE_INLINE dynamic_tensor plus_bias(node_call& c, const dynamic_tensor& y) {
    if (!c.has(2)) {
        return y;
    }
    extents by_channel{c.shape(2).count()};
    while (by_channel.rank < y.shape().rank - 1) {
        by_channel.append(1);
    }
    return c.add(op::add, {y, c.reshape(c.x(2), by_channel)});
}
/// A transposed convolution over one axis or two; rows that no tap reaches, behind the others, are the bias alone.
ANEMONE_INLINE dynamic_tensor transposed_image(node_call& c, const dynamic_tensor& x, const dynamic_tensor& w,
                                               window_geometry g, int groups) {
    pads beyond;
    beyond.before.rank = beyond.after.rank = x.shape().rank;
    bool grows = false;
    for (std::size_t i = 0; i < g.after.size(); ++i) {
        beyond.after[static_cast<int>(i) + 2] = std::max<std::int64_t>(-g.after[i], 0);
        grows = grows || g.after[i] < 0;
        g.after[i] = std::max<std::int64_t>(g.after[i], 0);
    }
    const ane::conv_transpose how{
        .stride = two(g.strides), .dilation = two(g.dilations), .padding = four(g.before, g.after), .groups = groups};
    const dynamic_tensor image = as_image(c, x);
    const dynamic_tensor kernel = as_image(c, w);
    const std::vector<dynamic_tensor> list = with_bias(c, image, kernel, grows ? 100 : 2);
    const dynamic_tensor y = without_height(c, c.add(op::conv_transpose2d, list, how), g.axes());
    return grows ? plus_bias(c, c.add(op::pad, {y, c.number_tensor(0)}, beyond)) : y;
}
/// For each plane of the result the pairs of a plane and a tap that reach it, as channels: one rounding. A plane that none
/// reaches is the bias alone.
ANEMONE_INLINE dynamic_tensor conv_transpose3d(node_call& c, const dynamic_tensor& x, const dynamic_tensor& w,
                                               const window_geometry& g, int groups) {
    c.require(groups >= 1 && x.shape()[1] % groups == 0,
              formatted("has {} groups of {} channels", groups, x.shape()[1]));
    const std::int64_t channels = x.shape()[1] / std::max(groups, 1); // of one group
    // The channels of each group of all parts, then those of the next: as a convolution in groups reads them.
    const auto by_groups = [&](const std::vector<dynamic_tensor>& parts, int axis) {
        std::vector<dynamic_tensor> ordered;
        for (std::int64_t i = 0; parts.size() > 1 && i < groups; ++i) {
            for (const dynamic_tensor& part : parts) {
                ordered.push_back(c.along(part, axis, i * channels, channels));
            }
        }
        return c.joined(parts.size() > 1 ? ordered : parts, axis);
    };
    const auto behind = [](const std::vector<std::int64_t>& list) { return std::vector(list.begin() + 1, list.end()); };
    const window_geometry of_plane{.kernel = behind(g.kernel),
                                   .strides = behind(g.strides),
                                   .dilations = behind(g.dilations),
                                   .before = behind(g.before),
                                   .after = behind(g.after)};
    const std::int64_t depth = g.strides[0] * (x.shape()[2] - 1) + g.reach(0) - g.before[0] - g.after[0];
    std::vector<dynamic_tensor> planes;
    std::vector<std::size_t> empty;
    extents shape;
    for (std::int64_t d = 0; d < depth; ++d) {
        std::vector<dynamic_tensor> slabs;
        std::vector<dynamic_tensor> taps;
        for (std::int64_t i = 0; i < x.shape()[2]; ++i) {
            for (std::int64_t k = 0; k < g.kernel[0]; ++k) {
                if (i * g.strides[0] + k * g.dilations[0] - g.before[0] == d) {
                    slabs.push_back(plane_of(c, x, i));
                    taps.push_back(plane_of(c, w, k));
                }
            }
        }
        if (slabs.empty()) {
            empty.push_back(planes.size());
            planes.emplace_back();
            continue;
        }
        const dynamic_tensor slab = by_groups(slabs, 1);
        const dynamic_tensor tap = by_groups(taps, 0);
        planes.push_back(transposed_image(c, slab, tap, of_plane, groups));
        shape = planes.back().shape();
    }
    c.require(empty.size() < planes.size(), "has no plane that a tap reaches");
    if (!empty.empty()) {
        const dynamic_tensor bare = plus_bias(c, c.filled(shape, [](std::int64_t) { return 0; }));
        for (const std::size_t i : empty) {
            planes[i] = bare;
        }
    }
    return stacked_planes(c, planes);
}
ANEMONE_INLINE results read_conv_transpose(node_call& c) {
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor w = c.x(1);
    const window_geometry g = transposed_geometry(c, x.shape(), w.shape());
    const int groups = narrow(c.integer("group", 1));
    return {g.axes() == 3 ? conv_transpose3d(c, x, w, g, groups) : transposed_image(c, x, w, g, groups)};
}

/// The product of two tensors by the rules of MatMul: a vector is a row on the left and a column on the right.
ANEMONE_INLINE dynamic_tensor multiplied(node_call& c, const dynamic_tensor& x, const dynamic_tensor& y) {
    const extents& p = x.shape();
    const extents& q = y.shape();
    c.require(p.rank >= 1 && q.rank >= 1, "multiplies a number");
    const dynamic_tensor a = p.rank == 1 ? c.reshape(x, {1, p[0]}) : x;
    const dynamic_tensor b = q.rank == 1 ? c.reshape(y, {q[0], 1}) : y;
    const dynamic_tensor product = c.add(op::matmul, {a, b}, transposed{});
    extents shape;
    const extents& s = product.shape();
    for (int i = 0; i < s.rank; ++i) {
        const bool added = (i == s.rank - 2 && p.rank == 1) || (i == s.rank - 1 && q.rank == 1);
        if (!added) {
            shape.append(s[i]);
        }
    }
    return c.reshape(product, shape);
}
ANEMONE_INLINE results read_matmul(node_call& c) {
    const dynamic_tensor a = c.x(0);
    const dynamic_tensor b = c.x(1);
    return {multiplied(c, a, b)};
}

/// `linear` where it is one, else a matrix product, products and a sum. A constant b is transposed while reading.
ANEMONE_INLINE results read_gemm(node_call& c) {
    const double alpha = c.number("alpha", 1);
    const double beta = c.number("beta", 1);
    const transposed form{.a = c.integer("transA", 0) != 0, .b = c.integer("transB", 0) != 0};
    c.require(c.rank(0) == 2 && c.rank(1) == 2, "multiplies what are no matrices");
    const std::int64_t columns = c.shape(1)[form.b ? 0 : 1];
    const bool plain = alpha == 1 && !form.a && (!c.has(2) || (beta == 1 && c.shape(2) == extents{columns}));
    const dynamic_tensor a = c.x(0);
    if (plain && (form.b || c.is_known(1))) {
        const dynamic_tensor w = form.b ? c.x(1)
                                        : c.scope().place(folding::transposed(c.room(), c.known(1), {1, 0}),
                                                          c.operand(1).name, true, c.where());
        return {c.add(op::linear, with_bias(c, a, w, 2))};
    }
    dynamic_tensor y = c.add(op::matmul, {a, c.x(1)}, form);
    if (alpha != 1) {
        y = c.add(op::mul, y, alpha);
    }
    if (c.has(2)) {
        const dynamic_tensor bias = beta == 1 ? c.x(2) : c.add(op::mul, c.x(2), beta);
        y = c.add(op::add, {y, bias});
    }
    return {y};
}

ANEMONE_INLINE void add_contraction(converter_table& t) {
    t.insert({
        {"Conv", read_conv},
        {"ConvTranspose", read_conv_transpose},
        {"MatMul", read_matmul},
        {"Gemm", read_gemm},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
