#pragma once

#include "../base/way.hpp"
#include "netplist_convolution.hpp"
#include "netplist_functions.hpp"
#include "netplist_matmul.hpp"
#include "netplist_movement.hpp"

/// Operations that are one layer of the engine as netplist units.
namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_INLINE netplist_value write_blocks(netplist_writer& w, int index, const netplist_form& form) {
    const size2 by = w.at(index).get<factors>().by;
    netplist_value x = w.value(w.operand(index, 0));
    if (by == size2(1)) {
        return x;
    }
    return w.unit({form.unit, plist_dict{{"FactorX", by.width}, {"FactorY", by.height}, {"FactorZ", 1}}}, {x},
                  netplist_shape_of(w.at(index).shape));
}

/// A window of all channels. `Alpha` is divided by the number of channels in the unit, as alpha is by the size.
ANEMONE_INLINE netplist_value write_response_norm(netplist_writer& w, int index, const netplist_form& form) {
    const response_norm_shape& a = w.at(index).get<response_norm_shape>();
    const netplist_value x = w.value(w.operand(index, 0));
    return w.unit({form.unit, plist_dict{{"Type", form.variant},
                                         {"KernelWidth", 1},
                                         {"KernelHeight", 1},
                                         {"KernelChannel", x.shape[netplist_axis::channel]},
                                         {"Alpha", fp16_pattern(half(a.alpha))},
                                         {"Beta", static_cast<double>(a.beta)},
                                         {"K", static_cast<double>(a.k)}}},
                  {x}, x.shape);
}

/// sqrt(area mean(x^2)): of the L2 pool only its name and its padding modes are known.
ANEMONE_INLINE netplist_value write_l2_pool(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const pool& a = n.get<pool>();
    const netplist_value x = w.value(w.operand(index, 0));
    plist_dict params =
        netplist_window(a.kernel, a.stride, forms::written_padding(a, w.at(w.operand(index, 0)).shape, n.shape));
    params["Type"] = form.variant;
    params["PaddingMode"] = "Zero";
    params["AverageCountExcludePadding"] = false;
    const netplist_value squares = w.simple("ElementWise", "Mult", {x, x});
    const netplist_value means = w.unit({form.unit, params}, {squares}, netplist_shape_of(n.shape));
    return neuron(w, "Sqrt", w.scale(means, half(static_cast<float>(a.kernel.height * a.kernel.width))));
}

/// One line, laid along Width, in the order of its only channel.
ANEMONE_INLINE netplist_value write_order(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const selection& a = n.get<selection>();
    const netplist_shape result = netplist_shape_of(n.shape);
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_value line = w.reshape(x, {1, 1, 1, 1, x.shape.count()});
    plist_dict params{
        {"SortDimension", "Width"}, {"VectorDimension", "Channel"}, {"SortIndices", plist_array{std::int64_t{0}}}};
    const bool top = n.kind == op::top_k || n.kind == op::top_k_indices;
    if (top) {
        params["Type"] = a.ascending ? "Min" : "Max";
        params["K"] = a.k;
    } else {
        params["Direction"] = a.ascending ? "Ascending" : "Descending";
    }
    if (n.kind == op::top_k_indices || n.kind == op::arg_sort) {
        params["Indices"] = true;
    }
    return w.reshape(w.unit({form.unit, params}, {line}, {1, 1, 1, 1, result.count()}), result);
}

/// Pixels repeated along the axis: [..., E, 1] becomes [..., E, factor].
ANEMONE_INLINE netplist_value repeated(netplist_writer& w, const netplist_value& x, std::int64_t height,
                                       std::int64_t width) {
    const std::int64_t planes = x.shape[netplist_axis::batch] * x.shape[netplist_axis::channel];
    const std::int64_t rows = x.shape[netplist_axis::height];
    const std::int64_t columns = x.shape[netplist_axis::width];
    const netplist_value wide =
        w.broadcast(w.reshape(x, {1, 1, planes, rows * columns, 1}), {1, 1, planes, rows * columns, width});
    const netplist_value lines = w.reshape(wide, {1, 1, planes * rows, 1, columns * width});
    const netplist_value high = w.broadcast(lines, {1, 1, planes * rows, height, columns * width});
    return w.reshape(
        high, {x.shape[netplist_axis::batch], 1, x.shape[netplist_axis::channel], rows * height, columns * width});
}

/// Doubling both axes is the convolution with a kernel of ones over the stuffed image, without a blob; powers of two
/// are chains of it, as the builder writes them. Other factors repeat the pixels.
ANEMONE_INLINE netplist_value write_resize(netplist_writer& w, int index, const netplist_form& form) {
    const size2 extent = w.at(index).get<sampling>().extent;
    netplist_value x = w.value(w.operand(index, 0));
    const std::int64_t height = extent.height / x.shape[netplist_axis::height];
    const std::int64_t width = extent.width / x.shape[netplist_axis::width];
    if (height != width || (height & (height - 1)) != 0) {
        return repeated(w, x, height, width);
    }
    for (std::int64_t left = height; left > 1; left /= 2) {
        plist_dict params = netplist_window(2, 2, {1, 0, 1, 0});
        params["Type"] = form.variant;
        params["KernelMode"] = "Unity";
        params["KernelGroupReuse"] = true;
        params["KernelType"] = netplist_name(dtype::f16);
        netplist_shape shape = x.shape;
        shape[netplist_axis::height] *= 2;
        shape[netplist_axis::width] *= 2;
        x = w.unit({form.unit, params, true, 1}, {x}, shape);
    }
    return x;
}

