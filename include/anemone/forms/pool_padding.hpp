#pragma once

#include "../graph/attributes.hpp"
#include "../values/shape.hpp"

#include <cstdint>

namespace ane::forms {

/// How far the last window reaches beyond the padded input, which happens with ceil_mode only.
constexpr int window_excess(std::int64_t in, std::int64_t out, int before, int after, int kernel, int stride) {
    const std::int64_t excess = (out - 1) * stride + kernel - in - before - after;
    return excess > 0 ? static_cast<int>(excess) : 0;
}

/// The padding of a pool from `x` to `y` as a program states it: windows that ceil_mode adds become padding after the
/// input, which a mean counts alike. How far the engine itself rounds up, and what it does with a window that starts in
/// the padding, is not published.
constexpr padding2 written_padding(const pool& p, const extents& x, const extents& y) {
    padding2 result = p.padding;
    result.bottom += window_excess(x[2], y[2], p.padding.top, p.padding.bottom, p.kernel.height, p.stride.height);
    result.right += window_excess(x[3], y[3], p.padding.left, p.padding.right, p.kernel.width, p.stride.width);
    return result;
}

} // namespace ane::forms
