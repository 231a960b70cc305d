#pragma once

#include "../../../base/formatted.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "lines.hpp"
#include "pool.hpp"
#include "slab.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Copies a plane x [height, width] into a slab of one channel so that x(0, 0) lies at padded (top, left). What x does
/// not cover stays as it is. `plane` has room for x.
ANEMONE_INLINE void fill_plane(const kernel_table& table, const slab_layout& layout, const half* x, std::int64_t height,
                               std::int64_t width, std::int64_t top, std::int64_t left, float* slab, float* plane) {
    const std::int64_t phases = layout.column_phases;
    const std::int64_t end = std::max<std::int64_t>(std::min(width, layout.columns * phases - left), 0);
    const std::int64_t rows = std::min(height, layout.rows * layout.row_phases - top);
    if (rows <= 0) {
        return;
    }
    table.to_float(x, plane, rows * width); // at once: a row may be short
    for (std::int64_t y = 0; y < rows; ++y) {
        const float* const line = plane + y * width;
        if (phases == 1) {
            std::copy_n(line, end, slab + layout.offset(0, y + top, left));
            continue;
        }
        if (phases == 2) {
            float* const even = slab + layout.offset(0, y + top, left);
            float* const odd = slab + layout.offset(0, y + top, left + 1);
            for (std::int64_t i = 0; i < end / 2; ++i) {
                even[i] = line[2 * i];
                odd[i] = line[2 * i + 1];
            }
            if (end % 2 != 0) {
                even[end / 2] = line[end - 1];
            }
            continue;
        }
        for (std::int64_t first = 0; first < std::min(phases, end); ++first) {
            float* to = slab + layout.offset(0, y + top, first + left);
            for (std::int64_t i = first; i < end; i += phases) {
                *to++ = line[i];
            }
        }
    }
}

ANEMONE_BODY void check(op kind, const pool_shape& s) {
    require(is_pool(kind), "pool", [&] { return formatted("{} is not a pooling", name(kind)); });
    for (const std::int64_t value : {s.in_height, s.in_width, s.out_height, s.out_width, s.kernel_height,
                                     s.kernel_width, s.stride_height, s.stride_width, s.pad_top + 1, s.pad_left + 1}) {
        require(value > 0, name(kind).data(),
                [&] { return formatted("an extent, stride or padding is too small: {}", value); });
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY pool_plan plan_pool(op kind, const pool_shape& s) {
    detail::check(kind, s);
    pool_plan plan{.kind = kind, .shape = s, .layout = {}, .taps = {}, .across = {}, .divisors = {}};
    plan.layout = slab_for(1, s.out_height, s.out_width, s.stride_height, s.stride_width, s.kernel_height - 1,
                           s.kernel_width - 1);
    const std::int64_t pitch = plan.layout.columns;
    plan.positions = (s.out_height - 1) * pitch + s.out_width;
    // Maxima along rows first, then of those: fewer steps, in an order that gives the same bits. Sums have one order.
    const std::int64_t phases = plan.layout.row_phases;
    const bool apart =
        kind == op::max_pool && s.kernel_height * s.kernel_width > s.kernel_width * phases + s.kernel_height;
    if (apart) {
        for (std::int64_t j = 0; j < s.kernel_width; ++j) {
            plan.across.push_back(plan.layout.offset(0, 0, j));
        }
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            plan.taps.push_back(i % phases * plan.layout.plane() + i / phases * pitch);
        }
    } else {
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                plan.taps.push_back(plan.layout.offset(0, i, j));
            }
        }
    }
    if (kind == op::avg_pool) {
        plan.divisors = std::vector<float>(static_cast<std::size_t>(plan.positions), 1.0F);
        for (std::int64_t y = 0; y < s.out_height; ++y) {
            for (std::int64_t x = 0; x < s.out_width; ++x) {
                plan.divisors[static_cast<std::size_t>(y * pitch + x)] =
                    static_cast<float>(numerics::averaged_places(s, y, x));
            }
        }
    }
    return plan;
}

ANEMONE_BODY void pool(const kernel_table& table, const pool_plan& plan, const half* x, half* out,
                       const worker_threads& workers) {
    const pool_shape& s = plan.shape;
    const slab_layout& layout = plan.layout;
    const bool largest = plan.kind == op::max_pool;
    const float fill = largest ? -std::numeric_limits<float>::infinity() : 0.0F;
    const op combine = largest ? op::maximum : op::add;
    std::vector<std::byte> memory;
    const worker_threads own = detail::workers_with_memory(workers, plan.scratch(), memory);
    const std::int64_t work = plan.positions * static_cast<std::int64_t>(plan.taps.size());
    own.share(
        s.batch * s.channels, std::max<std::int64_t>(detail::elements_of_a_part / work, 1),
        [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
            float* const slab = reinterpret_cast<float*>(scratch);
            float* const rows = slab + layout.size();
            float* const result = rows + (plan.across.empty() ? 0 : layout.row_phases * layout.plane() + 32);
            float* const plane = result + plan.positions + 32;
            for (std::int64_t c = first; c < last; ++c) {
                if (c == first || plan.kind == op::l2_pool) {
                    std::fill(slab, rows, fill);
                }
                detail::fill_plane(table, layout, x + c * s.in_height * s.in_width, s.in_height, s.in_width, s.pad_top,
                                   s.pad_left, slab, plane);
                if (plan.kind == op::l2_pool) {
                    table.binary(op::mul, slab, 1, slab, 1, slab, layout.size());
                }
                const float* from = slab;
                if (!plan.across.empty()) {
                    for (std::int64_t p = 0; p < layout.row_phases; ++p) {
                        table.reductions.windows(combine, slab + p * layout.column_phases * layout.plane(),
                                                 plan.across.data(), static_cast<std::int64_t>(plan.across.size()),
                                                 fill, rows + p * layout.plane(), layout.plane());
                    }
                    from = rows;
                }
                table.reductions.windows(combine, from, plan.taps.data(), static_cast<std::int64_t>(plan.taps.size()),
                                         fill, result, plan.positions);
                if (plan.kind == op::avg_pool) {
                    table.binary(op::div, result, 1, plan.divisors.data(), 1, result, plan.positions);
                } else if (plan.kind == op::l2_pool) {
                    table.unary(op::sqrt, result, result, plan.positions, 0, 0);
                }
                for (std::int64_t y = 1; y < s.out_height && s.out_width < layout.columns; ++y) {
                    std::copy_n(result + y * layout.columns, s.out_width, result + y * s.out_width);
                }
                table.to_half(result, out + c * s.out_height * s.out_width, s.out_height * s.out_width);
            }
        });
}

ANEMONE_BODY void pool(const kernel_table& table, op kind, const pool_shape& s, const half* x, half* out) {
    pool(table, plan_pool(kind, s), x, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY
