#pragma once

#include "winograd.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Tiles of a block: their transformed inputs share the cache with the products of two units.
inline constexpr std::int64_t winograd_bytes = std::int64_t{1400} << 10;
/// With fewer tiles a block reads the filter more often than it computes with it.
inline constexpr std::int64_t winograd_least_tiles = 24;

/// Strides are odd numbers of cache lines, so that the points of a tile are in different sets of the first cache.
struct winograd_sizes {
    std::int64_t step;  ///< floats of one tile of the transformed input
    std::int64_t point; ///< of one point of it
    std::int64_t input;
    std::int64_t strip;
    std::int64_t product; ///< of one point of the products
    std::int64_t products;
    std::int64_t pixels;
    std::int64_t pitch; ///< of the sums of a channel
    std::int64_t sums;
    std::int64_t total() const { return input + strip + products + pixels + sums; }
};

ANEMONE_INLINE winograd_sizes sizes_of(const winograd_plan& plan) {
    const auto odd = [](std::int64_t count) { return ((count + 15) / 16 | 1) * 16; };
    const std::int64_t lanes = plan.paired_units * unit_channels;
    const std::int64_t tiles = plan.block_rows * plan.tile_columns;
    winograd_sizes n{};
    n.step = odd(plan.channels());
    n.point = odd(tiles * n.step);
    n.input = plan.points() * n.point;
    n.strip = (plan.tile + 2) * winograd_strip;
    n.product = odd(tiles * lanes);
    n.products = plan.points() * n.product;
    n.pixels = (plan.tile * plan.tile_columns * plan.tile + 8) * lanes;
    n.pitch = odd(plan.block_rows * plan.tile * plan.shape.out_width + 8);
    n.sums = lanes * n.pitch;
    return n;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY winograd_filter::winograd_filter(std::int64_t size)
    : memory_(new float[static_cast<std::size_t>(size) + 16]) {
    std::size_t space = (static_cast<std::size_t>(size) + 16) * sizeof(float);
    void* first = memory_.get();
    data_ = static_cast<float*>(std::align(64, static_cast<std::size_t>(size) * sizeof(float), first, space));
}

ANEMONE_BODY scratch_sizes winograd_plan::scratch() const {
    return {0, detail::sizes_of(*this).total() * static_cast<std::int64_t>(sizeof(float))};
}

ANEMONE_BODY std::int64_t winograd_tile(const numerics::convolution_shape& s, winograd_tiles form) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    if (form == winograd_tiles::never || !may_take_winograd(s)) {
        return 0;
    }
    // In multiply-adds for each pair of channels: those of the points, what reading the filter costs beside them (far
    // more for the first block, as other layers have taken the caches), and the transforms. Of one image: the choice
    // decides bits, which the batch must not.
    constexpr double first_read = 14;
    constexpr double filter_read = 6;
    constexpr double transforms = 12; // of a number of a tile
    const auto cost = [&](std::int64_t tile) {
        const std::int64_t tiles = ((s.out_height + tile - 1) / tile) * ((s.out_width + tile - 1) / tile);
        const std::int64_t points = (tile + 2) * (tile + 2);
        const std::int64_t in_block = std::max<std::int64_t>(1, detail::winograd_bytes / 4 / points / (channels + 32));
        const std::int64_t blocks = (tiles + in_block - 1) / in_block;
        const auto count = static_cast<double>(tiles);
        return static_cast<double>(points) *
               (count + first_read + filter_read * static_cast<double>(blocks) +
                count * transforms * (1.0 / static_cast<double>(channels) + 1.0 / static_cast<double>(rows)));
    };
    const double direct = 9 * static_cast<double>(s.out_height * s.out_width);
    const double two = cost(2);
    const double four = form == winograd_tiles::of_four ? cost(4) : direct;
    if (std::min(two, four) > 0.95 * direct) {
        return 0;
    }
    return four < 0.95 * two ? 4 : 2; // where neither is much faster, the more exact one
}

