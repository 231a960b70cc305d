#pragma once

#include "depthwise_places.hpp"
#include "slab.hpp"

#include <algorithm>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Where the parts of a thread's scratch begin, in floats.
struct depthwise_places_scratch {
    std::int64_t row; ///< of one padded row
    std::int64_t zeros;
    std::int64_t weights;
    std::int64_t bias;
    std::int64_t sums;
    std::int64_t pointers; ///< of the rows, and which row of the image each place holds
    std::int64_t size;

    explicit depthwise_places_scratch(const depthwise_places_plan& plan) {
        const auto lines = [](std::int64_t count) { return (count + 15) / 16 * 16; };
        row = lines(plan.across.size * plan.block_channels);
        zeros = plan.shape.kernel_height * row;
        weights = zeros + row;
        bias = weights + plan.kernel() * plan.block_channels;
        sums = bias + plan.block_channels;
        pointers = sums + (plan.tiles_finish ? 0 : lines(plan.shape.out_width * plan.block_channels));
        size = pointers + 4 * lines(plan.shape.kernel_height);
    }
};

/// One padded row of some channels. `from` is the first of these in the row's first place.
ANEMONE_INLINE void fill_places(const kernel_table& table, const depthwise_places_plan& plan, const half* from,
                                std::int64_t channels, float* to) {
    const std::int64_t apart = plan.block_channels;
    const std::int64_t width = plan.shape.in_width;
    for (const slab_axis::stretch& s : plan.across.stretches) {
        const std::int64_t begin = std::clamp<std::int64_t>(-s.from, 0, s.count);
        const std::int64_t end = std::clamp<std::int64_t>(width - s.from, begin, s.count);
        float* const places = to + s.begin * apart;
        std::fill(places, places + begin * apart, 0.0F);
        table.planes.widen_places(from + (s.from + begin) * plan.shape.in_channels, plan.shape.in_channels, channels,
                                  end - begin, places + begin * apart, apart);
        std::fill(places + end * apart, places + s.count * apart, 0.0F);
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes depthwise_places_plan::scratch() const {
    return {0, detail::depthwise_places_scratch(*this).size * static_cast<std::int64_t>(sizeof(float))};
}

ANEMONE_BODY depthwise_places_plan plan_depthwise_places(const numerics::convolution_shape& s, bool tiles_finish,
                                                         int width) {
    constexpr std::int64_t rows_bytes = std::int64_t{24} << 10; // of the first cache
    constexpr std::int64_t line = 32;                           // channels in one of the image
    depthwise_places_plan plan;
    plan.shape = s;
    plan.tiles_finish = tiles_finish;
    sequence<std::int64_t> bases;
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        bases.push_back(j * s.dilation_width - s.pad_left);
    }
    plan.across = slab_axis_of(bases, s.out_width, s.stride_width, false);
    const std::int64_t all = (s.in_channels + 15) / 16 * 16;
    const std::int64_t of_a_channel = s.kernel_height * plan.across.size * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t fitting = std::max<std::int64_t>(rows_bytes / of_a_channel / line, 1) * line;
    plan.block_channels = tiles_finish ? std::min(all, fitting) : all;
    plan.blocks = (s.in_channels + plan.block_channels - 1) / plan.block_channels;
    const std::int64_t parts = (4 * width + s.batch * plan.blocks - 1) / (s.batch * plan.blocks);
    plan.row_parts = width == 1 ? 1 : std::min(parts, s.out_height);
    plan.dense = s.dilation_width == 1 || s.kernel_width == 1;
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        const std::int64_t place = plan.across.places[static_cast<std::size_t>(j)];
        plan.dense = plan.dense && place == j;
        plan.columns.push_back(place * plan.block_channels);
    }
    return plan;
}