ANEMONE_INLINE netplist_value write_dropout(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    return w.unit({form.unit, plist_dict{{"DropoutRate", 0}, {"Seed", 0}}}, {x}, x.shape);
}

/// The unit ignores the `Scale` of a product, so that is a GOC of its own.
ANEMONE_INLINE netplist_value write_scaled_elementwise(netplist_writer& w, int index, const netplist_form& form) {
    constexpr std::string_view variants[] = {"Add", "Mult", "Max", "Min"};
    const node& n = w.at(index);
    const scaling& a = n.get<scaling>();
    const bool product = a.function == scaled_function::mul;
    const netplist_value left = broadcast_operand(w, w.operand(index, 0), n.shape);
    const netplist_value right = broadcast_operand(w, w.operand(index, 1), n.shape);
    const netplist_value y = w.unit({form.unit, plist_dict{{"Type", variants[static_cast<std::size_t>(a.function)]},
                                                           {"Scale", fp16_pattern(half(product ? 1.0F : a.scale))}}},
                                    {left, right}, left.shape);
    return product && a.scale != 1.0F ? w.scale(y, half(a.scale)) : y;
}

/// The template lies along Width, row by row.
ANEMONE_INLINE netplist_value write_cross_correlation(netplist_writer& w, int index, const netplist_form& form) {
    const extents& pattern = w.at(w.operand(index, 1)).shape;
    const netplist_value row = w.reshape(w.value(w.operand(index, 1)), {1, 1, 1, 1, pattern.count()});
    return w.unit({form.unit, plist_dict{{"NumGroups", 1},
                                         {"PadTop", 0},
                                         {"PadBot", 0},
                                         {"PadLeft", 0},
                                         {"PadRight", 0},
                                         {"TemplateHeight", pattern[2]},
                                         {"TemplateWidth", pattern[3]}}},
                  {w.value(w.operand(index, 0)), row}, netplist_shape_of(w.at(index).shape));
}

ANEMONE_INLINE netplist_value write_cross_product(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value a = w.value(w.operand(index, 0));
    return w.unit({form.unit, plist_dict{}}, {a, w.value(w.operand(index, 1))}, a.shape);
}

/// The image before the reference, which is wider.
ANEMONE_INLINE netplist_value write_cost_volume(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value image = w.value(w.operand(index, 0));
    return w.unit(
        {form.unit, plist_dict{{"DisparityDirection", 0}, {"DisparityRange", w.at(index).get<item_count>().count - 1}}},
        {image, w.value(w.operand(index, 1))}, netplist_shape_of(w.at(index).shape));
}

ANEMONE_INLINE netplist_value write_furthest_points(netplist_writer& w, int index, const netplist_form& form) {
    return w.unit(
        {form.unit, plist_dict{{"CentroidCount", w.at(index).get<item_count>().count}, {"DistanceMetric", "L2"}}},
        {w.value(w.operand(index, 0))}, netplist_shape_of(w.at(index).shape));
}

/// Sequences on Channel, heads on Height. `SubtractMax` is wrong by default; the scale has to be a constant.
ANEMONE_INLINE netplist_value write_attention(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const auto turned = [&](int position) {
        return w.transpose(w.value(w.operand(index, position)), exchange_channel_height);
    };
    const netplist_value query = turned(0);
    const netplist_value key = turned(1);
    const half scale(n.get<score_scaling>().scale);
    std::vector<netplist_value> bottoms{query, key, turned(2), w.constant({}, std::span(&scale, 1))};
    if (n.operands.count == 4) {
        netplist_shape scores; // the mask repeated to [Sq, Skv], its rows on Channel
        scores[netplist_axis::height] = query.shape[netplist_axis::channel];
        scores[netplist_axis::width] = key.shape[netplist_axis::channel];
        bottoms.push_back(w.transpose(w.broadcast(w.value(w.operand(index, 3)), scores), exchange_channel_height));
    }
    const netplist_value y = w.unit({form.unit, plist_dict{{"SubtractMax", true}}}, std::move(bottoms), query.shape);
    return w.transpose(y, exchange_channel_height);
}

ANEMONE_INLINE netplist_value write_minmax_norm(netplist_writer& w, int index, const netplist_form& form) {
    const stabilizer& a = w.at(index).get<stabilizer>();
    const netplist_value x = w.value(w.operand(index, 0));
    return w.unit({form.unit, plist_dict{{"Dimension", name(axis_of(w, index, a.axis))},
                                         {"Epsilon", fp16_pattern(half(a.epsilon))}}},
                  {x}, x.shape);
}

} // namespace ane::formats::inline ANEMONE_WAY