ANEMONE_BODY winograd_plan plan_winograd(const kernel_table& table, const numerics::convolution_shape& s,
                                         std::int64_t tile, int width) {
    winograd_plan plan;
    plan.shape = s;
    plan.tile = tile;
    plan.tile_rows = (s.out_height + tile - 1) / tile;
    plan.tile_columns = (s.out_width + tile - 1) / tile;
    plan.paired_units = table.convolutions.paired_units;
    const std::int64_t rows = s.batch * plan.tile_rows;
    const auto set = [&](std::int64_t blocks) { plan.block_rows = (rows + blocks - 1) / blocks; };
    const auto large = [&] {
        const detail::winograd_sizes n = detail::sizes_of(plan);
        return (n.input + n.products) * 4 > detail::winograd_bytes;
    };
    std::int64_t blocks = 1;
    for (set(blocks); blocks < rows && large();) {
        set(++blocks);
    }
    // Threads share the rows of tiles, or where these are few the output channels of a block.
    const std::int64_t shared = (blocks + width - 1) / width * width;
    if (s.groups * blocks % width != 0) {
        if (shared <= rows && rows * plan.tile_columns >= shared * detail::winograd_least_tiles) {
            set(shared);
        } else {
            plan.unit_parts = std::min<std::int64_t>(width, plan.pairs());
        }
    }
    sequence<std::pair<std::int64_t, std::int64_t>> taps;
    for (std::int64_t c = 0; c < plan.channels(); ++c) {
        taps.push_back({c, c});
    }
    plan.window = window_taps(taps, plan.channels());
    return plan;
}

ANEMONE_BODY void pack_winograd(const kernel_table& table, const winograd_plan& plan, const half* weight,
                                float* packed) {
    const std::int64_t channels = plan.channels();
    const std::int64_t rows = plan.rows();
    for (std::int64_t group = 0; group < plan.shape.groups; ++group) {
        for (std::int64_t unit = 0; unit < plan.units(); ++unit) {
            const std::int64_t pair = unit / plan.paired_units * plan.paired_units;
            const std::int64_t in_pair = std::min(plan.paired_units, plan.units() - pair);
            const std::int64_t first = unit * unit_channels;
            float* const units = packed + (group * plan.units() + pair) * plan.points() * channels * unit_channels;
            table.winograd.filter({.filter = weight + (group * rows + first) * channels * 9,
                                   .rows = std::min(unit_channels, rows - first),
                                   .channels = channels,
                                   .packed = units + (unit - pair) * channels * unit_channels,
                                   .point = in_pair * channels * unit_channels},
                                  static_cast<int>(plan.tile));
        }
    }
}

