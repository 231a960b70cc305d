#pragma once

#include "../base/way.hpp"
#include "netplist_unit.hpp"

/// Units with windows: Conv and Pooling. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

struct netplist_window_keys {
    size2 kernel;
    size2 stride;
    padding2 padding;
};

/// `Step` is [x, y] or [x, y, z], which is inferred: only symmetric examples are known.
ANEMONE_INLINE netplist_window_keys read_window(netplist_unit_reader& u) {
    netplist_window_keys result;
    constexpr std::int64_t most = 65536;
    const auto number = [&](std::string_view key, std::int64_t least, std::optional<std::int64_t> otherwise) {
        return static_cast<int>(u.keys.integer(key, least, most, otherwise));
    };
    result.kernel = size2(number("KernelHeight", 1, std::nullopt), number("KernelWidth", 1, std::nullopt));
    result.padding =
        padding2(number("PadTop", 0, 0), number("PadBot", 0, 0), number("PadLeft", 0, 0), number("PadRight", 0, 0));
    for (const std::string_view key : {"PadFront", "PadBack"}) {
        u.keys.only_number(key, 0);
    }
    u.keys.only_number("KernelDepth", 1);
    const formats::plist_array& steps = u.keys.list("Step", true);
    int values[3] = {1, 1, 1};
    if (steps.size() > 3 || steps.size() == 1) {
        u.keys.complain(formatted("Step has {} entries; 2 or 3 are read", steps.size()));
    }
    for (std::size_t i = 0; i < steps.size() && i < 3; ++i) {
        values[i] = static_cast<int>(u.keys.integer_of(steps[i], "Step", 1, most));
    }
    if (values[2] != 1) {
        u.keys.complain(formatted("Step is {} along Depth; 1 is read", values[2]));
    }
    result.stride = size2(values[1], values[0]);
    return result;
}

/// A kernel [I, O / groups, kH, kW] of the graph's transposed convolution out of [O, I / groups, kH, kW] that a unit
/// slides over its stuffed input: both spatial axes turned around (predicted: no asymmetric file is known).
ANEMONE_INLINE stored_tensor turned_back(const stored_tensor& kernel, std::int64_t groups) {
    const std::int64_t out = kernel.shape[0] / groups;
    const std::int64_t in = kernel.shape[1];
    const std::int64_t area = kernel.shape[2] * kernel.shape[3];
    const std::int64_t size = ane::bytes(kernel.type, 1);
    const std::byte* const all = kernel.bytes.data();
    std::vector<std::byte> bytes(kernel.bytes.size());
    for (std::int64_t o = 0; o < out * groups; ++o) {
        for (std::int64_t i = 0; i < in; ++i) {
            const std::int64_t plane = (o / out * in + i) * out + o % out;
            for (std::int64_t k = 0; k < area; ++k) {
                const std::byte* const from = all + ((o * in + i) * area + area - 1 - k) * size;
                std::copy(from, from + size, bytes.begin() + (plane * area + k) * size);
            }
        }
    }
    return {"", kernel.type, {in * groups, out, kernel.shape[2], kernel.shape[3]}, std::move(bytes)};
}

