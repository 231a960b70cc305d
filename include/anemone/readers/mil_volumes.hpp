#pragma once

#include "../dynamic_volume.hpp"
#include "mil_call.hpp"

#include <algorithm>
#include <limits>
#include <string>

/// Convolutions and pools over three axes. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_INLINE int spatial_number(mil_call& c, std::int64_t n) {
    if (n < 0 || n > std::numeric_limits<int>::max() / 4) {
        c.refuse(formatted("{} is out of range as a stride, dilation, kernel or padding", n));
    }
    return static_cast<int>(n);
}

ANEMONE_INLINE size3 spatial_triple(mil_call& c, const indices& list) {
    return {spatial_number(c, list[0]), spatial_number(c, list[1]), spatial_number(c, list[2])};
}

/// Before and after of one axis: so much that the result has ceil(input / stride) elements.
ANEMONE_INLINE std::pair<int, int> same_along(std::int64_t in, int kernel, int stride, int dilation, bool lower) {
    const std::int64_t step = std::max(stride, 1);
    const std::int64_t out = (in + step - 1) / step;
    const std::int64_t reach = std::int64_t{dilation} * (kernel - 1) + 1;
    const auto total = static_cast<int>(std::max<std::int64_t>((out - 1) * step + reach - in, 0));
    const int before = lower ? total - total / 2 : total / 2;
    return {before, total - before};
}

ANEMONE_INLINE padding3 volume_padding(mil_call& c, const extents& x, size3 kernel, size3 stride, size3 dilation) {
    const std::string type = c.word("pad_type", "valid");
    if (type == "custom") {
        const indices p = c.integers("pad", 6, indices{0, 0, 0, 0, 0, 0});
        const auto at = [&](int i) { return spatial_number(c, p[i]); };
        return {at(0), at(1), padding2(at(2), at(3), at(4), at(5))};
    }
    c.ignore("pad");
    if (type == "valid") {
        return {};
    }
    if (type != "same" && type != "same_lower") {
        c.refuse(formatted("pad_type must be valid, same, same_lower or custom, not {}", type));
    }
    const bool lower = type == "same_lower";
    const auto [front, back] = same_along(x[2], kernel.depth, stride.depth, dilation.depth, lower);
    const auto [top, bottom] = same_along(x[3], kernel.height, stride.height, dilation.height, lower);
    const auto [left, right] = same_along(x[4], kernel.width, stride.width, dilation.width, lower);
    return {front, back, padding2(top, bottom, left, right)};
}

ANEMONE_INLINE dynamic_tensor read_volume_conv(mil_call& c, const dynamic_tensor& x) {
    const dynamic_tensor w = c.tensor("weight");
    if (w.shape().rank != 5) {
        c.refuse(formatted("has a weight {} for a volume; it must have rank 5", print(w.shape())));
    }
    const size3 kernel = spatial_triple(c, {w.shape()[2], w.shape()[3], w.shape()[4]});
    volume_conv a;
    a.stride = spatial_triple(c, c.integers("strides", 3, indices{1, 1, 1}));
    a.dilation = spatial_triple(c, c.integers("dilations", 3, indices{1, 1, 1}));
    a.padding = volume_padding(c, x.shape(), kernel, a.stride, a.dilation);
    a.groups = spatial_number(c, c.integer("groups", 1));
    if (c.has("bias")) {
        dynamic_tensor bias = c.tensor("bias");
        bias = bias.shape().rank == 0 ? c.reshape(bias, {1}) : bias;
        return conv3d(c.graph(), x, w, &bias, a, c.where());
    }
    return conv3d(c.graph(), x, w, nullptr, a, c.where());
}

ANEMONE_INLINE dynamic_tensor read_volume_pool(mil_call& c, op kind, const dynamic_tensor& x) {
    if (kind == op::l2_pool) {
        c.refuse("works on a volume; the graph has no such pool over three axes");
    }
    volume_pool p;
    p.kernel = spatial_triple(c, c.integers("kernel_sizes", 3, {}));
    p.stride = spatial_triple(c, c.integers("strides", 3, indices{1, 1, 1}));
    p.padding = volume_padding(c, x.shape(), p.kernel, p.stride, 1);
    p.exclude_padding = kind == op::avg_pool && c.flag("exclude_padding_from_average", false);
    if (c.flag("ceil_mode", false)) {
        c.refuse("rounds the number of windows up (ceil_mode), which no pool over three axes does here");
    }
    return kind == op::max_pool ? max_pool3d(c.graph(), x, p, c.where()) : avg_pool3d(c.graph(), x, p, c.where());
}

} // namespace ane::readers::inline ANEMONE_WAY