ANEMONE_BODY bool winograd_bears(const kernel_table& table, const half* x, std::int64_t planes, std::int64_t count,
                                 const worker_threads& workers, float* memory) {
    workers.share(planes, 16, [&](std::int64_t first, std::int64_t last, std::byte*) {
        for (std::int64_t c = first; c < last; ++c) {
            table.winograd.magnitudes(x + c * count, count, memory + 2 * c, memory + 2 * c + 1);
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
                                       const worker_threads& workers, const sums_sink& sink) {
    const numerics::convolution_shape& s = plan.shape;
    const winograd_kernels& kernels = table.winograd;
    const detail::winograd_sizes n = detail::sizes_of(plan);
    const std::int64_t channels = plan.channels();
    const std::int64_t rows = plan.rows();
    const std::int64_t plane = s.in_height * s.in_width;
    const std::int64_t all_rows = images * plan.tile_rows;
    const std::int64_t blocks = (all_rows + plan.block_rows - 1) / plan.block_rows;
    const int tile = static_cast<int>(plan.tile);
    // Calls work(image, row of tiles, how many, place in the block) for the parts of a block in each image.
    const auto each_image = [&](std::int64_t from, std::int64_t end, const auto& work) {
        for (std::int64_t row = from; row < end;) {
            const std::int64_t now = std::min(end - row, plan.tile_rows - row % plan.tile_rows);
            work(first + row / plan.tile_rows, row % plan.tile_rows, now, row - from);
            row += now;
        }
    };
    workers.share(s.groups * blocks * plan.unit_parts, 1, [&](std::int64_t from, std::int64_t to, std::byte* scratch) {
        float* const input = reinterpret_cast<float*>(scratch);
        float* const strip = input + n.input;
        float* const products = strip + n.strip;
        float* const pixels = products + n.products;
        float* const sums = pixels + n.pixels;
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t part = i % plan.unit_parts;
            const std::int64_t block = i / plan.unit_parts % blocks;
            const std::int64_t group = i / plan.unit_parts / blocks;
            const std::int64_t begin = all_rows * block / blocks;
            const std::int64_t end = all_rows * (block + 1) / blocks;
            const std::int64_t tiles = (end - begin) * plan.tile_columns;
            if (i == from || part == 0) {
                each_image(begin, end, [&](std::int64_t image, std::int64_t row, std::int64_t count, std::int64_t at) {
                    for (std::int64_t c = 0; c < channels; c += winograd_channels) {
                        const std::int64_t place = (image * s.in_channels + group * channels + c) * plane;
                        kernels.input({.x = x + place,
                                       .channels = std::min(winograd_channels, channels - c),
                                       .height = s.in_height,
                                       .width = s.in_width,
                                       .readable = s.batch * s.in_channels * plane - place,
                                       .top = row * plan.tile - s.pad_top,
                                       .left = -s.pad_left,
                                       .tile_rows = count,
                                       .tile_columns = plan.tile_columns,
                                       .rows = strip,
                                       .to = input + at * plan.tile_columns * n.step + c,
                                       .point = n.point,
                                       .step = n.step},
                                      tile);
                    }
                });
            }
            const std::int64_t last = plan.pairs() * (part + 1) / plan.unit_parts;
            for (std::int64_t pair = plan.pairs() * part / plan.unit_parts; pair < last; ++pair) {
                const std::int64_t unit = pair * plan.paired_units;
                const std::int64_t now = std::min(plan.paired_units, plan.units() - unit);
                const std::int64_t lanes = now * unit_channels;
                const std::int64_t panel = channels * lanes;
                const float* const filter =
                    weights + (group * plan.units() + unit) * plan.points() * channels * unit_channels;
                for (std::int64_t p = 0; p < plan.points(); ++p) {
                    contraction_job job{.x = input + p * n.point,
                                        .taps = plan.window.at(0).offsets,
                                        .unit_step = channels * unit_channels,
                                        .weights = filter + p * panel,
                                        .rows = 1,
                                        .columns = tiles,
                                        .row_step = 0,
                                        .step = n.step,
                                        .sums = products + p * n.product,
                                        .pitch = lanes,
                                        .resumed = false,
                                        .channels = lanes};
                    if (p + 1 < plan.points() || pair + 1 < last) {
                        job.next = {.first = job.weights + panel, .bytes = panel * 4, .count = 1};
                    }
                    table.convolutions.channel_lanes(job);
                }
                const std::int64_t o = group * rows + unit * unit_channels;
                const std::int64_t wanted = std::min(lanes, rows - unit * unit_channels);
                float biases[2 * unit_channels] = {};
                if (bias != nullptr) {
                    std::copy_n(bias + o, wanted, biases);
                }
                each_image(begin, end, [&](std::int64_t image, std::int64_t row, std::int64_t count, std::int64_t at) {
                    const std::int64_t y = row * plan.tile;
                    const std::int64_t height = std::min(count * plan.tile, s.out_height - y);
                    for (std::int64_t t = 0; t < count; ++t) {
                        kernels.output({.products = products + (at + t) * plan.tile_columns * lanes,
                                        .point = n.product,
                                        .tile_columns = plan.tile_columns,
                                        .lanes = lanes,
                                        .bias = biases,
                                        .pixels = pixels,
                                        .rows = std::min(plan.tile, height - t * plan.tile),
                                        .columns = s.out_width,
                                        .channels = wanted,
                                        .sums = sums + t * plan.tile * s.out_width,
                                        .pitch = n.pitch},
                                       tile);
                    }
                    for (std::int64_t k = 0; k < wanted; ++k) {
                        sink(sums + k * n.pitch, ((image * s.out_channels + o + k) * s.out_height + y) * s.out_width,
                             height * s.out_width);
                    }
                });
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
