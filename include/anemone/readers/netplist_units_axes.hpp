#pragma once

#include "../base/way.hpp"
#include "netplist_unit.hpp"

/// Units that work along axes: reductions, normalizations, order, matrix products, attention. Only bodies include this
/// header.
namespace ane::readers::inline ANEMONE_WAY {

/// The index of the axis that a unit works along; Depth is refused where the unit does not take it.
ANEMONE_INLINE int inner_index(netplist_unit_reader& u, netplist_axis along) {
    if (along == netplist_axis::batch || along == netplist_axis::depth) {
        u.refuse(formatted("works along {}; Width, Height and Channel are read", name(along)));
    }
    return u.axis_of(along);
}

ANEMONE_INLINE netplist_tensor read_softmax(netplist_unit_reader& u, op kind) {
    const netplist_axis along = u.keys.axis("Dimension");
    u.ready();
    return u.value(u.graph.add(kind, {u.whole()}, axis{inner_index(u, along)}));
}

ANEMONE_INLINE netplist_tensor read_minmax_norm(netplist_unit_reader& u, op kind) {
    const netplist_axis along = u.keys.axis("Dimension");
    const half epsilon = u.keys.pattern("Epsilon");
    u.ready();
    return u.value(
        u.graph.add(kind, {u.whole()}, stabilizer{.epsilon = float(epsilon), .axis = inner_index(u, along)}));
}

/// The reduced axes become 1.
ANEMONE_INLINE netplist_tensor read_reduction(netplist_unit_reader& u, op kind) {
    const std::vector<netplist_axis> along = u.keys.axes("Dimension");
    u.ready();
    axes reduced;
    for (const netplist_axis a : along) {
        if (const int index = u.axis_of(a); index >= 0) {
            reduced.list.append(index);
        }
    }
    if (reduced.list.rank == 0) {
        return u.x();
    }
    return u.value(u.graph.add(kind, {u.whole()}, reduced));
}

/// x / (K + alpha sum x^2)^Beta over `KernelChannel` channels; Alpha is that alpha times KernelChannel, as in the graph.
ANEMONE_INLINE netplist_tensor read_response_norm(netplist_unit_reader& u, op kind) {
    u.keys.only_number("KernelWidth", 1);
    u.keys.only_number("KernelHeight", 1);
    response_norm_shape r;
    r.size = static_cast<int>(u.keys.integer("KernelChannel", 1, 65536));
    r.alpha = float(u.keys.pattern("Alpha"));
    r.beta = static_cast<float>(u.keys.real("Beta"));
    r.k = static_cast<float>(u.keys.real("K"));
    u.ready();
    return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) { return u.graph.add(kind, {x}, r); });
}

/// (x - mean) / sqrt(variance + Epsilon) over Height and Width. How Epsilon is encoded is not known; an integer is taken
/// for an fp16 bit pattern, as everywhere else.
ANEMONE_INLINE netplist_tensor read_instance_norm(netplist_unit_reader& u, op kind) {
    const std::vector<netplist_axis> along = u.keys.axes("Dimension");
    const auto names = [&](netplist_axis a) { return std::find(along.begin(), along.end(), a) != along.end(); };
    if (along.size() != 2 || !names(netplist_axis::height) || !names(netplist_axis::width)) {
        u.keys.complain("Dimension is not Height and Width, which alone are read");
    }
    const half epsilon = u.keys.pattern("Epsilon");
    u.ready();
    u.graph.note("Epsilon of InstanceNormalization is taken for an fp16 bit pattern; how it is encoded is not known");
    const extents channels{u.x().shape[netplist_axis::channel]};
    const dynamic_tensor gamma = u.graph.builder.constant(channels, 1.0, u.graph.where);
    const dynamic_tensor beta = u.graph.builder.constant(channels, 0.0, u.graph.where);
    return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) {
        return u.graph.add(kind, {x, gamma, beta}, stabilizer{.epsilon = float(epsilon), .axis = 1});
    });
}

/// Spatial: one index for each channel, counted row by row. Channel: one for each pixel.
ANEMONE_INLINE netplist_tensor read_arg(netplist_unit_reader& u, op) {
    const std::string_view mode = u.variant();
    const std::int64_t width = u.keys.extent("KernelWidth");
    const std::int64_t height = u.keys.extent("KernelHeight");
    for (const std::string_view key : {"PadLeft", "PadRight", "PadTop", "PadBot"}) {
        u.keys.only_number(key, 0);
    }
    u.ready();
    const netplist_shape& s = u.x().shape;
    if (width != s[netplist_axis::width] || height != s[netplist_axis::height]) {
        u.refuse(formatted("has a window of {}x{} on {}x{}; the whole plane is read", height, width,
                           s[netplist_axis::height], s[netplist_axis::width]));
    }
    const op kind = mode.ends_with("Max") ? op::arg_max : op::arg_min;
    const bool along_channels = mode.starts_with("Channel");
    if (along_channels || width == 1 || height == 1) {
        const netplist_axis along = along_channels ? netplist_axis::channel
                                    : width == 1   ? netplist_axis::height
                                                   : netplist_axis::width;
        return u.value(u.graph.add(kind, {u.whole()}, axis{inner_index(u, along)}));
    }
    return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) {
        const extents& e = x.shape();
        return u.graph.add(kind, {u.graph.reshape(x, {e[0], e[1], 1, e[2] * e[3]})}, axis{3});
    });
}

ANEMONE_INLINE netplist_tensor read_global_arg(netplist_unit_reader& u, op kind) {
    const netplist_axis along = u.keys.axis("Dimension");
    u.ready();
    return u.value(u.graph.add(kind, {u.whole()}, axis{inner_index(u, along)}));
}

/// All channels along Width in the order of one of them: the elements, or with `Indices` where they were.
ANEMONE_INLINE netplist_tensor read_order(netplist_unit_reader& u, op) {
    const bool all = u.variant().empty();
    u.keys.only_text("SortDimension", "Width");
    u.keys.only_text("VectorDimension", "Channel");
    const formats::plist_array& list = u.keys.list("SortIndices");
    if (list.size() != 1) {
        u.keys.complain(formatted("SortIndices has {} entries; 1 is read", list.size()));
    }
    const std::int64_t key = list.empty() ? 0 : u.keys.integer_of(list.front(), "SortIndices", 0, most_netplist_extent);
    const bool indices = u.keys.flag("Indices", false);
    bool ascending = u.variant() == "Min";
    std::int64_t k = 1;
    if (all) {
        const std::string_view direction = u.keys.text("Direction");
        ascending = direction == "Ascending";
        if (!ascending && direction != "Descending") {
            u.keys.complain(formatted("Direction is {}; Ascending or Descending is read", in_quotes(direction)));
        }
    } else {
        k = u.keys.extent("K");
    }
    u.ready();
    const netplist_shape& s = u.x().shape;
    if (key >= s[netplist_axis::channel] || s[netplist_axis::depth] != 1) {
        u.refuse(formatted("sorts by channel {} of {} at a depth of {}; a depth of 1 is read", key,
                           s[netplist_axis::channel], s[netplist_axis::depth]));
    }
    k = all ? s[netplist_axis::width] : k;
    const selection how{.k = static_cast<int>(k), .axis = 3, .ascending = ascending};
    dynamic_tensor x = u.whole();
    const dynamic_tensor held = x;
    const bool alone = s[netplist_axis::channel] == 1;
    if (!alone) {
        x = u.graph.add(
            op::slice, {x},
            window{.begin = {0, key, 0, 0},
                   .size = {s[netplist_axis::batch], 1, s[netplist_axis::height], s[netplist_axis::width]}});
    }
    if (alone && !indices) {
        return u.value(u.graph.add(all ? op::sort : op::top_k, {x}, how));
    }
    dynamic_tensor places = u.graph.add(all ? op::arg_sort : op::top_k_indices, {x}, how);
    if (!indices) {
        places = u.graph.add(op::tile, {places}, repeats(1, s[netplist_axis::channel], 1, 1));
        places = u.graph.add(op::gather_along_axis, {held, places}, axis{3});
    }
    return u.value(places);
}

/// [C = M, H, W = K] times [C = K, H, W = N]; Height is the batch, which is inferred. The operands need not have the
/// same Height: the graph repeats a matrix.
ANEMONE_INLINE netplist_tensor read_matmul(netplist_unit_reader& u, op kind) {
    u.ready(2);
    const netplist_shape& a = u.x(0).shape;
    const netplist_shape& b = u.x(1).shape;
    const bool deep = a[netplist_axis::depth] != 1 || b[netplist_axis::depth] != 1;
    const std::int64_t left = a[netplist_axis::height];
    const std::int64_t right = b[netplist_axis::height];
    if (deep || a[netplist_axis::width] != b[netplist_axis::channel] || (left != right && left != 1 && right != 1)) {
        u.refuse(formatted("multiplies {} columns by {} rows, {} and {} times, at depths of {} and {}",
                           a[netplist_axis::width], b[netplist_axis::channel], left, right, a[netplist_axis::depth],
                           b[netplist_axis::depth]));
    }
    const auto matrices = [&](std::size_t i) {
        netplist_tensor x = u.x(i);
        const extents& held = x.tensor.shape();
        if (held[2] == 1) { // a Broadcast along Height: the product repeats by itself
            x.shape[netplist_axis::height] = 1;
        }
        return u.graph.transposed(x, channels_and_height_exchanged).tensor;
    };
    const dynamic_tensor first = matrices(0);
    dynamic_tensor y = u.graph.add(kind, {first, matrices(1)});
    netplist_tensor result = u.value(y);
    if (std::max(left, right) != result.shape[netplist_axis::channel]) { // both were repeated
        result.shape[netplist_axis::channel] = std::max(left, right);
    }
    return u.graph.transposed(result, channels_and_height_exchanged);
}

/// softmax(scale q k^T + mask) v; the sequence is on Channel, the heads are on Height. That the mask is laid out as the
/// scores is inferred.
ANEMONE_INLINE netplist_tensor read_attention(netplist_unit_reader& u, op kind) {
    if (!u.keys.flag("SubtractMax", false)) {
        u.keys.complain("SubtractMax is not true: the engine then gives wrong numbers");
    }
    u.ready(4, 5);
    const auto scale = u.elements(3);
    if (!scale || scale->size() != 1 || !((*scale)[0] > 0)) {
        u.refuse("has a scale that is no constant of one number above 0");
    }
    for (const netplist_tensor& x : u.bottoms) {
        if (x.shape[netplist_axis::depth] != 1) {
            u.refuse(formatted("has a depth of {}; 1 is read", x.shape[netplist_axis::depth]));
        }
    }
    std::vector<dynamic_tensor> operands;
    for (std::size_t i = 0; i < u.bottoms.size(); ++i) {
        if (i != 3) {
            operands.push_back(u.graph.transposed(u.x(i), channels_and_height_exchanged).tensor);
        }
    }
    const dynamic_tensor y = u.graph.builder.add(kind, operands, score_scaling{(*scale)[0]}, u.graph.where);
    return u.graph.transposed(u.value(y), channels_and_height_exchanged);
}

} // namespace ane::readers::inline ANEMONE_WAY
