#pragma once

#include "../../../base/formatted.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "pool.hpp"
#include "slab.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The divisor of each window of an average, at its position; 1 at positions that are dropped.
ANEMONE_INLINE std::vector<float> divisors(const pool_shape& s, std::int64_t pitch, std::int64_t positions) {
    std::vector<float> result(static_cast<std::size_t>(positions), 1.0F);
    for (std::int64_t y = 0; y < s.out_height; ++y) {
        for (std::int64_t x = 0; x < s.out_width; ++x) {
            result[static_cast<std::size_t>(y * pitch + x)] = static_cast<float>(numerics::averaged_places(s, y, x));
        }
    }
    return result;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out) {
    detail::require(is_pool(kind), "pool", formatted("{} is not a pooling", name(kind)));
    for (const std::int64_t value : {s.in_height, s.in_width, s.out_height, s.out_width, s.kernel_height,
                                     s.kernel_width, s.stride_height, s.stride_width, s.pad_top + 1, s.pad_left + 1}) {
        detail::require(value > 0, name(kind).data(),
                        formatted("an extent, stride or padding is too small: {}", value));
    }
    const bool largest = kind == op::max_pool;
    const float fill = largest ? -std::numeric_limits<float>::infinity() : 0.0F;
    const slab_layout layout = slab_for(1, s.out_height, s.out_width, s.stride_height, s.stride_width,
                                        s.kernel_height - 1, s.kernel_width - 1);
    const std::int64_t pitch = layout.columns;
    const std::int64_t positions = (s.out_height - 1) * pitch + s.out_width;
    const bool averages = kind == op::avg_pool;
    const bool squares = kind == op::l2_pool;
    const std::vector<float> divisor = averages ? detail::divisors(s, pitch, positions) : std::vector<float>();
    std::vector<float> slab;
    std::vector<float> result(static_cast<std::size_t>(positions));
    for (std::int64_t c = 0; c < s.batch * s.channels; ++c) {
        fill_slab(table, layout, x + c * s.in_height * s.in_width, s.in_height, s.in_width, s.pad_top, s.pad_left, fill,
                  slab);
        if (squares) {
            table.binary(op::mul, slab.data(), 1, slab.data(), 1, slab.data(), layout.size());
        }
        std::fill(result.begin(), result.end(), fill);
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                table.binary(largest ? op::maximum : op::add, result.data(), 1, slab.data() + layout.offset(0, i, j), 1,
                             result.data(), positions);
            }
        }
        if (averages) {
            table.binary(op::div, result.data(), 1, divisor.data(), 1, result.data(), positions);
        } else if (squares) {
            table.unary(op::sqrt, result.data(), result.data(), positions, 0, 0);
        }
        for (std::int64_t y = 0; y < s.out_height; ++y) {
            table.to_half(result.data() + y * pitch, out + (c * s.out_height + y) * s.out_width, s.out_width);
        }
    }
}

} // namespace ane::cpu::inline ANEMONE_WAY
