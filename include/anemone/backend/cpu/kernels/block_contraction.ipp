#pragma once

#include "block_contraction.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

inline constexpr std::int64_t slab_bytes = std::int64_t{256} << 10; ///< of a block, if a single row fits
inline constexpr std::int64_t block_positions = 1024;

ANEMONE_INLINE std::int64_t parts_of(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }
ANEMONE_INLINE std::int64_t rounded_up(std::int64_t count, std::int64_t to) { return parts_of(count, to) * to; }

ANEMONE_INLINE void set_block(block_plan& plan, const window_problem& w, std::int64_t height, std::int64_t width) {
    plan.block_height = height;
    plan.block_width = width;
    plan.down = parts_of(w.out_height, height);
    plan.across = parts_of(w.out_width, width);
    plan.slab.down = slab_axis_of(w.row_bases, height, w.stride_height, !plan.channel_lanes);
    plan.slab.across = slab_axis_of(w.column_bases, width, w.stride_width, !plan.channel_lanes);
    plan.row_step = plan.slab.pitch() * (plan.channel_lanes && height > 1 ? w.stride_height : 1);
    plan.step = plan.slab.places_apart * (plan.channel_lanes && width > 1 ? w.stride_width : 1);
}

/// With few outputs by the instructions that each way takes, roughly: tiles of positions compute the gaps between rows and
/// whole vectors, tiles of channels whole units or the half of one, and their sums must be transposed. With as many as
/// NHWC results have always: the order of the sums is then the same for both layouts.
ANEMONE_INLINE bool channels_are_better(const window_problem& w, bool one_row) {
    if (w.rows >= least_nhwc_channels) {
        return true;
    }
    const std::int64_t gap = one_row ? 0 : w.column_bases.back() - w.column_bases.front();
    const std::int64_t rows_of_positions = one_row ? 1 : std::min<std::int64_t>(w.out_height, 16);
    const std::int64_t positions =
        rounded_up((w.out_width + gap) * rows_of_positions, 16) * (w.stride_width > 1 ? 2 : 1);
    const std::int64_t by_positions = positions * rounded_up(w.rows, 4) * (w.taps + 8);
    const std::int64_t few = std::max<std::int64_t>(1, 5 - std::min<std::int64_t>(w.out_width, 4));
    const std::int64_t by_channels = w.out_width * rows_of_positions * few * rounded_up(w.rows, 8) * (w.taps + 16);
    return 7 * by_channels <= 8 * by_positions;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY std::int64_t block_plan::slab_size() const { return slab.size(channels) + overread; }

ANEMONE_BODY std::int64_t block_plan::sums_pitch() const {
    if (out == layout::nhwc) {
        return units() * unit_channels;
    }
    const std::int64_t positions =
        channel_lanes ? block_height * block_width : (block_height - 1) * slab.pitch() + block_width;
    // An odd number of cache lines: powers of two would compete for one place in the cache.
    return (detail::parts_of(positions + 8, 16) | 1) * 16;
}

ANEMONE_BODY std::int64_t block_plan::sums_size() const {
    if (out == layout::nhwc) {
        return tiles_finish ? 0 : block_height * block_width * sums_pitch();
    }
    return units_at_once * unit_channels * sums_pitch();
}

ANEMONE_BODY std::int64_t block_plan::temporary_size() const {
    return tiles_begin() +
           (channel_lanes ? (block_height * block_width + 4) * paired_units * unit_channels : overread) +
           slab.across.size + overread;
}

ANEMONE_BODY std::int64_t block_plan::tiles_begin() const { return paired_units * unit_channels * most_converted; }

ANEMONE_BODY block_plan plan_blocks(const kernel_table& table, const window_problem& problem, int width) {
    window_problem w = problem;
    const bool pointwise = w.phases == 1 && w.row_bases.size() == 1 && w.column_bases.size() == 1 &&
                           w.row_bases[0] == 0 && w.column_bases[0] == 0 && w.stride_height == 1 &&
                           w.stride_width == 1 && w.out_height == w.in_height && w.out_width == w.in_width;
    if (pointwise) { // a plane is then one row
        w.out_width *= w.out_height;
        w.in_width *= w.in_height;
        w.out_height = 1;
        w.in_height = 1;
    }
    block_plan plan;
    plan.images = w.images;
    plan.channels = w.channels;
    plan.rows = w.rows;
    plan.out_height = w.out_height;
    plan.out_width = w.out_width;
    plan.in_height = w.in_height;
    plan.in_width = w.in_width;
    plan.stride_height = w.stride_height;
    plan.stride_width = w.stride_width;
    plan.in = w.form.in;
    plan.out = w.form.out;
    plan.tiles_finish = w.form.tiles_finish;
    const bool nhwc = plan.in == layout::nhwc || plan.out == layout::nhwc;
    plan.channel_lanes = nhwc || detail::channels_are_better(w, w.out_height == 1);
    if (plan.channel_lanes && (w.channels >= gathered_at_least ||
                               plan.in == layout::nhwc)) { // odd numbers of cache lines, as in sums_pitch()
        plan.slab.places_apart = (detail::parts_of(w.channels, 16) | 1) * 16;
    }
    plan.units_at_once = std::min<std::int64_t>(2, plan.units());
    plan.paired_units = plan.channel_lanes ? table.convolutions.paired_units : 1;
    // Tiles of channels read weights in a row, from the second cache if they are many; tiles of positions want them in
    // the first one.
    plan.most_converted = std::clamp<std::int64_t>(detail::rounded_up(w.taps, 4), 4, plan.channel_lanes ? 1152 : 192);
    const std::int64_t granule = plan.channel_lanes ? table.convolutions.most_positions : 48;
    const auto fits = [&](std::int64_t height, std::int64_t columns) {
        detail::set_block(plan, w, height, columns);
        return (plan.slab_size() + (plan.out == layout::nhwc ? plan.sums_size() : 0)) * 4 <= detail::slab_bytes &&
               height * columns * std::min<std::int64_t>(w.phases, 16) <= detail::block_positions;
    };
    std::int64_t columns = w.out_width;
    while (columns > granule && !fits(1, columns)) {
        columns = std::max(granule, detail::rounded_up(detail::parts_of(columns, 2), granule));
    }
    columns = std::min(columns, w.out_width);
    std::int64_t height = 1;
    if (columns == w.out_width) {
        while (height < w.out_height && fits(std::min(2 * height, w.out_height), columns)) {
            height = std::min(2 * height, w.out_height);
        }
        while (height < w.out_height && fits(height + 1, columns)) {
            ++height;
        }
    }
    std::int64_t down = detail::parts_of(w.out_height, height);
    std::int64_t across = detail::parts_of(w.out_width, columns);
    // As many blocks as the threads divide evenly, where that does not make them tiny.
    const auto blocks = [&] { return w.images * down * across; };
    plan.by_channels = width > 1 && blocks() < 4 * width && w.out_height * w.out_width <= 512;
    if (!plan.by_channels) {
        while (blocks() % width != 0 && blocks() < 16 * width && down < w.out_height) {
            ++down;
        }
        while (blocks() % width != 0 && blocks() < 16 * width && w.out_height == 1 &&
               across * granule * 2 < w.out_width) {
            ++across;
        }
        plan.by_channels = width > 1 && blocks() < width;
    }
    height = detail::parts_of(w.out_height, down);
    if (across > 1) {
        columns = std::min(w.out_width, detail::rounded_up(detail::parts_of(w.out_width, across), granule));
    }
    detail::set_block(plan, w, height, columns);
    return plan;
}

ANEMONE_BODY output_block block_at(const block_plan& plan, std::int64_t index) {
    output_block block{};
    block.image = index / (plan.down * plan.across);
    block.y = index / plan.across % plan.down * plan.block_height;
    block.x = index % plan.across * plan.block_width;
    block.height = std::min(plan.block_height, plan.out_height - block.y);
    block.width = std::min(plan.block_width, plan.out_width - block.x);
    return block;
}

ANEMONE_BODY std::int64_t parts_to_fill(const block_plan& plan) {
    return plan.slab.channels_last() ? plan.slab.down.size : plan.channels;
}

ANEMONE_BODY void fill_block(const kernel_table& table, const block_plan& plan, const output_block& block,
                             const half* x, std::int64_t first, std::int64_t last, float* slab, float* line) {
    slab_source from{.x = x,
                     .order = plan.in,
                     .channels = plan.channels,
                     .height = plan.in_height,
                     .width = plan.in_width,
                     .top = block.y * plan.stride_height,
                     .left = block.x * plan.stride_width,
                     .readable = plan.channels * plan.in_height * plan.in_width};
    if (plan.slab.channels_last()) {
        return fill_rows(table, plan.slab, from, first, last, slab);
    }
    const std::int64_t before = first * plan.in_height * plan.in_width;
    from.x += before;
    from.readable -= before;
    from.channels = last - first;
    fill_planes(table, plan.slab, from, slab + first * plan.slab.plane(), line, last == plan.channels);
}

ANEMONE_BODY memory_pieces inputs_of(const block_plan& plan, const output_block& block, const half* x) {
    constexpr std::int64_t most = std::int64_t{128} << 10;
    if (plan.in == layout::nhwc) { // one piece, which the processor sees coming
        return {};
    }
    const auto covered = [](const slab_axis& axis, std::int64_t origin, std::int64_t extent) {
        const slab_axis::stretch& last = axis.stretches.back();
        const std::int64_t begin = std::clamp<std::int64_t>(origin + axis.stretches.front().from, 0, extent);
        return std::pair(begin, std::clamp(origin + last.from + last.count, begin, extent));
    };
    const auto [top, bottom] = covered(plan.slab.down, block.y * plan.stride_height, plan.in_height);
    auto [left, right] = covered(plan.slab.across, block.x * plan.stride_width, plan.in_width);
    if (bottom - top > 1) { // whole rows are one piece
        left = 0;
        right = plan.in_width;
    }
    constexpr std::int64_t size = sizeof(half);
    const std::int64_t bytes = (std::max<std::int64_t>(bottom - top - 1, 0) * plan.in_width + right - left) * size;
    if (bytes == 0 || plan.channels > most / bytes) {
        return {};
    }
    return {x + top * plan.in_width + left, plan.in_height * plan.in_width * size, bytes, plan.channels};
}

ANEMONE_BODY void sums_of(const kernel_table& table, const block_plan& plan, const block_taps& taps,
                          std::int64_t channels, std::int64_t height, std::int64_t width, const float* slab,
                          float* sums, float* temporary, const channel_finishing& direct) {
    const std::int64_t count = taps.window.count();
    const std::int64_t units = detail::parts_of(channels, unit_channels);
    float* const weights = temporary;
    float* const tiles = temporary + plan.tiles_begin();
    const std::int64_t pitch = plan.sums_pitch();
    const bool nhwc = plan.out == layout::nhwc;
    const std::int64_t paired = plan.paired_units;
    for (std::int64_t u = 0; u < units; u += paired) {
        const std::int64_t now = std::min(paired, units - u);
        const std::int64_t wanted = std::min(now * unit_channels, channels - u * unit_channels);
        float* const result = sums + u * unit_channels * (nhwc ? 1 : pitch);
        contraction_job job{.x = slab,
                            .taps = {},
                            .unit_step = 0,
                            .weights = weights,
                            .rows = height,
                            .columns = width,
                            .row_step = plan.row_step,
                            .step = plan.step,
                            .sums = tiles,
                            .pitch = now * unit_channels,
                            .resumed = false,
                            .channels = wanted};
        if (!plan.channel_lanes) {
            job.columns = (height - 1) * plan.row_step + width;
            job.rows = 1;
            job.sums = result;
            job.pitch = pitch;
        }
        const half* const packed = taps.weights + u * count * unit_channels;
        for (std::size_t k = 0; k < taps.window.parts(); ++k) {
            const window_taps::part part = taps.window.at(k);
            job.taps = part.offsets;
            job.unit_step = part.count * unit_channels;
            job.resumed = part.first > 0;
            const half* const own = packed + part.first * now * unit_channels;
            const bool last = part.first + part.count == count;
            if (plan.channel_lanes) {
                if (last && direct.finish.out != nullptr) {
                    job.finish = direct.finish.from(u * unit_channels * direct.plane);
                    job.bias = direct.bias == nullptr ? nullptr : direct.bias + u * unit_channels;
                    job.plane = direct.plane;
                    job.place_step = direct.place_step;
                } else if (last) {
                    job.finished = result;
                    job.finished_pitch = pitch;
                    job.place_step = nhwc ? pitch : 1;
                }
                if (table.convolutions.tiles_widen) {
                    job.packed = own;
                    job.widened = weights;
                } else {
                    table.planes.widen(own, weights, part.count * now * unit_channels);
                }
                job.next = taps.coming == nullptr ? memory_pieces{} : taps.coming->next();
                table.convolutions.channel_lanes(job);
            } else {
                table.planes.widen(own, weights, part.count * unit_channels);
                table.convolutions.position_lanes(job);
            }
        }
        if (!plan.channel_lanes && plan.row_step != width) {
            for (std::int64_t r = 0; r < wanted; ++r) {
                for (std::int64_t y = 1; y < height; ++y) {
                    float* const row = result + r * pitch;
                    std::memmove(row + y * width, row + y * plan.row_step,
                                 static_cast<std::size_t>(width) * sizeof(float));
                }
            }
        }
    }
}

ANEMONE_BODY scratch_sizes scratch_of(const block_plan& plan, std::int64_t kept) {
    const auto bytes = [](std::int64_t count) {
        return detail::rounded_up(count * static_cast<std::int64_t>(sizeof(float)), 64);
    };
    const std::int64_t sums = kept * plan.sums_size() + overread;
    const std::int64_t own = bytes(plan.temporary_size()) + bytes(sums);
    return plan.by_channels ? scratch_sizes{bytes(plan.slab_size()), own}
                            : scratch_sizes{0, own + bytes(plan.slab_size())};
}

} // namespace ane::cpu::inline ANEMONE_WAY