ANEMONE_BODY void pack_depthwise_places(const depthwise_places_plan& plan, const half* weight, half* packed) {
    const std::int64_t taps = plan.kernel();
    for (std::int64_t block = 0; block < plan.blocks; ++block) {
        for (std::int64_t t = 0; t < taps; ++t) {
            for (std::int64_t k = 0; k < plan.block_channels; ++k) {
                const std::int64_t c = block * plan.block_channels + k;
                *packed++ = c < plan.shape.in_channels ? weight[c * taps + t] : half();
            }
        }
    }
}

ANEMONE_BODY void depthwise_places_convolution(const kernel_table& table, const depthwise_places_plan& plan,
                                               const half* weights, const float* bias, const half* x,
                                               const worker_threads& workers, const sums_sink& sink) {
    const numerics::convolution_shape& s = plan.shape;
    const detail::depthwise_places_scratch at(plan);
    const std::int64_t all = s.in_channels;
    const bool direct = plan.tiles_finish && sink.direct.out != nullptr;
    workers.share(s.batch * plan.row_parts * plan.blocks, 1, [&](std::int64_t begin, std::int64_t end, std::byte* own) {
        float* const scratch = reinterpret_cast<float*>(own);
        float* const filter = scratch + at.weights;
        float* const biases = scratch + at.bias;
        float* const sums = scratch + at.sums;
        auto* const rows = reinterpret_cast<const float**>(scratch + at.pointers);
        auto* const held = reinterpret_cast<std::int64_t*>(scratch + at.pointers + 2 * s.kernel_height);
        std::fill_n(scratch + at.zeros, at.row, 0.0F);
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t block = i % plan.blocks;
            const std::int64_t part = i / plan.blocks % plan.row_parts;
            const std::int64_t image = i / plan.blocks / plan.row_parts;
            const std::int64_t first = block * plan.block_channels;
            const std::int64_t channels = std::min(plan.block_channels, all - first);
            const std::int64_t size = plan.kernel() * plan.block_channels;
            table.planes.widen(weights + block * size, filter, size);
            for (std::int64_t c = 0; c < plan.block_channels; ++c) {
                biases[c] = bias != nullptr && c < channels ? bias[first + c] : -0.0F;
            }
            std::fill_n(held, s.kernel_height, std::int64_t{-1});
            const std::int64_t last_row = s.out_height * (part + 1) / plan.row_parts;
            for (std::int64_t y = s.out_height * part / plan.row_parts; y < last_row; ++y) {
                for (std::int64_t k = 0; k < s.kernel_height; ++k) {
                    const std::int64_t from = y * s.stride_height + k * s.dilation_height - s.pad_top;
                    if (from < 0 || from >= s.in_height) {
                        rows[k] = scratch + at.zeros;
                        continue;
                    }
                    // Neighbouring rows are in different places; others replace each other.
                    const std::int64_t place = s.dilation_height == 1 ? from % s.kernel_height : k;
                    rows[k] = scratch + place * at.row;
                    if (held[place] != from) {
                        held[place] = from;
                        detail::fill_places(table, plan, x + (image * s.in_height + from) * s.in_width * all + first,
                                            channels, scratch + place * at.row);
                    }
                }
                const std::int64_t result = (image * s.out_height + y) * s.out_width * all + first;
                table.depthwise.places({.rows = rows,
                                        .place_step = plan.block_channels,
                                        .columns = plan.columns.data(),
                                        .dense = plan.dense,
                                        .kernel_height = s.kernel_height,
                                        .kernel_width = s.kernel_width,
                                        .stride = s.out_width > 1 ? s.stride_width : 1,
                                        .weights = filter,
                                        .bias = biases,
                                        .channels = channels,
                                        .outputs = s.out_width,
                                        .sums = sums,
                                        .finish = direct ? sink.direct.from(result) : finishing{},
                                        .out_step = all});
                if (direct) {
                    continue;
                }
                if (plan.block_channels == all) {
                    sink(sums, result, s.out_width * all);
                } else {
                    for (std::int64_t p = 0; p < s.out_width; ++p) {
                        sink(sums + p * plan.block_channels, result + p * all, channels);
                    }
                }
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
