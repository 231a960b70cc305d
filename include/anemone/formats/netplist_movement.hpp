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

/// ArgMinMax, which runs on every family: its index is along one axis where the window has no other. Elsewhere the axis is laid
/// along the width, and all others along the channels. Only where these are too many, and everywhere with `global_arg`,
/// GlobalArgMinMax, of which the sources disagree whether it runs before A15.
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
    const std::int64_t lines = x.shape[netplist_axis::channel] * height * width / x.shape[along];
    const bool is_plane =
        along != netplist_axis::batch && x.shape[netplist_axis::depth] == 1; // channels are in one order
    if (w.options().global_arg || !is_plane || lines > most_channels) {
        return w.unit({"GlobalArgMinMax", plist_dict{{"Type", form.variant}, {"Dimension", name(along)}}}, {x}, shape);
    }
    netplist_order swapped{netplist_axes[0], netplist_axes[1], netplist_axes[2], netplist_axes[3], netplist_axes[4]};
    std::swap(swapped[static_cast<std::size_t>(along)], swapped[static_cast<std::size_t>(netplist_axis::width)]);
    const netplist_value turned = w.transpose(x, swapped);
    netplist_shape wide = turned.shape;
    wide[netplist_axis::channel] = lines;
    wide[netplist_axis::height] = 1;
    netplist_shape one = wide;
    one[netplist_axis::width] = 1;
    const netplist_value found = arg_of_lines(w, w.reshape(turned, wide), form, true, one);
    if (along != netplist_axis::channel) { // lines are in the order of the result
        return w.reshape(found, shape);
    }
    netplist_shape planes = turned.shape;
    planes[netplist_axis::width] = 1;
    return w.transpose(w.reshape(found, planes), swapped);
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
