#pragma once

#include "../base/way.hpp"
#include "netplist_unit.hpp"

/// Layers that only netplists have (ops/native.hpp). Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// The template of a map, which may be padded by zeros: a row of all its elements, or as it is.
ANEMONE_INLINE netplist_tensor read_cross_correlation(netplist_unit_reader& u, op kind) {
    u.keys.only_number("NumGroups", 1);
    const auto side = [&](std::string_view key) { return u.keys.integer(key, 0, 65536, 0); };
    const pads border{.before = {0, 0, side("PadTop"), side("PadLeft")},
                      .after = {0, 0, side("PadBot"), side("PadRight")}};
    const std::int64_t height = u.keys.extent("TemplateHeight");
    const std::int64_t width = u.keys.extent("TemplateWidth");
    u.ready(2);
    const netplist_shape& t = u.x(1).shape;
    const bool row = t == netplist_shape{1, 1, 1, 1, height * width};
    if (!row && (t[netplist_axis::height] != height || t[netplist_axis::width] != width)) {
        u.refuse(formatted("has a template of {}x{}, and says {}x{}", t[netplist_axis::height], t[netplist_axis::width],
                           height, width));
    }
    const dynamic_tensor pattern = row ? u.graph.reshape(u.whole(1), {1, 1, height, width}) : u.whole(1);
    dynamic_tensor x = u.whole(0);
    if (border.before.count() + border.after.count() != 0 || border != pads{{0, 0, 0, 0}, {0, 0, 0, 0}}) {
        x = u.graph.add(op::pad, {x, u.graph.number(half())}, border);
    }
    return u.value(u.graph.add(kind, {x, pattern}));
}

ANEMONE_INLINE netplist_tensor read_cross_product(netplist_unit_reader& u, op kind) {
    u.ready(2);
    return u.value(u.graph.add(kind, {u.whole(0), u.whole(1)}));
}

/// |aux[x] - ref[x + d]| for d from 0 to DisparityRange.
ANEMONE_INLINE netplist_tensor read_cost_volume(netplist_unit_reader& u, op kind) {
    u.keys.only_number("DisparityDirection", 0);
    const std::int64_t range = u.keys.integer("DisparityRange", 0, 65535);
    for (const std::string_view key : {"ScaleFactorX", "ScaleFactorY"}) {
        if (const double factor = u.keys.real(key, 1.0); factor != 1) {
            u.keys.complain(formatted("{} is {}; 1 alone is read", key, factor));
        }
    }
    u.ready(2);
    return u.value(u.graph.add(kind, {u.whole(0), u.whole(1)}, item_count{static_cast<int>(range + 1)}));
}

/// The engine measures L2 whatever `DistanceMetric` says (ANEForge, measured).
ANEMONE_INLINE netplist_tensor read_furthest_points(netplist_unit_reader& u, op kind) {
    const std::int64_t count = u.keys.extent("CentroidCount");
    if (const std::string_view metric = u.keys.text("DistanceMetric", true); !metric.empty() && metric != "L2") {
        u.graph.note("DistanceMetric of FurthestPointSampling is read as L2, which the engine takes for any");
    }
    u.ready();
    return u.value(u.graph.add(kind, {u.whole()}, item_count{static_cast<int>(count)}));
}

ANEMONE_INLINE netplist_tensor read_radius_search(netplist_unit_reader& u, op kind) {
    const double radius = u.keys.real("Radius");
    u.ready(2);
    return u.value(u.graph.add(kind, {u.whole(0), u.whole(1)}, search_radius{static_cast<float>(radius)}));
}

/// With another rate the unit drops elements, which the graph's does not.
ANEMONE_INLINE netplist_tensor read_dropout(netplist_unit_reader& u, op kind) {
    u.keys.only_number("DropoutRate", 0);
    u.keys.has("Seed");
    u.ready();
    return {u.graph.add(kind, {u.x().tensor}, drop_ratio{0}), u.x().shape};
}

} // namespace ane::readers::inline ANEMONE_WAY
