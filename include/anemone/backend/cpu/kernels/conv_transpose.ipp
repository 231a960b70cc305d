#pragma once

#include "conv_transpose.hpp"

#include <algorithm>
#include <utility>

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// One kernel index that meets a phase, and the input index it reads for the phase's first output.
struct phase_tap {
    std::int64_t kernel;
    std::int64_t base;
};

/// Kernel indices k with (first + pad - k * dilation) divisible by the stride, ascending.
ANEMONE_INLINE std::vector<phase_tap> taps_of_phase(std::int64_t first, std::int64_t kernel, std::int64_t stride,
                                                    std::int64_t dilation, std::int64_t pad) {
    std::vector<phase_tap> result;
    for (std::int64_t k = 0; k < kernel; ++k) {
        const std::int64_t distance = first + pad - k * dilation;
        if (distance % stride == 0) {
            result.push_back({k, distance / stride});
        }
    }
    return result;
}

/// The taps of each phase of an axis, and the bases of all of them, ascending.
struct phased_axis {
    std::vector<std::vector<phase_tap>> phases;
    sequence<std::int64_t> bases;

    /// Of a phase.
    std::int64_t most_taps() const {
        std::size_t most = 0;
        for (const auto& taps : phases) {
            most = std::max(most, taps.size());
        }
        return static_cast<std::int64_t>(most);
    }
    std::size_t index(std::int64_t base) const {
        return static_cast<std::size_t>(std::lower_bound(bases.begin(), bases.end(), base) - bases.begin());
    }
};

ANEMONE_INLINE phased_axis phased_axis_of(std::int64_t out, std::int64_t kernel, std::int64_t stride,
                                          std::int64_t dilation, std::int64_t pad) {
    phased_axis axis;
    for (std::int64_t first = 0; first < std::min(stride, out); ++first) {
        axis.phases.push_back(taps_of_phase(first, kernel, stride, dilation, pad));
        for (const phase_tap& tap : axis.phases.back()) {
            axis.bases.push_back(tap.base);
        }
    }
    if (axis.bases.empty()) {
        axis.bases.push_back(0); // no output is reached
    }
    std::sort(axis.bases.begin(), axis.bases.end());
    const std::int64_t* const last = std::unique(axis.bases.begin(), axis.bases.end());
    while (axis.bases.end() != last) {
        axis.bases.pop_back();
    }
    return axis;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes transposed_plan::scratch() const {
    scratch_sizes sizes = scratch_of(blocks);
    sizes.each +=
        (blocks.units_at_once * unit_channels * block_outputs() + overread) * static_cast<std::int64_t>(sizeof(float));
    return sizes;
}

ANEMONE_BODY transposed_plan plan_transposed(const kernel_table& table, const convolution_shape& s, int width) {
    detail::check(s, "transposed_convolution");
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const detail::phased_axis down =
        detail::phased_axis_of(s.out_height, s.kernel_height, s.stride_height, s.dilation_height, s.pad_top);
    const detail::phased_axis across =
        detail::phased_axis_of(s.out_width, s.kernel_width, s.stride_width, s.dilation_width, s.pad_left);
    const window_problem w{.images = s.batch * s.groups,
                           .channels = channels,
                           .rows = rows,
                           .taps = channels * down.most_taps() * across.most_taps(),
                           .in_height = s.in_height,
                           .in_width = s.in_width,
                           .out_height = (s.out_height + s.stride_height - 1) / s.stride_height,
                           .out_width = (s.out_width + s.stride_width - 1) / s.stride_width,
                           .stride_height = 1,
                           .stride_width = 1,
                           .row_bases = down.bases,
                           .column_bases = across.bases,
                           .phases = static_cast<std::int64_t>(down.phases.size() * across.phases.size())};
    transposed_plan plan{.shape = s, .blocks = plan_blocks(table, w, width), .phases = {}};
    const convolution_slab& slab = plan.blocks.slab;
    std::int64_t packed = 0;
    for (std::size_t y = 0; y < down.phases.size(); ++y) {
        for (std::size_t x = 0; x < across.phases.size(); ++x) {
            transposed_plan::phase phase{static_cast<std::int64_t>(y), static_cast<std::int64_t>(x), {}, packed};
            const auto& rows_of_phase = down.phases[y];
            const auto& columns_of_phase = across.phases[x];
            sequence<std::pair<std::int64_t, std::int64_t>> taps;
            in_tap_order(slab.channels_last(), channels, rows_of_phase.size(), columns_of_phase.size(),
                         [&](std::int64_t c, std::size_t row, std::size_t column) {
                             const detail::phase_tap& i = rows_of_phase[row];
                             const detail::phase_tap& j = columns_of_phase[column];
                             taps.push_back({slab.offset(c, down.index(i.base), across.index(j.base)),
                                             (c * rows * s.kernel_height + i.kernel) * s.kernel_width + j.kernel});
                         });
            phase.window = window_taps(taps, plan.blocks.converted_at_once(static_cast<std::int64_t>(taps.size())));
            packed += s.groups * plan.blocks.units() * phase.taps() * unit_channels;
            plan.phases.push_back(std::move(phase));
        }
    }
    return plan;
}

ANEMONE_BODY void pack_filter(const transposed_plan& plan, const half* weight, half* packed) {
    const convolution_shape& s = plan.shape;
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t plane = s.kernel_height * s.kernel_width;
    for (const transposed_plan::phase& phase : plan.phases) {
        const std::int64_t size = plan.blocks.units() * phase.taps() * unit_channels;
        for (std::int64_t g = 0; g < s.groups; ++g) {
            pack_units(packed + phase.weights + g * size, plan.blocks, phase.window,
                       [&](std::int64_t r, std::int64_t source) {
                           return weight[(g * channels * rows + r) * plane + source];
                       });
        }
    }
}

ANEMONE_BODY packed_transposed_convolution pack_transposed(const kernel_table& table, const convolution_shape& s,
                                                           const half* weight, const half* bias, int width) {
    packed_transposed_convolution packed{
        plan_transposed(table, s, width), {}, detail::to_floats(table, bias, s.out_channels)};
    packed.weights.resize(static_cast<std::size_t>(packed.plan.packed_size()));
    pack_filter(packed.plan, weight, packed.weights.data());
    return packed;
}

ANEMONE_BODY void transposed_convolution(const kernel_table& table, const transposed_plan& plan,
                                         const filter_view& filter, const half* x, const worker_threads& workers,
                                         const sums_sink& sink) {
    const convolution_shape& s = plan.shape;
    const block_plan& blocks = plan.blocks;
    const std::int64_t at_once = blocks.units_at_once * unit_channels;
    const std::int64_t pitch = blocks.sums_pitch();
    const std::int64_t outputs = plan.block_outputs();
    const bool single = plan.phases.size() == 1; // the blocks are then those of the result, which may be one long row
    const std::int64_t out_height = single ? blocks.out_height : s.out_height;
    const std::int64_t out_width = single ? blocks.out_width : s.out_width;
    const std::int64_t down = plan.outputs_down();
    const std::int64_t across = plan.outputs_across();
    const auto finish = [&](const output_block& b, std::int64_t first, std::int64_t last, const float* slab,
                            float* sums, float* temporary, const memory_pieces& next) {
        std::size_t calls = 0;
        for (const transposed_plan::phase& phase : plan.phases) {
            calls += phase.window.parts();
        }
        const std::int64_t paired = blocks.paired_units * unit_channels;
        coming_memory coming(next, (last - first + paired - 1) / paired * static_cast<std::int64_t>(calls));
        float* const woven = sums + at_once * pitch + overread;
        const std::int64_t group = b.image % s.groups;
        const std::int64_t top = b.y * down;
        const std::int64_t left = b.x * across;
        const std::int64_t height = std::min(out_height - top, b.height * down);
        const std::int64_t width = std::min(out_width - left, b.width * across);
        for (std::int64_t r = first; r < last; r += at_once) {
            const std::int64_t channels = std::min(at_once, last - r);
            for (const transposed_plan::phase& phase : plan.phases) {
                const std::int64_t own_height = (height - phase.row + down - 1) / down;
                const std::int64_t own_width = (width - phase.column + across - 1) / across;
                if (own_height <= 0 || own_width <= 0) {
                    continue;
                }
                const half* const weights = filter.weights + phase.weights +
                                            (group * blocks.units() + r / unit_channels) * phase.taps() * unit_channels;
                sums_of(table, blocks, {phase.window, weights, &coming}, channels, own_height, own_width, slab, sums,
                        temporary);
                for (std::int64_t k = 0; k < channels; ++k) {
                    for (std::int64_t i = 0; i < own_height; ++i) {
                        const float* const from = sums + k * pitch + i * own_width;
                        float* const to = woven + k * outputs + (phase.row + i * down) * width + phase.column;
                        for (std::int64_t j = 0; j < own_width; ++j) {
                            to[j * across] = from[j];
                        }
                    }
                }
            }
            for (std::int64_t k = 0; k < channels; ++k) {
                const std::int64_t o = group * blocks.rows + r + k;
                float* const values = woven + k * outputs;
                if (filter.bias != nullptr) {
                    table.binary(op::add, values, 1, filter.bias + o, 0, values, height * width);
                }
                // A block of several rows has whole rows: they are neighbours in the result.
                const std::int64_t plane = (b.image / s.groups * s.out_channels + o) * out_height;
                for (std::int64_t i = 0; i < height; i += width == out_width ? height : 1) {
                    sink(values + i * width, (plane + top + i) * out_width + left,
                         width == out_width ? height * width : width);
                }
            }
        }
    };
    const auto image = [&](const output_block& b) {
        return x + b.image * blocks.channels * blocks.in_height * blocks.in_width;
    };
    detail::over_blocks(table, blocks, 0, blocks.blocks(), workers, image, finish);
}

ANEMONE_BODY void transposed_convolution(const kernel_table& table, const packed_transposed_convolution& packed,
                                         const half* x, half* out) {
    detail::with_own_scratch(packed.plan.scratch(), [&](const worker_threads& workers) {
        const auto store = [&](const float* sums, std::int64_t first, std::int64_t count) {
            table.to_half(sums, out + first, count);
        };
        transposed_convolution(table, packed.plan, packed.filter(), x, workers, sums_sink::of(store));
    });
}

ANEMONE_BODY void transposed_convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                                         const half* weight, const half* bias, half* out) {
    transposed_convolution(table, pack_transposed(table, shape, weight, bias), x, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY
