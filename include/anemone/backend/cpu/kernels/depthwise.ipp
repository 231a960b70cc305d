#pragma once

#include "depthwise.hpp"

#include <algorithm>

namespace ane::cpu::detail::inline ANEMONE_WAY {

inline constexpr std::int64_t depthwise_bytes = std::int64_t{28} << 10; ///< of a slab and its sums

ANEMONE_INLINE std::int64_t whole_lines(std::int64_t count) { return (count + overread + 15) / 16 * 16; }

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes depthwise_plan::scratch() const {
    const std::int64_t count = detail::whole_lines(slab.plane() + shift) + detail::whole_lines(slab.across.size) +
                               detail::whole_lines(block_height * shape.out_width) +
                               detail::whole_lines(filter_pitch());
    return {0, count * static_cast<std::int64_t>(sizeof(float))};
}

ANEMONE_BODY depthwise_plan plan_depthwise(const numerics::convolution_shape& s) {
    depthwise_plan plan;
    plan.shape = s;
    sequence<std::int64_t> rows;
    sequence<std::int64_t> columns;
    for (std::int64_t i = 0; i < s.kernel_height; ++i) {
        rows.push_back(i * s.dilation_height - s.pad_top);
    }
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        columns.push_back(j * s.dilation_width - s.pad_left);
    }
    plan.slab.across = slab_axis_of(columns, s.out_width, s.stride_width, true);
    // Rows begin at cache lines, and so does what the image's first column is copied to.
    const std::int64_t phases = plan.slab.across.phases;
    plan.slab.across.size = (plan.slab.across.size + 16 * phases - 1) / (16 * phases) * 16 * phases;
    plan.shift = (16 - s.pad_left / phases % 16) % 16;
    const auto bytes = [&](std::int64_t height) {
        plan.slab.down = slab_axis_of(rows, height, s.stride_height, false);
        return (plan.slab.plane() + height * s.out_width) * static_cast<std::int64_t>(sizeof(float));
    };
    std::int64_t height = 1;
    while (height < s.out_height && bytes(std::min(height + 7, s.out_height)) <= detail::depthwise_bytes) {
        height = std::min(height + 7, s.out_height);
    }
    plan.blocks = (s.out_height + height - 1) / height;
    plan.block_height = std::min(s.out_height, ((s.out_height + plan.blocks - 1) / plan.blocks + 6) / 7 * 7);
    plan.blocks = (s.out_height + plan.block_height - 1) / plan.block_height;
    bytes(plan.block_height);
    plan.dense = s.dilation_height == 1 || s.kernel_height == 1;
    for (std::int64_t i = 0; i < s.kernel_height; ++i) {
        const std::int64_t place = plan.slab.down.places[static_cast<std::size_t>(i)];
        plan.dense = plan.dense && place == i;
        plan.row_offsets.push_back(place * plan.slab.pitch());
    }
    for (const std::int64_t place : plan.slab.across.places) {
        plan.column_offsets.push_back(plan.slab.column_start(place));
    }
    return plan;
}

ANEMONE_BODY void depthwise_convolution(const kernel_table& table, const depthwise_plan& plan, const half* weights,
                                        const float* bias, const half* x, const worker_threads& workers,
                                        const sums_sink& sink) {
    const numerics::convolution_shape& s = plan.shape;
    const std::int64_t multiplier = s.out_channels / s.in_channels;
    const std::int64_t plane = s.in_height * s.in_width;
    const std::int64_t planes = s.batch * s.in_channels;
    // What is added might lie where a vector's surplus goes before the next row replaces it.
    const bool direct = sink.direct.out != nullptr && sink.direct.added == nullptr;
    workers.share(planes * plan.blocks, 1, [&](std::int64_t first, std::int64_t last, std::byte* scratch) {
        float* const slab = reinterpret_cast<float*>(scratch) + plan.shift;
        float* const line = reinterpret_cast<float*>(scratch) + detail::whole_lines(plan.slab.plane() + plan.shift);
        float* const filter = line + detail::whole_lines(plan.slab.across.size);
        float* const sums = filter + detail::whole_lines(plan.filter_pitch());
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t channel = i / plan.blocks; // of all images
            const std::int64_t y = i % plan.blocks * plan.block_height;
            const std::int64_t height = std::min(plan.block_height, s.out_height - y);
            fill_planes(table, plan.slab,
                        {.x = x + channel * plane,
                         .order = layout::nchw,
                         .channels = 1,
                         .height = s.in_height,
                         .width = s.in_width,
                         .top = y * s.stride_height,
                         .left = 0,
                         .readable = (planes - channel) * plane},
                        slab, line, true);
            for (std::int64_t m = 0; m < multiplier; ++m) {
                const std::int64_t o = channel % s.in_channels * multiplier + m;
                const std::int64_t place =
                    ((channel / s.in_channels * s.out_channels + o) * s.out_height + y) * s.out_width;
                table.planes.widen(weights + o * plan.filter_pitch(), filter, plan.filter_pitch());
                table.depthwise.planes({.x = slab,
                                        .pitch = plan.slab.pitch(),
                                        .weights = filter,
                                        .kernel_height = s.kernel_height,
                                        .kernel_width = s.kernel_width,
                                        .row_offsets = plan.row_offsets.data(),
                                        .column_offsets = plan.column_offsets.data(),
                                        .row_stride = s.out_height > 1 && height > 1 ? s.stride_height : 1,
                                        .dense = plan.dense,
                                        .rows = height,
                                        .columns = s.out_width,
                                        .bias = bias == nullptr ? 0.0F : bias[o],
                                        .sums = sums,
                                        .finish = direct ? sink.direct.from(place) : finishing{},
                                        .next = x + (i + 1) * plane / plan.blocks,
                                        .next_bytes = i + 1 < last ? 2 * plane / plan.blocks : 0});
                if (!direct) {
                    sink(sums, place, height * s.out_width);
                }
            }
        }
    });
}

} // namespace ane::cpu::inline ANEMONE_WAY
