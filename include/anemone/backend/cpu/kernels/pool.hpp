#pragma once

#include "../../../kernel_shapes.hpp"
#include "slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::cpu {

using ane::pool_shape;

namespace detail {

/// How many of a window's indices along one axis fall on the input.
constexpr std::int64_t covered(std::int64_t out, std::int64_t stride, std::int64_t pad, std::int64_t kernel,
                               std::int64_t extent) {
    const std::int64_t begin = out * stride - pad;
    return std::max<std::int64_t>(0, std::min(begin + kernel, extent) - std::max<std::int64_t>(begin, 0));
}

/// What each window of an average divides by, at its position; 1 at positions that are dropped.
inline std::vector<float> divisors(const pool_shape& s, std::int64_t pitch, std::int64_t positions) {
    std::vector<float> result(static_cast<std::size_t>(positions), 1.0F);
    for (std::int64_t y = 0; y < s.out_height; ++y) {
        for (std::int64_t x = 0; x < s.out_width; ++x) {
            const std::int64_t count = s.exclude_padding
                                           ? covered(y, s.stride_height, s.pad_top, s.kernel_height, s.in_height) *
                                                 covered(x, s.stride_width, s.pad_left, s.kernel_width, s.in_width)
                                           : s.kernel_height * s.kernel_width;
            result[static_cast<std::size_t>(y * pitch + x)] = static_cast<float>(count);
        }
    }
    return result;
}

} // namespace detail

/// max_pool: the largest value of a window, padding never wins; NaN wins. avg_pool: the fp32 sum of a window over its
/// area, or with exclude_padding over the part on the input. A window wholly in the padding gives -inf, 0, or NaN (0 /
/// 0). Differs from PyTorch in one corner: with ceil_mode, padding included, PyTorch does not count what lies beyond
/// the declared bottom and right padding. Throws errc::argument on another operation or extents below one.
inline void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out) {
    detail::require(is_pool(kind), "pool", fmt::format("{} is not a pooling", name(kind)));
    for (const std::int64_t value : {s.in_height, s.in_width, s.out_height, s.out_width, s.kernel_height,
                                     s.kernel_width, s.stride_height, s.stride_width, s.pad_top + 1, s.pad_left + 1}) {
        detail::require(value > 0, name(kind).data(),
                        fmt::format("an extent, stride or padding is too small: {}", value));
    }
    const bool largest = kind == op::max_pool;
    const float fill = largest ? -std::numeric_limits<float>::infinity() : 0.0F;
    const slab_layout layout = slab_for(1, s.out_height, s.out_width, s.stride_height, s.stride_width,
                                        s.kernel_height - 1, s.kernel_width - 1);
    const std::int64_t pitch = layout.columns;
    const std::int64_t positions = (s.out_height - 1) * pitch + s.out_width;
    const std::vector<float> divisor = largest ? std::vector<float>() : detail::divisors(s, pitch, positions);
    std::vector<float> slab;
    std::vector<float> result(static_cast<std::size_t>(positions));
    for (std::int64_t c = 0; c < s.batch * s.channels; ++c) {
        fill_slab(table, layout, x + c * s.in_height * s.in_width, s.in_height, s.in_width, s.pad_top, s.pad_left, fill,
                  slab);
        std::fill(result.begin(), result.end(), fill);
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                table.binary(largest ? op::maximum : op::add, result.data(), 1, slab.data() + layout.offset(0, i, j), 1,
                             result.data(), positions);
            }
        }
        if (!largest) {
            table.binary(op::div, result.data(), 1, divisor.data(), 1, result.data(), positions);
        }
        for (std::int64_t y = 0; y < s.out_height; ++y) {
            table.to_half(result.data() + y * pitch, out + (c * s.out_height + y) * s.out_width, s.out_width);
        }
    }
}

} // namespace ane::cpu
