#pragma once

#include "../../../base/formatted.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "conv.hpp"
#include "slab.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY void check(const convolution_shape& s, const char* subject) {
    const std::int64_t positive[] = {s.in_channels,   s.in_height,    s.in_width,        s.out_channels,
                                     s.out_height,    s.out_width,    s.kernel_height,   s.kernel_width,
                                     s.stride_height, s.stride_width, s.dilation_height, s.dilation_width,
                                     s.groups};
    for (const std::int64_t value : positive) {
        require(value > 0, subject,
                [&] { return formatted("an extent, stride, dilation or group count is {}, below 1", value); });
    }
    require(s.batch >= 0 && s.pad_top >= 0 && s.pad_left >= 0, subject, [&] {
        return formatted("batch {}, top padding {} or left padding {} is negative", s.batch, s.pad_top, s.pad_left);
    });
    require(s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0, subject, [&] {
        return formatted("{} groups do not divide {} and {} channels", s.groups, s.in_channels, s.out_channels);
    });
}

ANEMONE_INLINE void check(const convolution_shape& s, const convolution_form& form) {
    const bool nhwc_in = form.in == layout::nhwc;
    const bool nhwc_out = form.out == layout::nhwc;
    if (!nhwc_in && !nhwc_out) {
        return;
    }
    const bool depthwise = s.groups == s.in_channels && s.groups == s.out_channels && nhwc_in && nhwc_out;
    require(s.groups == 1 || depthwise, "convolution", [&] {
        return formatted(
            "{} groups of {} and {} channels have no NHWC form: one group has, or one channel a group on both "
            "sides",
            s.groups, s.in_channels, s.out_channels);
    });
    const std::int64_t fewest =
        std::min(nhwc_in ? s.in_channels : s.out_channels, nhwc_out ? s.out_channels : s.in_channels);
    require(fewest >= least_nhwc_channels, "convolution",
            [&] { return formatted("an NHWC image has {} channels, at least {}", fewest, least_nhwc_channels); });
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY scratch_sizes convolution_plan::scratch() const {
    if (nhwc_depthwise) {
        return rows.scratch();
    }
    if (depthwise) {
        return planes.scratch();
    }
    if (pointwise) {
        return places.scratch();
    }
    scratch_sizes sizes = scratch_of(blocks);
    if (transformed) { // any image may be one that the algorithm does not bear
        const std::int64_t magnitudes = 2 * shape.in_channels * static_cast<std::int64_t>(sizeof(float));
        sizes.shared = std::max(sizes.shared, magnitudes);
        sizes.each = std::max(sizes.each, tiles.scratch().each);
    }
    return sizes;
}

ANEMONE_BODY convolution_plan plan_convolution(const kernel_table& table, const convolution_shape& s, int width,
                                               const convolution_form& form) {
    detail::check(s, "convolution");
    detail::check(s, form);
    if (s.groups > 1 && form.in == layout::nhwc) {
        convolution_plan plan;
        plan.shape = s;
        plan.nhwc_depthwise = true;
        plan.rows = plan_depthwise_places(s, form.tiles_finish, width);
        return plan;
    }
    // With many outputs of each channel the tiles of channels are better.
    if (s.groups == s.in_channels && s.out_channels < 8 * s.groups) {
        convolution_plan plan;
        plan.shape = s;
        plan.depthwise = true;
        plan.planes = plan_depthwise(s);
        return plan;
    }
    if (is_pointwise(s, form)) {
        convolution_plan plan;
        plan.shape = s;
        plan.pointwise = true;
        plan.places = {s, form.in, form.out};
        return plan;
    }
    window_problem w{.images = s.batch * s.groups,
                     .channels = s.in_channels / s.groups,
                     .rows = s.out_channels / s.groups,
                     .taps = s.in_channels / s.groups * s.kernel_height * s.kernel_width,
                     .in_height = s.in_height,
                     .in_width = s.in_width,
                     .out_height = s.out_height,
                     .out_width = s.out_width,
                     .stride_height = s.stride_height,
                     .stride_width = s.stride_width,
                     .row_bases = {},
                     .column_bases = {},
                     .phases = 1,
                     .form = form};
    for (std::int64_t i = 0; i < s.kernel_height; ++i) {
        w.row_bases.push_back(i * s.dilation_height - s.pad_top);
    }
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        w.column_bases.push_back(j * s.dilation_width - s.pad_left);
    }
    convolution_plan plan;
    plan.shape = s;
    plan.blocks = plan_blocks(table, w, width);
    const bool planes = form.in == layout::nchw && form.out == layout::nchw; // which Winograd's tiles read and write
    if (const std::int64_t tile = planes ? winograd_tile(s, form.winograd) : 0; tile > 0) {
        plan.transformed = true;
        plan.tiles = plan_winograd(table, s, tile, width);
    }
    const convolution_slab& slab = plan.blocks.slab;
    std::vector<std::pair<std::int64_t, std::int64_t>> taps;
    in_tap_order(slab.channels_last(), w.channels, w.row_bases.size(), w.column_bases.size(),
                 [&](std::int64_t c, std::size_t i, std::size_t j) {
                     const std::int64_t row = c * s.kernel_height + static_cast<std::int64_t>(i);
                     taps.emplace_back(slab.offset(c, i, j), row * s.kernel_width + static_cast<std::int64_t>(j));
                 });
    plan.window = window_taps(taps, plan.blocks.converted_at_once(w.taps));
    return plan;
}

