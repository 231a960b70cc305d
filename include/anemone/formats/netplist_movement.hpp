#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "netplist_writer.hpp"

#include <cstdint>
#include <utility>

/// Operations along axes, and operations that move elements, as netplist units.
namespace ane::formats::inline ANEMONE_WAY {

ANEMONE_INLINE netplist_axis axis_of(const netplist_writer& w, int index, int axis) {
    return netplist_axis_of(axis, w.at(index).shape.rank);
}

ANEMONE_INLINE netplist_value write_softmax(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    const std::string_view dimension = name(axis_of(w, index, w.at(index).get<axis>().index));
    return w.unit({form.unit, plist_dict{{"Dimension", dimension}}}, {x}, x.shape);
}

/// Axes of extent 1 are left out of the list, which holds four names at most; where no other is left, the result is the
/// operand.
ANEMONE_INLINE netplist_value write_reduction(netplist_writer& w, int index, const netplist_form& form) {
    netplist_value x = w.value(w.operand(index, 0));
    const indices& list = w.at(index).get<axes>().list;
    netplist_shape reduced = x.shape;
    for (int i = 0; i < list.rank; ++i) {
        reduced[netplist_axis_of(static_cast<int>(list[i]), w.at(index).shape.rank)] = 1;
    }
    plist_array dimensions;
    for (const netplist_axis a : netplist_axes) {
        if (x.shape[a] != reduced[a]) {
            dimensions.emplace_back(name(a));
        }
    }
    if (dimensions.empty()) {
        return x;
    }
    return w.unit({form.unit, plist_dict{{"Type", form.variant}, {"Dimension", dimensions}}}, {x}, reduced);
}

/// ArgMinMax over a window that is all of a line along the width, or all channels of a pixel.
ANEMONE_INLINE netplist_value arg_of_lines(netplist_writer& w, const netplist_value& x, const netplist_form& form,
                                           bool spatial, const netplist_shape& shape) {
    return w.unit({form.unit, plist_dict{{"Mode", formatted("{}Arg{}", spatial ? "Spatial" : "Channel", form.variant)},
                                         {"KernelWidth", x.shape[netplist_axis::width]},
                                         {"KernelHeight", x.shape[netplist_axis::height]},
                                         {"PadLeft", 0},
                                         {"PadRight", 0},
                                         {"PadTop", 0},
                                         {"PadBot", 0}}},
                  {x}, shape);
}

/// The axes in their order, of which two change places.
ANEMONE_INLINE netplist_order exchanged(netplist_axis a, netplist_axis b) {
    netplist_order order{netplist_axes[0], netplist_axes[1], netplist_axes[2], netplist_axes[3], netplist_axes[4]};
    std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
    return order;
}
ANEMONE_INLINE netplist_order inverse(const netplist_order& order) {
    netplist_order back{};
    for (const netplist_axis to : netplist_axes) {
        back[static_cast<std::size_t>(order[static_cast<std::size_t>(to)])] = to;
    }
    return back;
}
ANEMONE_INLINE netplist_shape transposed_shape(const netplist_shape& x, const netplist_order& order) {
    netplist_shape shape;
    for (const netplist_axis to : netplist_axes) {
        shape[to] = x[order[static_cast<std::size_t>(to)]];
    }
    return shape;
}

/// GlobalArgMinMax, which works along Width, Height and Channel: batch and depth are laid along the width.
ANEMONE_INLINE netplist_value write_global_arg(netplist_writer& w, int index, const netplist_form& form) {
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_axis along = axis_of(w, index, w.at(index).get<axis>().index);
    const bool is_outer = along == netplist_axis::batch || along == netplist_axis::depth;
    const netplist_axis worked = is_outer ? netplist_axis::width : along;
    const netplist_order order = exchanged(along, worked);
    const netplist_value turned = w.transpose(x, order);
    netplist_shape found = turned.shape;
    found[worked] = 1;
    return w.transpose(
        w.unit({"GlobalArgMinMax", plist_dict{{"Type", form.variant}, {"Dimension", name(worked)}}}, {turned}, found),
        order);
}

/// ArgMinMax, which runs on every family: its index is along one axis where the window has no other. Elsewhere the axis is laid
/// along the width, and what makes the window higher along the channels, or along the batch where there are channels and
/// depth, which Reshape orders in another way. Only where lines are too many, or along four other axes, and everywhere with
/// `global_arg`, GlobalArgMinMax, of which the sources disagree whether it runs before A15.
ANEMONE_INLINE netplist_value write_arg(netplist_writer& w, int index, const netplist_form& form) {
    constexpr std::int64_t most_channels = 65536;
    const netplist_value x = w.value(w.operand(index, 0));
    const netplist_shape shape = netplist_shape_of(w.at(index).shape);
    const netplist_axis along = axis_of(w, index, w.at(index).get<axis>().index);
    const std::int64_t height = x.shape[netplist_axis::height];
    const std::int64_t width = x.shape[netplist_axis::width];
    const bool spatial =
        (along == netplist_axis::width && height == 1) || (along == netplist_axis::height && width == 1);
    if (!w.options().global_arg && (spatial || (along == netplist_axis::channel && height == 1 && width == 1))) {
        return arg_of_lines(w, x, form, spatial, shape);
    }
    netplist_order order = exchanged(along, netplist_axis::width);
    netplist_shape planes = transposed_shape(x.shape, order);
    const bool is_deep =
        planes[netplist_axis::height] != 1 && planes[netplist_axis::depth] != 1 && planes[netplist_axis::channel] != 1;
    if (is_deep) {
        std::swap(order[static_cast<std::size_t>(netplist_axis::batch)],
                  order[static_cast<std::size_t>(netplist_axis::height)]);
        planes = transposed_shape(x.shape, order);
    }
    netplist_shape lines = planes;
    if (planes[netplist_axis::height] != 1) {
        lines[netplist_axis::channel] *= planes[netplist_axis::depth] * planes[netplist_axis::height];
        lines[netplist_axis::depth] = 1;
        lines[netplist_axis::height] = 1;
    }
    const bool has_four = is_deep && planes[netplist_axis::height] != 1;
    if (w.options().global_arg || has_four || lines[netplist_axis::channel] > most_channels) {
        return write_global_arg(w, index, form);
    }
    netplist_shape one = lines;
    one[netplist_axis::width] = 1;
    const netplist_value found = arg_of_lines(w, w.reshape(w.transpose(x, order), lines), form, true, one);
    if (!is_deep && (along == netplist_axis::width || along == netplist_axis::height)) { // in the order of the result
        return w.reshape(found, shape);
    }
    planes[netplist_axis::width] = 1;
    return w.transpose(w.reshape(found, planes), inverse(order));
}

ANEMONE_INLINE netplist_value write_reshape(netplist_writer& w, int index, const netplist_form&) {
    return w.reshape(w.value(w.operand(index, 0)), netplist_shape_of(w.at(index).shape));
}

ANEMONE_INLINE netplist_value write_transpose(netplist_writer& w, int index, const netplist_form&) {
    const indices& order = w.at(index).get<permutation>().order;
    netplist_order sources{netplist_axes[0], netplist_axes[1], netplist_axes[2], netplist_axes[3], netplist_axes[4]};
    for (int i = 0; i < order.rank; ++i) {
        sources[static_cast<std::size_t>(netplist_axis_of(i, order.rank))] =
            netplist_axis_of(static_cast<int>(order[i]), order.rank);
    }
    return w.transpose(w.value(w.operand(index, 0)), sources);
}

ANEMONE_INLINE netplist_value write_concat(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    std::vector<netplist_value> parts;
    for (const int o : w.graph().operands(index)) {
        parts.push_back(w.value(o));
    }
    const std::string_view dimension = name(netplist_axis_of(n.get<axis>().index, n.shape.rank));
    return w.unit({form.unit, plist_dict{{"Dimension", dimension}}}, std::move(parts), netplist_shape_of(n.shape));
}

/// One view for each axis that gets shorter. A Width offset above 0 has the hazards of R090 on A13 and A14.
ANEMONE_INLINE netplist_value write_slice(netplist_writer& w, int index, const netplist_form& form) {
    const window& wanted = w.at(index).get<window>();
    netplist_value x = w.value(w.operand(index, 0));
    for (int i = 0; i < wanted.size.rank; ++i) {
        const netplist_axis a = netplist_axis_of(i, wanted.size.rank);
        if (wanted.size[i] != x.shape[a]) {
            netplist_shape shape = x.shape;
            shape[a] = wanted.size[i];
            x = w.unit({form.unit,
                        plist_dict{{"Dimension", name(a)}, {"Offset", wanted.begin[i]}, {"Size", wanted.size[i]}},
                        false},
                       {x}, shape);
        }
    }
    return x;
}

/// Blocks of one value joined before and behind along Height, then Width: no keys of the Padding unit are known.
ANEMONE_INLINE netplist_value write_pad(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const pads& amounts = n.get<pads>();
    netplist_value x = w.value(w.operand(index, 0));
    for (int i = 0; i < n.shape.rank; ++i) {
        const std::int64_t before = amounts.before[i];
        const std::int64_t after = amounts.after[i];
        const netplist_axis a = netplist_axis_of(i, n.shape.rank);
        if (before + after == 0) {
            continue;
        }
        const auto block = [&](std::int64_t extent) {
            netplist_shape shape = x.shape;
            shape[a] = extent;
            return w.broadcast(w.value(w.operand(index, 1)), shape);
        };
        std::vector<netplist_value> parts;
        if (before > 0) {
            parts.push_back(block(before));
        }
        parts.push_back(x);
        if (after > 0) {
            parts.push_back(block(after));
        }
        netplist_shape shape = x.shape;
        shape[a] += before + after;
        x = w.unit({form.unit, plist_dict{{"Dimension", name(a)}}}, std::move(parts), shape);
    }
    return x;
}

} // namespace ane::formats::inline ANEMONE_WAY
