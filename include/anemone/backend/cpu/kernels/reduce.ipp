#pragma once

#include "../../../base/formatted.hpp"
#include "elementwise.hpp"
#include "lines.hpp"
#include "reduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// The folded elements before(x - center); no centers mean 0.
ANEMONE_INLINE std::vector<float> fold(const kernel_table& table, const reduction_walk& walk,
                                       const reduction_parts& parts, const half* x, const std::vector<float>& centers) {
    const float infinity = std::numeric_limits<float>::infinity();
    const bool adds = parts.fold == op::add;
    const bool largest = parts.fold == op::maximum;
    const auto fold_row = adds ? table.sum : largest ? table.largest : table.smallest;
    std::vector<float> result(static_cast<std::size_t>(walk.kept), adds ? 0.0F : largest ? -infinity : infinity);
    const auto& nest = walk.nest;
    const std::int64_t stride = nest.row_stride(1); // 0 or 1
    nest.for_each_row([&](const auto& offsets) {
        float values[chunk];
        for (std::int64_t i = 0; i < nest.row_count(); i += chunk) {
            const std::int64_t count = std::min(chunk, nest.row_count() - i);
            const std::int64_t at = offsets[1] + i * stride;
            table.to_float(x + offsets[0] + i, values, count);
            if (!centers.empty()) {
                table.binary(op::sub, values, 1, centers.data() + at, stride, values, count);
            }
            if (parts.before != op::identity) {
                table.unary(parts.before, values, values, count, 0.0F, 0.0F);
            }
            float* const to = result.data() + at;
            if (stride == 0) {
                const float part = fold_row(values, count);
                table.binary(parts.fold, to, 1, &part, 1, to, 1);
            } else {
                table.binary(parts.fold, to, 1, values, 1, to, count);
            }
        }
    });
    return result;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void reduce(const kernel_table& table, op kind, const half* x, const extents& shape, axis_set reduced,
                         half* out) {
    detail::require(is_reduction(kind), "reduce", formatted("{} is not a reduction", name(kind)));
    detail::require(reduced >> static_cast<unsigned>(shape.rank) == 0, name(kind).data(),
                    formatted("the axis set {:#b} has an axis beyond rank {}", reduced, shape.rank));
    const detail::reduction_walk walk(shape, reduced);
    const detail::reduction_parts parts = detail::parts_of(kind);
    detail::require(parts.fold == op::add || walk.folded > 0, name(kind).data(),
                    "reduces no elements, which have no extreme");
    std::vector<float> centers;
    if (kind == op::reduce_log_sum_exp) {
        centers = detail::fold(table, walk, {.fold = op::maximum}, x, {});
        for (float& center : centers) {
            center = std::isfinite(center) ? center : 0.0F; // inf - inf is NaN
        }
    }
    std::vector<float> result = detail::fold(table, walk, parts, x, centers);
    if (kind == op::reduce_mean) {
        const auto divisor = static_cast<float>(walk.folded);
        table.binary(op::div, result.data(), 1, &divisor, 0, result.data(), walk.kept);
    }
    if (parts.after != op::identity) {
        table.unary(parts.after, result.data(), result.data(), walk.kept, 0.0F, 0.0F);
    }
    if (!centers.empty()) {
        table.binary(op::add, result.data(), 1, centers.data(), 1, result.data(), walk.kept);
    }
    table.to_half(result.data(), out, walk.kept);
}

} // namespace ane::cpu::inline ANEMONE_WAY
