#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../ops/convolution.hpp"
#include "netplist_writer.hpp"

/// Convolutions, transposed convolutions and pools as netplist units.
namespace ane::formats::inline ANEMONE_WAY {

/// `Step` and the pads; x stands before y in `Step`, which is inferred (no asymmetric example is known).
ANEMONE_INLINE plist_dict netplist_window(size2 kernel, size2 stride, const padding2& padding) {
    return {{"KernelWidth", kernel.width},
            {"KernelHeight", kernel.height},
            {"Step", plist_array{stride.width, stride.height}},
            {"PadTop", padding.top},
            {"PadBot", padding.bottom},
            {"PadLeft", padding.left},
            {"PadRight", padding.right}};
}

/// A convolution over a kernel [O, I / groups, kH, kW] from a blob. The order of the kernel's axes is an assumption of
/// all sources; so is the layout of groups.
ANEMONE_INLINE netplist_value netplist_convolution(netplist_writer& w, int index, const netplist_form& form,
                                                   std::string_view variant, plist_dict window, int groups,
                                                   std::span<const half> kernel) {
    window["Type"] = variant;
    window["PaddingMode"] = "Zero";
    window["KernelMode"] = "Dense";
    window["KernelType"] = netplist_name(dtype::f16);
    window["KernelIndex"] = w.blob(kernel);
    window["KernelOffset"] = 0;
    return w.unit({form.unit, window, true, groups}, {w.value(w.operand(index, 0))},
                  netplist_shape_of(w.at(index).shape));
}

/// Whether every channel has a kernel of its own.
ANEMONE_INLINE bool is_depthwise(std::int64_t groups, std::int64_t in, std::int64_t out) {
    return groups > 1 && groups == in && groups == out;
}

ANEMONE_INLINE netplist_value write_conv(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const conv& a = n.get<conv>();
    const int weight = w.operand(index, 1);
    const bool dilated = a.dilation != size2(1);
    const bool depthwise = is_depthwise(a.groups, w.at(w.operand(index, 0)).shape[1], n.shape[1]);
    const std::string variant =
        formatted("{}{}{}", depthwise ? "ChannelWise" : "", dilated ? "Dilated" : "", form.variant);
    plist_dict window = netplist_window(ane::detail::kernel_of(w.at(weight).shape), a.stride, a.padding);
    if (dilated) {
        window["KernelDilationX"] = a.dilation.width;
        window["KernelDilationY"] = a.dilation.height;
    }
    return netplist_convolution(w, index, form, variant, window, a.groups, w.values(weight));
}

/// The kernel [I, O / groups, kH, kW] of a transposed convolution as a convolution reads it: [O, I / groups, kH, kW],
/// both spatial axes turned around.
ANEMONE_INLINE std::vector<half> turned_kernel(std::span<const half> values, const extents& shape,
                                               std::int64_t groups) {
    const std::int64_t in = shape[0] / groups;
    const std::int64_t out = shape[1];
    const std::int64_t area = shape[2] * shape[3];
    std::vector<half> result;
    result.reserve(values.size());
    for (std::int64_t o = 0; o < out * groups; ++o) {
        for (std::int64_t i = 0; i < in; ++i) {
            const std::int64_t plane = (o / out * in + i) * out + o % out;
            for (std::int64_t k = area; k-- > 0;) {
                result.push_back(values[static_cast<std::size_t>(plane * area + k)]);
            }
        }
    }
    return result;
}

/// The pads of a DeConv unit act on the input with stride - 1 zeros behind every element, which follows from the
/// nearest upsampling unit. Read so, the unit is a plain convolution of that input, so its kernel is stored turned
/// around. This is predicted: no file with an asymmetric kernel is known.
ANEMONE_INLINE netplist_value write_conv_transpose(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const conv_transpose& a = n.get<conv_transpose>();
    const int weight = w.operand(index, 1);
    const size2 kernel = ane::detail::kernel_of(w.at(weight).shape);
    const padding2 pads = forms::pads_of_stuffed_input(a, kernel);
    const bool depthwise = is_depthwise(a.groups, w.at(weight).shape[0], n.shape[1]);
    const std::string variant = formatted("{}{}", depthwise ? "ChannelWise" : "", form.variant);
    return netplist_convolution(w, index, form, variant, netplist_window(kernel, a.stride, pads), a.groups,
                                turned_kernel(w.values(weight), w.at(weight).shape, a.groups));
}

ANEMONE_INLINE netplist_value write_pool(netplist_writer& w, int index, const netplist_form& form) {
    const node& n = w.at(index);
    const pool& a = n.get<pool>();
    const bool average = n.kind == op::avg_pool;
    const padding2 padding = forms::written_padding(a, w.at(w.operand(index, 0)).shape, n.shape);
    plist_dict params = netplist_window(a.kernel, a.stride, padding);
    params["Type"] = form.variant;
    params["PaddingMode"] = average ? "Zero" : "Negative";
    if (average) {
        params["AverageCountExcludePadding"] = a.exclude_padding;
    }
    return w.unit({form.unit, params}, {w.value(w.operand(index, 0))}, netplist_shape_of(n.shape));
}

} // namespace ane::formats::inline ANEMONE_WAY