ANEMONE_BODY void pack_filter(const convolution_plan& plan, const half* weight, half* packed) {
    const convolution_shape& s = plan.shape;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t taps = plan.taps();
    if (plan.nhwc_depthwise) {
        return pack_depthwise_places(plan.rows, weight, packed);
    }
    if (plan.depthwise) {
        const std::int64_t pitch = plan.planes.filter_pitch();
        for (std::int64_t o = 0; o < s.out_channels; ++o) {
            std::fill(std::copy_n(weight + o * taps, taps, packed + o * pitch), packed + (o + 1) * pitch, half());
        }
        return;
    }
    if (plan.pointwise) {
        std::copy_n(weight, plan.packed_size(), packed);
        return;
    }
    for (std::int64_t g = 0; g < s.groups; ++g) {
        pack_units(packed + g * plan.blocks.units() * taps * unit_channels, plan.blocks, plan.window,
                   [&](std::int64_t r, std::int64_t t) { return weight[(g * rows + r) * taps + t]; });
    }
}

ANEMONE_BODY packed_convolution pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                                     const half* bias, int width, const convolution_form& form) {
    packed_convolution packed{
        plan_convolution(table, s, width, form), {}, {}, {}, detail::to_floats(table, bias, s.out_channels)};
    if (packed.plan.pointwise && form.out == layout::nhwc) {
        packed.panels = pack_pointwise(table, packed.plan.places, weight);
        return packed;
    }
    if (packed.plan.transformed) {
        packed.transformed = winograd_filter(packed.plan.tiles.packed_size());
        pack_winograd(table, packed.plan.tiles, weight, packed.transformed.data());
    }
    packed.weights.resize(static_cast<std::size_t>(packed.plan.packed_size()));
    pack_filter(packed.plan, weight, packed.weights.data());
    return packed;
}