ANEMONE_INLINE netplist_tensor read_conv(netplist_unit_reader& u, op kind) {
    const netplist_window_keys w = read_window(u);
    const std::string_view variant = u.variant();
    const bool stuffed = kind == op::conv_transpose2d;
    const bool unity = stuffed && u.keys.text("KernelMode", true) == "Unity";
    if (!unity) {
        u.keys.only_text("KernelMode", "Dense");
    }
    u.keys.only_text("PaddingMode", "Zero");
    u.keys.only_flag("KernelMutable", false);
    u.keys.only_flag("KernelGroupReuse", unity && u.keys.has("KernelGroupReuse"));
    const auto rows = static_cast<int>(u.keys.integer("KernelDilationY", 1, 65536, 1)); // its fault is told first
    const auto columns = static_cast<int>(u.keys.integer("KernelDilationX", 1, 65536, 1));
    const size2 dilation(rows, columns);
    if (stuffed && dilation != size2(1)) {
        u.keys.complain("is dilated: the compiler answers 'dilated deconvolution is not supported'");
    }
    const auto otherwise = u.old() ? std::optional<std::int64_t>(0) : std::nullopt;
    const std::string_view type = u.keys.text("KernelType", unity || u.old());
    if (!type.empty() && type != "Float16" && type != "Float32") {
        u.keys.complain(formatted("KernelType is {}; Float16 and Float32 are read", in_quotes(type)));
    }
    std::int64_t index = 0;
    std::int64_t offset = 0;
    if (!unity) {
        index = u.keys.integer("KernelIndex", 0, most_netplist_extent, otherwise);
        offset = u.keys.integer("KernelOffset", 0, std::int64_t{1} << 40U, 0);
    }
    std::int64_t groups = u.unit.extent("NumGroups", 1);
    const std::int64_t out = u.unit.extent("OutputChannels");
    u.ready();
    const std::int64_t in = u.x().shape[netplist_axis::channel];
    if (variant.starts_with("ChannelWise")) {
        groups = groups == 1 ? in : groups;
        if (groups != in || out != in) {
            u.refuse(
                formatted("works on each channel alone, with {} channels in, {} out and {} groups", in, out, groups));
        }
    }
    if (groups > in || in % groups != 0 || out % groups != 0) {
        u.refuse(formatted("has {} groups, which do not divide {} channels in and {} out", groups, in, out));
    }
    const extents shape{out, in / groups, w.kernel.height, w.kernel.width};
    if (!stuffed) {
        const dynamic_tensor kernel =
            u.graph.weight(u.label("kernel"), index, offset, type.empty() ? "Float16" : type, shape);
        const conv a{
            .stride = w.stride, .dilation = dilation, .padding = w.padding, .groups = static_cast<int>(groups)};
        return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) { return u.graph.add(kind, {x, kernel}, a); });
    }
    const padding2 crop(w.kernel.height - 1 - w.padding.top, w.kernel.height - w.stride.height - w.padding.bottom,
                        w.kernel.width - 1 - w.padding.left, w.kernel.width - w.stride.width - w.padding.right);
    for (const int amount : {crop.top, crop.bottom, crop.left, crop.right}) {
        if (amount < 0) {
            u.refuse(formatted("pads its stuffed input by {} more than kernel and stride use; the graph has no such "
                               "transposed convolution",
                               -amount));
        }
    }
    dynamic_tensor kernel;
    if (unity) {
        const float one = 1;
        kernel = u.graph.builder.constant({in, out / groups, w.kernel.height, w.kernel.width}, std::span(&one, 1),
                                          u.graph.where);
    } else {
        kernel = u.graph.weight(
            u.label("kernel"),
            turned_back(u.graph.blobs().tensor(index, offset, type.empty() ? "Float16" : type, shape), groups));
    }
    const conv_transpose a{.stride = w.stride, .dilation = 1, .padding = crop, .groups = static_cast<int>(groups)};
    return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) { return u.graph.add(kind, {x, kernel}, a); });
}

ANEMONE_INLINE bool is_padded(const padding2& p) { return p.top != 0 || p.bottom != 0 || p.left != 0 || p.right != 0; }

/// Padding is what never wins, or zeros in a mean; other fillings have no operation.
ANEMONE_INLINE netplist_tensor read_pool(netplist_unit_reader& u, op kind) {
    const netplist_window_keys w = read_window(u);
    const std::string_view variant = u.variant();
    const std::string_view wanted = variant == "Max" ? "Negative" : (variant == "Min" ? "Positive" : "Zero");
    const std::string_view mode = u.keys.text("PaddingMode", true);
    if (is_padded(w.padding) && mode != wanted) {
        u.keys.complain(formatted("PaddingMode is {}; with padding {} alone is read", in_quotes(mode), wanted));
    }
    pool a{.kernel = w.kernel, .stride = w.stride, .padding = w.padding};
    a.exclude_padding = variant == "Avg" && u.keys.flag("AverageCountExcludePadding", false);
    u.ready();
    const auto negative = [&](const dynamic_tensor& x) {
        return u.graph.add(op::mul, {x, u.graph.number(half(-1.0F))});
    };
    return u.graph.over_images(u.x(), [&](const dynamic_tensor& x) {
        return variant == "Min" ? negative(u.graph.add(kind, {negative(x)}, a)) : u.graph.add(kind, {x}, a);
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
