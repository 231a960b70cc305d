#pragma once

#include "../../../base/formatted.hpp"
#include "lines.hpp"
#include "pool.hpp"
#include "pool_places.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// What a thread needs, in bytes: the rows of a window, a row of results, where the taps are.
struct pool_places_scratch {
    std::int64_t sums;
    std::int64_t taps;
    std::int64_t held; ///< which row of the image each place holds
    std::int64_t size;

    explicit pool_places_scratch(const pool_places_plan& plan) {
        const numerics::pool_shape& s = plan.shape;
        constexpr std::int64_t behind = 64; // windows are folded by 16 floats
        sums = in_cache_lines(s.kernel_height * plan.row() * 4) + behind;
        taps = sums + in_cache_lines(s.out_width * s.channels * 4) + behind;
        held = taps + in_cache_lines(s.kernel_height * s.kernel_width * 8);
        size = held + in_cache_lines(s.kernel_height * 8);
    }
};

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes pool_places_plan::scratch() const { return {0, detail::pool_places_scratch(*this).size}; }

ANEMONE_BODY pool_places_plan plan_pool_places(op kind, const numerics::pool_shape& s, int width) {
    detail::require(kind == op::max_pool || kind == op::avg_pool, "pool_places",
                    [&] { return formatted("{} is neither max_pool nor avg_pool", name(kind)); });
    detail::check(kind, s);
    pool_places_plan plan{.kind = kind, .shape = s};
    plan.places = (s.out_width - 1) * s.stride_width + s.kernel_width;
    plan.row_parts = width == 1 ? 1 : std::min<std::int64_t>(4 * width, s.out_height);
    return plan;
}

ANEMONE_BODY void pool_places(const kernel_table& table, const pool_places_plan& plan, const half* x, half* out,
                              const worker_threads& workers) {
    const numerics::pool_shape& s = plan.shape;
    const bool largest = plan.kind == op::max_pool;
    const float fill = largest ? -std::numeric_limits<float>::infinity() : 0.0F;
    const op combine = largest ? op::maximum : op::add;
    const std::int64_t channels = s.channels;
    const std::int64_t row = plan.row();
    const detail::pool_places_scratch at(plan);
    std::vector<std::byte> memory;
    const worker_threads own = detail::workers_with_memory(workers, plan.scratch(), memory);
    const std::int64_t covered = std::clamp<std::int64_t>(plan.places - s.pad_left, 0, s.in_width);
    own.share(s.batch * plan.row_parts, 1, [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
        auto* const rows = reinterpret_cast<float*>(scratch);
        auto* const sums = reinterpret_cast<float*>(scratch + at.sums);
        auto* const taps = reinterpret_cast<std::int64_t*>(scratch + at.taps);
        auto* const held = reinterpret_cast<std::int64_t*>(scratch + at.held);
        std::fill_n(rows, s.kernel_height * row, fill);
        for (std::int64_t part = first; part < last; ++part) {
            const std::int64_t image = part / plan.row_parts;
            const half* const from = x + image * s.in_height * s.in_width * channels;
            std::fill_n(held, s.kernel_height, std::int64_t{-1});
            const std::int64_t end = s.out_height * (part % plan.row_parts + 1) / plan.row_parts;
            for (std::int64_t y = s.out_height * (part % plan.row_parts) / plan.row_parts; y < end; ++y) {
                std::int64_t* tap = taps;
                for (std::int64_t i = 0; i < s.kernel_height; ++i) {
                    const std::int64_t wanted = y * s.stride_height - s.pad_top + i;
                    const std::int64_t place = (y * s.stride_height + i) % s.kernel_height;
                    if (wanted < 0 || wanted >= s.in_height) {
                        std::fill_n(rows + place * row, row, fill);
                        held[place] = -1;
                    } else if (held[place] != wanted) {
                        held[place] = wanted;
                        table.to_float(from + wanted * s.in_width * channels,
                                       rows + place * row + s.pad_left * channels, covered * channels);
                    }
                    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                        *tap++ = place * row + j * channels;
                    }
                }
                const std::int64_t count = tap - taps;
                if (s.stride_width == 1) {
                    table.reductions.windows(combine, rows, taps, count, fill, sums, s.out_width * channels);
                } else {
                    for (std::int64_t p = 0; p < s.out_width; ++p) {
                        table.reductions.windows(combine, rows + p * s.stride_width * channels, taps, count, fill,
                                                 sums + p * channels, channels);
                    }
                }
                for (std::int64_t p = 0; !largest && p < s.out_width; ++p) {
                    const auto divisor = static_cast<float>(numerics::averaged_places(s, y, p));
                    table.binary(op::div, sums + p * channels, 1, &divisor, 0, sums + p * channels, channels);
                }
                table.to_half(sums, out + (image * s.out_height + y) * s.out_width * channels, s.out_width * channels);
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
