#pragma once

#include "../base/way.hpp"
#include "netplist_unit.hpp"

/// Units that move elements. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// A whole operand with an axis for its depth, where the operation needs one.
ANEMONE_INLINE dynamic_tensor with_axis(netplist_unit_reader& u, std::size_t i, bool deep) {
    const auto& e = u.x(i).shape.extent;
    const dynamic_tensor x = u.whole(i);
    return deep ? u.graph.reshape(x, {e[0], e[1], e[2], e[3], e[4]}) : x;
}

ANEMONE_INLINE netplist_tensor read_concat(netplist_unit_reader& u, op kind) {
    const netplist_axis along = u.keys.axis("Dimension", netplist_axis::channel);
    u.ready(1, std::size_t{1} << 20U);
    if (u.bottoms.size() == 1) {
        return u.x();
    }
    bool deep = along == netplist_axis::depth;
    for (const netplist_tensor& x : u.bottoms) {
        deep = deep || x.shape[netplist_axis::depth] != 1;
    }
    std::vector<dynamic_tensor> parts;
    for (std::size_t i = 0; i < u.bottoms.size(); ++i) {
        parts.push_back(with_axis(u, i, deep));
    }
    return u.value(u.graph.builder.add(kind, parts, axis{graph_axis(along, deep ? 5 : 4)}, u.graph.where));
}

/// x[Offset : Offset + Size]; a step of -1 reverses a whole axis.
ANEMONE_INLINE netplist_tensor read_input_view(netplist_unit_reader& u, op) {
    const netplist_axis along = u.keys.axis("Dimension");
    const std::int64_t offset = u.keys.integer("Offset", 0, most_netplist_extent);
    const std::int64_t size = u.keys.extent("Size");
    const std::int64_t step = u.keys.integer("Step", -most_netplist_extent, most_netplist_extent, 1);
    u.ready();
    const std::int64_t all = u.x().shape[along];
    if (step != 1 && (step != -1 || size != all)) {
        u.refuse(formatted("Step is {}; 1 is read, and -1 over the whole axis", step));
    }
    if (step == -1) {
        const int index = u.axis_of(along);
        return index < 0 ? u.x() : netplist_tensor{u.graph.add(op::reverse, {u.whole()}, axes{index}), u.x().shape};
    }
    if (offset + size > all) {
        u.refuse(formatted("views {} from {} on along {}, which has {}", size, offset, name(along), all));
    }
    if (size == all) {
        return u.x();
    }
    const dynamic_tensor x = u.whole();
    window w;
    for (int i = 0; i < x.shape().rank; ++i) {
        const bool cut = i == graph_axis(along, x.shape().rank);
        w.begin.append(cut ? offset : 0);
        w.size.append(cut ? size : x.shape()[i]);
    }
    return u.value(u.graph.add(op::slice, {x}, w));
}

ANEMONE_INLINE netplist_tensor read_reshape(netplist_unit_reader& u, op) {
    const netplist_shape wanted{u.keys.extent("ReshapedBatch"), u.keys.extent("ReshapedDepth", 1),
                                u.keys.extent("ReshapedChannel"), u.keys.extent("ReshapedHeight"),
                                u.keys.extent("ReshapedWidth")};
    u.ready();
    if (bounded_count(graph_shape(wanted)) != bounded_count(graph_shape(u.x().shape))) {
        u.refuse(formatted("makes {} elements of {}", bounded_count(graph_shape(wanted)),
                           bounded_count(graph_shape(u.x().shape))));
    }
    return u.graph.reshaped(u.x(), wanted);
}

/// y[destination] = x[source]; axes that are not named stay.
ANEMONE_INLINE netplist_tensor read_transpose(netplist_unit_reader& u, op) {
    netplist_sources sources{netplist_axes[0], netplist_axes[1], netplist_axes[2], netplist_axes[3], netplist_axes[4]};
    std::set<netplist_axis> read;
    std::set<netplist_axis> written;
    std::vector<std::string> complaints;
    for (const formats::plist_dict* const entry : u.keys.dictionaries("TransposeDimensions")) {
        netplist_keys move(entry, complaints);
        const netplist_axis from = move.axis("TransposeSourceDimension");
        const netplist_axis to = move.axis("TransposeDestinationDimension");
        if (!read.insert(from).second || !written.insert(to).second) {
            move.complain("TransposeDimensions names an axis twice");
        }
        sources[static_cast<std::size_t>(to)] = from;
    }
    if (complaints.empty() && read != written) {
        complaints.emplace_back("TransposeDimensions moves an axis without saying what takes its place");
    }
    for (std::string& c : complaints) {
        u.keys.complain(std::move(c));
    }
    u.ready();
    return u.graph.transposed(u.x(), sources);
}

/// In row-major order of C, H, W or of H, W, C, to the channels; the batch stays. That the result lies on Channel is
/// inferred.
ANEMONE_INLINE netplist_tensor read_flatten(netplist_unit_reader& u, op) {
    std::string_view order = u.keys.text("FlattenType", true);
    const std::string_view mode = u.keys.text("Mode", true);
    order = order.empty() ? mode : order;
    if ((order != "NCHW" && order != "NHWC") || (!mode.empty() && mode != order)) {
        u.keys.complain(
            formatted("FlattenType is {} and Mode {}; NCHW or NHWC is read", in_quotes(order), in_quotes(mode)));
    }
    u.ready();
    const netplist_shape& s = u.x().shape;
    if (s[netplist_axis::depth] != 1) {
        u.refuse(formatted("flattens a depth of {}, whose place in the order is not known", s[netplist_axis::depth]));
    }
    const netplist_sources last{netplist_axis::batch, netplist_axis::depth, netplist_axis::height, netplist_axis::width,
                                netplist_axis::channel};
    const std::int64_t count =
        bounded_count({s[netplist_axis::channel], s[netplist_axis::height], s[netplist_axis::width]});
    return u.graph.reshaped(order == "NHWC" ? u.graph.transposed(u.x(), last) : u.x(),
                            {s[netplist_axis::batch], 1, count, 1, 1});
}

/// Axes of extent 1 grow. The tensor stays as it is until an operation needs the copies.
ANEMONE_INLINE netplist_tensor read_broadcast(netplist_unit_reader& u, op) {
    netplist_shape wanted = u.bottoms.empty() ? netplist_shape() : u.x().shape;
    std::vector<std::string> complaints;
    for (const formats::plist_dict* const entry : u.keys.dictionaries("BroadcastInfo")) {
        netplist_keys info(entry, complaints);
        const netplist_axis along = info.axis("Dimension");
        const std::int64_t size = info.extent("Size");
        if (wanted[along] != 1 && wanted[along] != size) {
            info.complain(formatted("repeats {} along {} to {}; only an extent of 1 is repeated", wanted[along],
                                    name(along), size));
        }
        wanted[along] = size;
    }
    for (std::string& c : complaints) {
        u.keys.complain(std::move(c));
    }
    u.ready();
    netplist_tensor result{u.x().tensor, wanted};
    const extents& s = result.tensor.shape();
    if (wanted[netplist_axis::depth] != 1 && s.rank == 4) {
        result.tensor = u.graph.reshape(result.tensor, {s[0], 1, s[1], s[2], s[3]});
    }
    return result;
}

/// The elements of one axis at a vector of indices.
ANEMONE_INLINE netplist_tensor read_gather(netplist_unit_reader& u, op kind) {
    const std::vector<netplist_axis> along = u.keys.axes("GatherNDAxes");
    if (along.size() > 1) {
        u.keys.complain(formatted("GatherNDAxes names {} axes; one is read", along.size()));
    }
    u.ready(2);
    const int index = u.axis_of(along.front());
    if (index < 0) {
        u.refuse("gathers along Depth, of which there is 1");
    }
    const dynamic_tensor indices = u.whole(1);
    return u.value(
        u.graph.add(kind, {u.whole(0), u.graph.reshape(indices, {bounded_count(indices.shape())})}, axis{index}));
}

/// x[start : start + SliceSize] along one axis, the start being an operand; 0 where it lies outside.
ANEMONE_INLINE netplist_tensor read_dynamic_slice(netplist_unit_reader& u, op kind) {
    const std::vector<netplist_axis> order = u.keys.axes("DynamicSliceAxisOrder");
    std::vector<std::string> complaints;
    std::int64_t size = 1;
    for (const std::string_view list : {"DynamicSliceInfo", "CoordinateInfo", "PaddingInfo"}) {
        const auto entries = u.keys.dictionaries(list, list != "DynamicSliceInfo");
        if (entries.size() > 1) {
            complaints.push_back(formatted("{} has {} entries; one axis is read", list, entries.size()));
        }
        for (const formats::plist_dict* const entry : entries) {
            netplist_keys keys(entry, complaints);
            if (keys.axis("Coordinate") != order.front()) {
                keys.complain(formatted("{} is of another axis than DynamicSliceAxisOrder", list));
            }
            if (list == "DynamicSliceInfo") {
                size = keys.extent("SliceSize");
            }
            keys.only_text("CoordinateMode", "NonNormalized");
            keys.only_text("PaddingMode", "Background");
        }
    }
    for (std::string& c : complaints) {
        u.keys.complain(std::move(c));
    }
    u.keys.only_text("CoordinateMode", "NonNormalized");
    if (u.keys.real("BackgroundValue", 0) != 0) {
        u.keys.complain("BackgroundValue is not 0, which alone is read");
    }
    u.ready(2);
    const dynamic_tensor x = u.whole(0);
    const int moving = u.axis_of(order.front());
    if (moving < 0) {
        u.refuse("slices along Depth, of which there is 1");
    }
    window w;
    for (int i = 0; i < x.shape().rank; ++i) {
        w.begin.append(0);
        w.size.append(i == moving ? size : x.shape()[i]);
    }
    dynamic_tensor start = u.whole(1);
    if (bounded_count(start.shape()) > 1) { // four equal numbers, of which one is needed
        start = u.graph.reshape(start, {bounded_count(start.shape())});
        start = u.graph.add(op::slice, {start}, window{.begin = {0}, .size = {1}});
    }
    return u.value(u.graph.add(kind, {x, start}, w));
}

/// Blocks of pixels to channels or batch and back.
ANEMONE_INLINE netplist_tensor read_blocks(netplist_unit_reader& u, op kind) {
    const auto width = static_cast<int>(u.keys.integer("FactorX", 1, 65536));
    const auto height = static_cast<int>(u.keys.integer("FactorY", 1, 65536));
    u.keys.only_number("FactorZ", 1);
    u.ready();
    if ((kind == op::space_to_batch || kind == op::batch_to_space) && u.x().shape[netplist_axis::depth] != 1) {
        u.refuse(formatted("has a depth of {}; 1 is read", u.x().shape[netplist_axis::depth]));
    }
    return u.graph.over_images(u.x(),
                               [&](const dynamic_tensor& x) { return u.graph.add(kind, {x}, factors(height, width)); });
}

} // namespace ane::readers::inline ANEMONE_WAY
