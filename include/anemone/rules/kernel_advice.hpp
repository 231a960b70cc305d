#pragma once

#include "../analysis/convolution_geometry.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/constants.hpp"
#include "evaluate.hpp"

#include <string>

/// What to do about a kernel that is too large, by the numbers of the convolution: what the same target would refuse in
/// turn is no advice.
namespace ane::detail::inline ANEMONE_WAY {

/// The largest number of parts that a kernel is worth being split into: each is a convolution over the whole image.
inline constexpr std::int64_t most_kernel_parts = 4;

/// Frames need nothing of a convolution: with the input as rows of one stride, a frame is some of these rows joined, and
/// the kernel a matrix over it.
inline constexpr const char* frames_advice = "cut the input into frames, rows of one stride each that are joined, and "
                                             "multiply them by the kernel as a matrix; optimize writes such a form";
inline constexpr const char* computed_frames_advice =
    "cut the input into frames, rows of one stride each that are joined, and multiply them by the kernel as a matrix";

inline constexpr const char* overlap_advice =
    "multiply the input by the kernel as a matrix, and add up the frames that overlap";

/// Advice for a kernel whose width or height exceeds what a target has.
ANEMONE_INLINE std::string kernel_advice(const graph_view& g, int index, const target_description& t) {
    const convolution_geometry c = geometry_of(g, g[index]);
    // Kernels that the small mode does not hold are not transposed, dilated or grouped (R036, R183).
    const bool is_transposed = g[index].kind == op::conv_transpose2d;
    const bool is_plain = !is_transposed && !c.dilated() && (c.groups == 1 || c.depthwise());
    const std::int64_t height = is_plain ? t.limits.kernel_height : t.limits.kernel_height_small;
    const std::int64_t width = is_plain ? t.limits.kernel_width_fp16 : t.limits.kernel_width_fp16_small;
    const bool too_wide = c.kernel_width > width;
    const bool too_high = c.kernel_height > height;
    const bool strides = stride_steps(c.stride.height, t) >= 0 && stride_steps(c.stride.width, t) >= 0;
    const std::int64_t longest = too_wide ? c.kernel_width : c.kernel_height;
    const std::int64_t parts = (longest + height - 1) / height;
    if (!strides || (too_wide && c.kernel_height > width) || (too_wide && too_high) || parts > most_kernel_parts) {
        const bool is_known = is_known_when_compiled(g, g.operands(index)[1]); // rewrites/polyphase.hpp
        return is_transposed ? overlap_advice : is_known ? frames_advice : computed_frames_advice;
    }
    // Parts are cut along the height: slices that begin inside the width may saturate (R090).
    const std::string turned = too_wide ? formatted("swap the axes: a kernel may be {} high", height) : std::string();
    const std::string split = formatted("split the kernel's height into a sum of {}", parts);
    return parts == 1 ? turned : turned.empty() ? split : turned + ", and " + split;
}

/// Advice for a large kernel whose extents are no multiples of 8: padded, it must not exceed what a target has.
ANEMONE_INLINE std::string padding_advice(const graph_view& g, int index, const target_description& t) {
    const convolution_geometry c = geometry_of(g, g[index]);
    const std::int64_t height = (c.kernel_height + 7) / 8 * 8;
    const std::int64_t width = (c.kernel_width + 7) / 8 * 8;
    if (height <= t.limits.kernel_height && width <= t.limits.kernel_width_fp16) {
        return "pad the kernel with zeros";
    }
    if (width <= t.limits.kernel_height && height <= t.limits.kernel_width_fp16) {
        return formatted("swap the axes and pad the kernel with zeros: it may be {} high, and {} wide",
                         t.limits.kernel_height, t.limits.kernel_width_fp16);
    }
    return is_known_when_compiled(g, g.operands(index)[1]) ? frames_advice : computed_frames_advice;
}

} // namespace ane::detail::inline ANEMONE_WAY