ANEMONE_BODY void convolution(const kernel_table& table, const convolution_plan& plan, const filter_view& filter,
                              const half* x, const workers& crew, const sums_sink& sink) {
    if (plan.nhwc_depthwise) {
        return depthwise_places_convolution(table, plan.rows, filter.weights, filter.bias, x, crew, sink);
    }
    if (plan.depthwise) {
        return depthwise_convolution(table, plan.planes, filter.weights, filter.bias, x, crew, sink);
    }
    if (plan.pointwise) {
        return pointwise_convolution(table, plan.places, filter.weights, filter.panels, filter.bias, x, crew, sink);
    }
    const convolution_shape& s = plan.shape;
    const block_plan& blocks = plan.blocks;
    const std::int64_t taps = plan.taps();
    const std::int64_t at_once = blocks.units_at_once * unit_channels;
    const std::int64_t pitch = blocks.sums_pitch();
    const std::int64_t plane = s.out_height * s.out_width;
    // Channels first <= r < last of a block, by units at once.
    const auto image = [&](const output_block& b) {
        return x + b.image * blocks.channels * blocks.in_height * blocks.in_width;
    };
    const auto finish = [&](const output_block& b, std::int64_t first, std::int64_t last, const float* slab,
                            float* sums, float* temporary, const memory_pieces& next) {
        const auto parts = static_cast<std::int64_t>(plan.window.parts());
        const std::int64_t paired = blocks.paired_units * unit_channels;
        coming_memory coming(next, (last - first + paired - 1) / paired * parts);
        const std::int64_t group = b.image % s.groups;
        const bool nhwc = blocks.out == layout::nhwc;
        // From a channel of the result, and from a position of it, to the next; where the group's first channel is.
        const std::int64_t channel_step = nhwc ? 1 : plane;
        const std::int64_t place_step = nhwc ? s.out_channels : 1;
        const std::int64_t place = (b.image / s.groups * s.out_channels + group * blocks.rows) * plane +
                                   (b.y * blocks.out_width + b.x) * place_step;
        for (std::int64_t r = first; r < last; r += at_once) {
            const std::int64_t channels = std::min(at_once, last - r);
            const half* const weights =
                filter.weights + (group * blocks.units() + r / unit_channels) * taps * unit_channels;
            channel_finishing direct;
            if (sink.direct.out != nullptr && blocks.channel_lanes) {
                direct = {sink.direct.from(place + r * channel_step),
                          filter.bias == nullptr ? nullptr : filter.bias + group * blocks.rows + r, channel_step,
                          place_step};
            }
            sums_of(table, blocks, {plan.window, weights, &coming}, channels, b.height, b.width, slab,
                    nhwc ? sums + r - first : sums, temporary, direct);
            if (direct.finish.out != nullptr || nhwc) {
                continue;
            }
            for (std::int64_t k = 0; k < channels; ++k) {
                const std::int64_t o = group * blocks.rows + r + k;
                float* const values = sums + k * pitch;
                if (filter.bias != nullptr) {
                    table.binary(op::add, values, 1, filter.bias + o, 0, values, b.height * b.width);
                }
                // A block of several rows has whole rows: they are neighbours in the result.
                sink(values, place + (r + k) * plane, b.height * b.width);
            }
        }
        for (std::int64_t p = 0; nhwc && sink.direct.out == nullptr && p < b.height * b.width; ++p) {
            float* const values = sums + p * pitch;
            if (filter.bias != nullptr) {
                table.binary(op::add, values, 1, filter.bias + first, 1, values, last - first);
            }
            sink(values, place + p * place_step + first, last - first);
        }
    };
    const std::int64_t in_image = s.groups * blocks.down * blocks.across;
    if (!plan.transformed) {
        return detail::over_blocks(table, blocks, 0, s.batch * in_image, crew, image, finish);
    }
    const std::int64_t size = s.in_channels * s.in_height * s.in_width;
    // Neighbouring images that the algorithm bears share reads of the filter.
    const auto bears = [&](std::int64_t n) {
        return winograd_bears(table, x + n * size, s.in_channels, s.in_height * s.in_width, crew,
                              reinterpret_cast<float*>(crew.shared));
    };
    for (std::int64_t n = 0; n < s.batch;) {
        const std::int64_t first = n;
        while (n < s.batch && bears(n)) {
            ++n;
        }
        if (n > first) {
            winograd_convolution(table, plan.tiles, filter.transformed, filter.bias, x, first, n - first, crew, sink);
        }
        if (n < s.batch) {
            detail::over_blocks(table, blocks, n * in_image, (n + 1) * in_image, crew, image, finish);
            ++n;
        }
    }
}

ANEMONE_BODY void convolution(const kernel_table& table, const packed_convolution& packed, const half* x, half* out) {
    detail::with_own_scratch(packed.plan.scratch(), [&](const workers& crew) {
        const auto store = [&](const float* sums, std::int64_t first, std::int64_t count) {
            table.to_half(sums, out + first, count);
        };
        convolution(table, packed.plan, packed.filter(), x, crew, sums_sink::of(store, finishing{.out = out}));
    });
}

ANEMONE_BODY void convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                              const half* weight, const half* bias, half* out) {
    convolution(table, pack(table, shape, weight, bias), x, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY
