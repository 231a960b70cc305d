#pragma once

#include "shapes.hpp"

/// Strides, dilations and padding of windows. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// An entry for each spatial axis.
struct window_geometry {
    std::vector<std::int64_t> kernel = {}, strides = {}, dilations = {}, before = {}, after = {};

    int axes() const { return static_cast<int>(kernel.size()); }
    std::int64_t reach(std::size_t i) const { return dilations[i] * (kernel[i] - 1) + 1; }
};

/// A list of one number for each spatial axis, each within bounds that keep sums of them small.
ANEMONE_INLINE std::vector<std::int64_t> spatial_list(node_call& c, std::string_view key, std::size_t count,
                                                      std::int64_t otherwise, std::int64_t least) {
    std::vector<std::int64_t> list = c.integers(key).value_or(std::vector<std::int64_t>(count, otherwise));
    c.require(list.size() == count, formatted("has {} {} instead of {}", list.size(), key, count));
    for (const std::int64_t v : list) {
        c.require(v >= least && v <= 1 << 20, formatted("has {} among its {}", v, key));
    }
    return list;
}

/// What a node says of its windows over x [N, C, ...]; the kernel is that of the weight, or its own.
ANEMONE_INLINE window_geometry geometry_of(node_call& c, const extents& x, std::vector<std::int64_t> kernel) {
    const std::size_t n = kernel.size();
    c.require(x.rank == static_cast<int>(n) + 2 && n >= 1 && n <= 3,
              formatted("has {} spatial axes for {}; one to three are read", n, print(x)));
    for (const std::int64_t k : kernel) {
        c.require(k >= 1 && k <= 1 << 20, formatted("has a kernel of {}", k));
    }
    window_geometry g{.kernel = std::move(kernel),
                      .strides = spatial_list(c, "strides", n, 1, 1),
                      .dilations = spatial_list(c, "dilations", n, 1, 1),
                      .before = {},
                      .after = {}};
    const std::vector<std::int64_t> given = spatial_list(c, "pads", 2 * n, 0, 0);
    g.before.assign(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(n));
    g.after.assign(given.begin() + static_cast<std::ptrdiff_t>(n), given.end());
    const std::string automatic = c.word("auto_pad", "NOTSET");
    if (automatic == "NOTSET") {
        return g;
    }
    c.require(automatic == "VALID" || automatic == "SAME_UPPER" || automatic == "SAME_LOWER",
              formatted("pads \"{}\"", shown(automatic)));
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t e = x[static_cast<int>(i) + 2];
        const std::int64_t total =
            automatic == "VALID" ? 0
                                 : std::max<std::int64_t>(
                                       ((e + g.strides[i] - 1) / g.strides[i] - 1) * g.strides[i] + g.reach(i) - e, 0);
        g.before[i] = automatic == "SAME_LOWER" ? total - total / 2 : total / 2;
        g.after[i] = total - g.before[i];
    }
    return g;
}

/// Attributes of one spatial axis as those of two, of height 1.
inline size2 two(const std::vector<std::int64_t>& list) {
    return list.size() == 1 ? size2(1, narrow(list[0])) : size2(narrow(list[0]), narrow(list[1]));
}
inline padding2 four(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after) {
    return before.size() == 1 ? padding2(0, 0, narrow(before[0]), narrow(after[0]))
                              : padding2(narrow(before[0]), narrow(after[0]), narrow(before[1]), narrow(after[1]));
}
/// [N, C, W] as [N, C, 1, W].
ANEMONE_INLINE dynamic_tensor as_image(node_call& c, const dynamic_tensor& x) {
    const extents& s = x.shape();
    return s.rank == 3 ? c.reshape(x, {s[0], s[1], 1, s[2]}) : x;
}
/// And back.
ANEMONE_INLINE dynamic_tensor without_height(node_call& c, const dynamic_tensor& y, int spatial) {
    const extents& s = y.shape();
    return spatial == 1 ? c.reshape(y, {s[0], s[1], s[3]}) : y;
}
/// Plane `d` of [N, C, D, H, W].
ANEMONE_INLINE dynamic_tensor plane_of(node_call& c, const dynamic_tensor& x, std::int64_t d) {
    const extents& s = x.shape();
    return c.reshape(c.along(x, 2, d, 1), {s[0], s[1], s[3], s[4]});
}
ANEMONE_INLINE dynamic_tensor stacked_planes(node_call& c, const std::vector<dynamic_tensor>& planes) {
    std::vector<dynamic_tensor> deep;
    for (const dynamic_tensor& p : planes) {
        const extents& s = p.shape();
        deep.push_back(c.reshape(p, {s[0], s[1], 1, s[2], s[3]}));
    }
    return c.joined(deep, 2);
}

} // namespace ane::onnx::inline ANEMONE_WAY
