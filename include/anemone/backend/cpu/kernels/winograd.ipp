#pragma once

#include "winograd.hpp"

#include <algorithm>
#include <cmath>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Tiles of a block: their transformed inputs share the cache with the products of two units.
inline constexpr std::int64_t winograd_bytes = std::int64_t{1400} << 10;

struct winograd_sizes {
    std::int64_t tiles;
    std::int64_t point; ///< floats of one point of the transformed input
    std::int64_t input;
    std::int64_t slab;
    std::int64_t line;
    std::int64_t products;
    std::int64_t pixels;
    std::int64_t pitch; ///< of the sums of a channel
    std::int64_t sums;
    std::int64_t total() const { return input + slab + line + products + pixels + sums; }
};

ANEMONE_INLINE winograd_sizes sizes_of(const winograd_plan& plan) {
    const auto lines = [](std::int64_t count) { return (count + 15) / 16 * 16; };
    const std::int64_t lanes = plan.paired_units * unit_channels;
    winograd_sizes n{};
    n.tiles = plan.block_rows * plan.tile_columns;
    n.point = lines(plan.channels() * n.tiles + 16) + 16;
    n.input = plan.points() * n.point + lines(overread);
    n.slab = lines(plan.slab.plane() + overread);
    n.line = lines(plan.slab.across.size + overread);
    n.products = plan.points() * n.tiles * lanes;
    n.pixels = (plan.tile * plan.tile_columns * plan.tile + 8) * lanes;
    n.pitch = (lines(plan.block_rows * plan.tile * plan.shape.out_width + 8) / 16 | 1) * 16;
    n.sums = lanes * n.pitch;
    return n;
}

/// G of F(4x4, 3x3) or F(2x2, 3x3).
ANEMONE_INLINE void transform_filter(std::int64_t tile, const double (&w)[3], double* to) {
    if (tile == 2) {
        to[0] = w[0];
        to[1] = (w[0] + w[1] + w[2]) / 2;
        to[2] = (w[0] - w[1] + w[2]) / 2;
        to[3] = w[2];
    } else {
        to[0] = w[0] / 4;
        to[1] = -(w[0] + w[1] + w[2]) / 6;
        to[2] = -(w[0] - w[1] + w[2]) / 6;
        to[3] = (w[0] + 2 * w[1] + 4 * w[2]) / 24;
        to[4] = (w[0] - 2 * w[1] + 4 * w[2]) / 24;
        to[5] = w[2];
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes winograd_plan::scratch() const {
    return {0, detail::sizes_of(*this).total() * static_cast<std::int64_t>(sizeof(float))};
}

ANEMONE_BODY bool winograd_wins(const numerics::convolution_shape& s, std::int64_t tile) {
    const bool form = s.kernel_height == 3 && s.kernel_width == 3 && s.stride_height == 1 && s.stride_width == 1 &&
                      s.dilation_height == 1 && s.dilation_width == 1;
    const std::int64_t tiles = ((s.out_height + tile - 1) / tile) * ((s.out_width + tile - 1) / tile);
    const std::int64_t channels = std::min(s.in_channels / s.groups, s.out_channels / s.groups);
    // Multiplications against those of the sums of products, with room for the transforms.
    const std::int64_t points = (tile + 2) * (tile + 2);
    return form && channels >= 32 && tiles >= 12 && 3 * points * tiles < 2 * 9 * s.out_height * s.out_width &&
           s.out_width <= 1024;
}

ANEMONE_BODY winograd_plan plan_winograd(const kernel_table& table, const numerics::convolution_shape& s,
                                         std::int64_t tile, int width) {
    winograd_plan plan;
    plan.shape = s;
    plan.tile = tile;
    plan.tile_rows = (s.out_height + tile - 1) / tile;
    plan.tile_columns = (s.out_width + tile - 1) / tile;
    plan.paired_units = table.convolutions.paired_units;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> columns;
    for (std::int64_t i = 0; i < tile + 2; ++i) {
        rows.push_back(i - s.pad_top);
        columns.push_back(i - s.pad_left);
    }
    const auto set = [&](std::int64_t blocks) {
        plan.blocks = blocks;
        plan.block_rows = (plan.tile_rows + blocks - 1) / blocks;
        plan.slab.down = slab_axis_of(rows, plan.block_rows, tile, false);
        plan.slab.across = slab_axis_of(columns, std::max<std::int64_t>(2, plan.tile_columns), tile, true);
    };
    set(1);
    const auto large = [&] {
        const detail::winograd_sizes n = detail::sizes_of(plan);
        return (n.input + n.products) * 4 > detail::winograd_bytes;
    };
    while (plan.blocks < plan.tile_rows && (large() || s.groups * plan.blocks % width != 0)) {
        set(plan.blocks + 1);
    }
    const std::int64_t tiles = detail::sizes_of(plan).tiles;
    for (std::int64_t c = 0; c < plan.channels(); ++c) {
        plan.offsets.push_back(c * tiles);
    }
    return plan;
}

ANEMONE_BODY void pack_winograd(const winograd_plan& plan, const half* weight, float* packed) {
    const std::int64_t channels = plan.channels();
    const std::int64_t rows = plan.rows();
    const std::int64_t side = plan.tile + 2;
    std::fill_n(packed, plan.packed_size(), 0.0F);
    for (std::int64_t o = 0; o < plan.shape.out_channels; ++o) {
        const std::int64_t r = o % rows;
        const std::int64_t pair = r / unit_channels / plan.paired_units * plan.paired_units;
        const std::int64_t in_pair = std::min(plan.paired_units, plan.units() - pair);
        float* const units = packed + (o / rows * plan.units() + pair) * plan.points() * channels * unit_channels;
        for (std::int64_t c = 0; c < channels; ++c) {
            double down[3][6];
            for (int j = 0; j < 3; ++j) {
                double column[3];
                for (int i = 0; i < 3; ++i) {
                    column[i] = static_cast<double>(weight[(o * channels + c) * 9 + i * 3 + j]);
                }
                detail::transform_filter(plan.tile, column, down[j]);
            }
            for (std::int64_t i = 0; i < side; ++i) {
                double across[6];
                const double row[3] = {down[0][i], down[1][i], down[2][i]};
                detail::transform_filter(plan.tile, row, across);
                for (std::int64_t j = 0; j < side; ++j) {
                    const std::int64_t unit = (i * side + j) * in_pair + (r / unit_channels - pair);
                    units[(unit * channels + c) * unit_channels + r % unit_channels] = static_cast<float>(across[j]);
                }
            }
        }
    }
}

ANEMONE_BODY bool winograd_bears(const kernel_table& table, const half* x, std::int64_t planes, std::int64_t count,
                                 const workers& crew, float* memory) {
    crew.share(planes, 16, [&](std::int64_t first, std::int64_t last, std::byte*) {
        for (std::int64_t c = first; c < last; ++c) {
            table.convolutions.magnitudes(x + c * count, count, memory + 2 * c, memory + 2 * c + 1);
        }
    });
    double largest = 0;
    double squares = 0;
    for (std::int64_t c = 0; c < planes; ++c) {
        largest = std::max(largest, static_cast<double>(memory[2 * c]));
        squares += static_cast<double>(memory[2 * c + 1]);
    }
    return std::isfinite(largest) &&
           largest * largest * static_cast<double>(planes * count) <= winograd_span * winograd_span * squares;
}

ANEMONE_BODY void winograd_convolution(const kernel_table& table, const winograd_plan& plan, const float* weights,
                                       const float* bias, const half* x, std::int64_t first, std::int64_t images,
                                       const workers& crew, const sums_sink& sink) {
    const numerics::convolution_shape& s = plan.shape;
    const detail::winograd_sizes n = detail::sizes_of(plan);
    const std::int64_t channels = plan.channels();
    const std::int64_t rows = plan.rows();
    const std::int64_t plane = s.in_height * s.in_width;
    const int tile = static_cast<int>(plan.tile);
    const std::int64_t begin = first * s.groups * plan.blocks;
    crew.share(images * s.groups * plan.blocks, 1, [&](std::int64_t from, std::int64_t to, std::byte* scratch) {
        float* const input = reinterpret_cast<float*>(scratch);
        float* const slab = input + n.input;
        float* const line = slab + n.slab;
        float* const products = line + n.line;
        float* const pixels = products + n.products;
        float* const sums = pixels + n.pixels;
        for (std::int64_t i = begin + from; i < begin + to; ++i) {
            const std::int64_t image = i / plan.blocks; // of all groups
            const std::int64_t group = image % s.groups;
            const std::int64_t part = i % plan.blocks;
            const std::int64_t top = plan.tile_rows * part / plan.blocks;
            const std::int64_t height_in_tiles = plan.tile_rows * (part + 1) / plan.blocks - top;
            const std::int64_t tiles = height_in_tiles * plan.tile_columns;
            for (std::int64_t c = 0; c < channels; ++c) {
                fill_slab(table, plan.slab, x + (image * channels + c) * plane, 1, s.in_height, s.in_width,
                          top * plan.tile, 0, slab, line, (s.batch * s.in_channels - image * channels - c) * plane,
                          true);
                table.convolutions.winograd_input({.x = slab,
                                                   .pitch = plan.slab.pitch(),
                                                   .phase = plan.slab.column_start(1),
                                                   .tile_rows = height_in_tiles,
                                                   .tile_columns = plan.tile_columns,
                                                   .to = input + c * n.tiles,
                                                   .point = n.point},
                                                  tile);
            }
            const std::int64_t y = top * plan.tile;
            const std::int64_t height = std::min(height_in_tiles * plan.tile, s.out_height - y);
            for (std::int64_t unit = 0; unit < plan.units(); unit += plan.paired_units) {
                const std::int64_t now = std::min(plan.paired_units, plan.units() - unit);
                const std::int64_t lanes = now * unit_channels;
                const float* const filter =
                    weights + (group * plan.units() + unit) * plan.points() * channels * unit_channels;
                for (std::int64_t p = 0; p < plan.points(); ++p) {
                    contraction_job job{input + p * n.point,
                                        plan.offsets.data(),
                                        channels,
                                        filter + p * now * channels * unit_channels,
                                        1,
                                        tiles,
                                        0,
                                        1,
                                        products + p * n.tiles * lanes,
                                        lanes,
                                        false};
                    const bool last = p + 1 == plan.points() && unit + now == plan.units();
                    job.next = last ? nullptr : job.weights + now * channels * unit_channels;
                    job.next_bytes = last ? 0 : now * channels * unit_channels * 4;
                    table.convolutions.channel_lanes(job, static_cast<int>(now));
                }
                const std::int64_t wanted = std::min(lanes, rows - unit * unit_channels);
                for (std::int64_t t = 0; t < height_in_tiles; ++t) {
                    table.convolutions.winograd_output({.products = products + t * plan.tile_columns * lanes,
                                                        .point = n.tiles * lanes,
                                                        .tile_columns = plan.tile_columns,
                                                        .lanes = lanes,
                                                        .pixels = pixels,
                                                        .rows = std::min(plan.tile, height - t * plan.tile),
                                                        .columns = s.out_width,
                                                        .channels = wanted,
                                                        .sums = sums + t * plan.tile * s.out_width,
                                                        .pitch = n.pitch},
                                                       tile);
                }
                for (std::int64_t k = 0; k < wanted; ++k) {
                    const std::int64_t o = group * rows + unit * unit_channels + k;
                    float* const values = sums + k * n.pitch;
                    if (bias != nullptr) {
                        table.binary(op::add, values, 1, bias + o, 0, values, height * s.out_width);
                    }
                    sink(values, ((image / s.groups * s.out_channels + o) * s.out_height + y) * s.out_width,
                         height * s.out_width);
                }
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
