#pragma once

#include "../../../base/formatted.hpp"
#include "elementwise.hpp"
#include "lines.hpp"
#include "reduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Folds a row into one number, in pieces whose folds are added in order.
ANEMONE_INLINE float folded_row(const kernel_table& table, op kind, const half* x, std::int64_t count, float start,
                                float result, float center) {
    constexpr std::int64_t piece = 1024;
    const op combine = parts_of(kind).fold;
    for (std::int64_t i = 0; i < count; i += piece) {
        const float part = table.reductions.row(kind, x + i, std::min(piece, count - i), start, center);
        if (combine == op::add) {
            result += part;
        } else if (!std::isnan(result)) {
            const bool kept = combine == op::maximum ? result > part : result < part;
            result = kept ? result : part;
        }
    }
    return result;
}

/// The folded elements before(x - center).
ANEMONE_INLINE void fold(const kernel_table& table, const reduction_walk& walk, op kind, const half* x,
                         const float* centers, float* result, const worker_threads& workers) {
    const float infinity = std::numeric_limits<float>::infinity();
    const op combine = parts_of(kind).fold;
    const float start = combine == op::add ? 0.0F : combine == op::maximum ? -infinity : infinity;
    std::fill_n(result, walk.kept, start);
    const auto part_of = [&](kernels::loop_nest<2> nest, std::int64_t from, std::int64_t to) {
        nest.for_each_row([&](const auto& offsets) {
            const half* const row = x + from + offsets[0];
            float* const sums = result + to + offsets[1];
            const float* const center = centers == nullptr ? nullptr : centers + to + offsets[1];
            if (nest.row_stride(1) == 0) {
                *sums =
                    folded_row(table, kind, row, nest.row_count(), start, *sums, center == nullptr ? 0.0F : *center);
            } else {
                table.reductions.into(kind, row, center, sums, nest.row_count());
            }
        });
    };
    const int axis = walk.shared_axis();
    if (axis < 0) {
        part_of(walk.nest, 0, 0);
        return;
    }
    const auto at = [&](std::size_t n) { return walk.nest.strides[n][axis]; };
    const std::int64_t along = walk.nest.shape[axis];
    const std::int64_t unit = at(1) == 1 ? std::min<std::int64_t>(along, 32) : 1; // a cache line of the operand
    const std::int64_t each =
        std::max<std::int64_t>(walk.kept * walk.folded / std::max<std::int64_t>(along, 1), 1) * unit;
    workers.share((along + unit - 1) / unit, std::max<std::int64_t>(elements_of_a_part / each, 1),
                  [&](std::int64_t first, std::int64_t last, std::byte*) {
                      kernels::loop_nest<2> nest = walk.nest;
                      nest.shape[axis] = std::min(last * unit, along) - first * unit;
                      part_of(nest, first * unit * at(0), first * unit * at(1));
                  });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY void reduce(const kernel_table& table, op kind, const half* x, const extents& shape, axis_set reduced,
                         half* out, const worker_threads& workers) {
    detail::require(is_reduction(kind), "reduce", [&] { return formatted("{} is not a reduction", name(kind)); });
    detail::require(reduced >> static_cast<unsigned>(shape.rank) == 0, name(kind).data(),
                    [&] { return formatted("the axis set {:#b} has an axis beyond rank {}", reduced, shape.rank); });
    const detail::reduction_walk walk(shape, reduced);
    const detail::reduction_parts parts = detail::parts_of(kind);
    detail::require(parts.fold == op::add || walk.folded > 0, name(kind).data(),
                    "reduces no elements, which have no extreme");
    std::vector<std::byte> memory;
    const scratch_sizes needed = detail::scratch_of_reduction(kind, walk);
    const worker_threads own = detail::workers_with_memory(workers, needed, memory);
    float* const result = reinterpret_cast<float*>(own.shared);
    float* centers = nullptr;
    if (kind == op::reduce_log_sum_exp) {
        centers = reinterpret_cast<float*>(own.shared + needed.shared / 2);
        detail::fold(table, walk, op::reduce_max, x, nullptr, centers, own);
        for (std::int64_t i = 0; i < walk.kept; ++i) {
            centers[i] = std::isfinite(centers[i]) ? centers[i] : 0.0F; // inf - inf is NaN
        }
    }
    detail::fold(table, walk, detail::fold_of(kind), x, centers, result, own);
    if (kind == op::reduce_mean) {
        const auto divisor = static_cast<float>(walk.folded);
        table.binary(op::div, result, 1, &divisor, 0, result, walk.kept);
    }
    if (parts.after != op::identity) {
        table.unary(parts.after, result, result, walk.kept, 0.0F, 0.0F);
    }
    if (centers != nullptr) {
        table.binary(op::add, result, 1, centers, 1, result, walk.kept);
    }
    table.to_half(result, out, walk.kept);
}

} // namespace ane::cpu::inline ANEMONE_WAY
