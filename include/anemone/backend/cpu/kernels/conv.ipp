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

ANEMONE_BODY void check(const convolution_shape& s, const convolution_form& form) {
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

ANEMONE_BODY void no_algorithm() { throw error(errc::lowering, "convolution", "was not compiled into this program"); }

/// The window of the blocks.
ANEMONE_INLINE window_problem window_problem_of(const convolution_shape& s, const convolution_form& form) {
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
    return w;
}

/// The taps of the blocks in their order.
ANEMONE_INLINE window_taps taps_of(const convolution_shape& s, const block_plan& blocks, const window_problem& w) {
    const convolution_slab& slab = blocks.slab;
    sequence<std::pair<std::int64_t, std::int64_t>> taps;
    in_tap_order(slab.channels_last(), w.channels, w.row_bases.size(), w.column_bases.size(),
                 [&](std::int64_t c, std::size_t i, std::size_t j) {
                     const std::int64_t row = c * s.kernel_height + static_cast<std::int64_t>(i);
                     taps.push_back({slab.offset(c, i, j), row * s.kernel_width + static_cast<std::int64_t>(j)});
                 });
    return window_taps(taps, blocks.converted_at_once(w.taps));
}

/// A convolution over the blocks of images first <= n < last.
ANEMONE_INLINE void convolve_blocks(const kernel_table& table, const convolution_shape& s, const block_plan& blocks,
                                    const window_taps& window, const filter_view& filter, const half* x,
                                    std::int64_t first_image, std::int64_t last_image, const worker_threads& workers,
                                    const sums_sink& sink) {
    const std::int64_t taps = s.in_channels / s.groups * s.kernel_height * s.kernel_width;
    const std::int64_t at_once = blocks.units_at_once * unit_channels;
    const std::int64_t pitch = blocks.sums_pitch();
    const std::int64_t plane = s.out_height * s.out_width;
    // Channels first <= r < last of a block, by units at once.
    const auto image = [&](const output_block& b) {
        return x + b.image * blocks.channels * blocks.in_height * blocks.in_width;
    };
    const auto finish = [&](const output_block& b, std::int64_t first, std::int64_t last, const float* slab,
                            float* sums, float* temporary, const memory_pieces& next) {
        const auto parts = static_cast<std::int64_t>(window.parts());
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
            sums_of(table, blocks, {window, weights, &coming}, channels, b.height, b.width, slab,
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
    over_blocks(table, blocks, first_image * in_image, last_image * in_image, workers, image, finish);
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

template <algorithm_set Ways> std::int64_t convolution_plan<Ways>::packed_size() const {
    if constexpr (Ways.contains(algorithm::places)) {
        if (way == algorithm::places) {
            return places.value.packed_size();
        }
    }
    if constexpr (Ways.contains(algorithm::planes)) {
        if (way == algorithm::planes) {
            return shape.out_channels * planes.value.filter_pitch();
        }
    }
    if constexpr (Ways.contains(algorithm::windows)) {
        if (way == algorithm::windows) {
            return shape.groups * blocks.value.units() * taps() * unit_channels;
        }
    }
    return shape.out_channels * taps();
}

template <algorithm_set Ways> scratch_sizes convolution_plan<Ways>::scratch() const {
    if constexpr (Ways.contains(algorithm::places)) {
        if (way == algorithm::places) {
            return places.value.scratch();
        }
    }
    if constexpr (Ways.contains(algorithm::planes)) {
        if (way == algorithm::planes) {
            return planes.value.scratch();
        }
    }
    if constexpr (Ways.contains(algorithm::pointwise)) {
        if (way == algorithm::pointwise) {
            return product.value.scratch();
        }
    }
    scratch_sizes sizes;
    if constexpr (Ways.contains(algorithm::windows)) {
        sizes = scratch_of(blocks.value);
    }
    if constexpr (Ways.contains(algorithm::winograd)) {
        if (transformed) { // any image may be one that the algorithm does not bear
            const std::int64_t magnitudes = 2 * shape.in_channels * static_cast<std::int64_t>(sizeof(float));
            sizes.shared = std::max(sizes.shared, magnitudes);
            sizes.each = std::max(sizes.each, tiles.value.scratch().each);
        }
    }
    return sizes;
}

template <algorithm_set Ways>
convolution_plan<Ways> plan_convolution(const kernel_table& table, const convolution_shape& s, int width,
                                        const convolution_form& form) {
    detail::check(s, "convolution");
    detail::check(s, form);
    convolution_plan<Ways> plan;
    plan.shape = s;
    if (s.groups > 1 && form.in == layout::nhwc) {
        if constexpr (Ways.contains(algorithm::places)) {
            plan.way = algorithm::places;
            plan.places.value = plan_depthwise_places(s, form.tiles_finish, width);
            return plan;
        }
    } else if (convolves_planes(s)) {
        if constexpr (Ways.contains(algorithm::planes)) {
            plan.way = algorithm::planes;
            plan.planes.value = plan_depthwise(s);
            return plan;
        }
    } else if (is_pointwise(s, form)) {
        if constexpr (Ways.contains(algorithm::pointwise)) {
            plan.way = algorithm::pointwise;
            plan.product.value = {s, form.in, form.out};
            return plan;
        }
    } else if constexpr (Ways.contains(algorithm::windows)) {
        const window_problem w = detail::window_problem_of(s, form);
        plan.blocks.value = plan_blocks(table, w, width);
        if constexpr (Ways.contains(algorithm::winograd)) {
            const bool planar = form.in == layout::nchw && form.out == layout::nchw; // as Winograd's tiles have it
            if (const std::int64_t tile = planar ? winograd_tile(s, form.winograd) : 0; tile > 0) {
                plan.transformed = true;
                plan.tiles.value = plan_winograd(table, s, tile, width);
            }
        }
        plan.window.value = detail::taps_of(s, plan.blocks.value, w);
        return plan;
    }
    detail::no_algorithm();
}

template <algorithm_set Ways> void pack_filter(const convolution_plan<Ways>& plan, const half* weight, half* packed) {
    const convolution_shape& s = plan.shape;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t taps = plan.taps();
    if constexpr (Ways.contains(algorithm::places)) {
        if (plan.way == algorithm::places) {
            return pack_depthwise_places(plan.places.value, weight, packed);
        }
    }
    if constexpr (Ways.contains(algorithm::planes)) {
        if (plan.way == algorithm::planes) {
            const std::int64_t pitch = plan.planes.value.filter_pitch();
            for (std::int64_t o = 0; o < s.out_channels; ++o) {
                std::fill(std::copy_n(weight + o * taps, taps, packed + o * pitch), packed + (o + 1) * pitch, half());
            }
            return;
        }
    }
    if constexpr (Ways.contains(algorithm::windows)) {
        if (plan.way == algorithm::windows) {
            for (std::int64_t g = 0; g < s.groups; ++g) {
                pack_units(packed + g * plan.blocks.value.units() * taps * unit_channels, plan.blocks.value,
                           plan.window.value,
                           [&](std::int64_t r, std::int64_t t) { return weight[(g * rows + r) * taps + t]; });
            }
            return;
        }
    }
    std::copy_n(weight, plan.packed_size(), packed);
}

template <algorithm_set Ways>
packed_convolution<Ways> pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                              const half* bias, int width, const convolution_form& form) {
    packed_convolution<Ways> packed{
        .plan = plan_convolution<Ways>(table, s, width, form),
        .weights = {},
        .bias = detail::to_floats(table, bias, s.out_channels),
    };
    if constexpr (Ways.contains(algorithm::pointwise)) {
        if (packed.plan.way == algorithm::pointwise && form.out == layout::nhwc) {
            packed.panels.value = pack_pointwise(table, packed.plan.product.value, weight);
            return packed;
        }
    }
    if constexpr (Ways.contains(algorithm::winograd)) {
        if (packed.plan.transformed) {
            packed.transformed.value = winograd_filter(packed.plan.tiles.value.packed_size());
            pack_winograd(table, packed.plan.tiles.value, weight, packed.transformed.value.data());
        }
    }
    packed.weights.resize(static_cast<std::size_t>(packed.plan.packed_size()));
    pack_filter(packed.plan, weight, packed.weights.data());
    return packed;
}

template <algorithm_set Ways>
void convolution(const kernel_table& table, const convolution_plan<Ways>& plan, const filter_view& filter,
                 const half* x, const worker_threads& workers, const sums_sink& sink) {
    if constexpr (Ways.contains(algorithm::places)) {
        if (plan.way == algorithm::places) {
            return depthwise_places_convolution(table, plan.places.value, filter.weights, filter.bias, x, workers,
                                                sink);
        }
    }
    if constexpr (Ways.contains(algorithm::planes)) {
        if (plan.way == algorithm::planes) {
            return depthwise_convolution(table, plan.planes.value, filter.weights, filter.bias, x, workers, sink);
        }
    }
    if constexpr (Ways.contains(algorithm::pointwise)) {
        if (plan.way == algorithm::pointwise) {
            return pointwise_convolution(table, plan.product.value, filter.weights, filter.panels, filter.bias, x,
                                         workers, sink);
        }
    }
    if constexpr (Ways.contains(algorithm::windows)) {
        const convolution_shape& s = plan.shape;
        const auto by_blocks = [&](std::int64_t first, std::int64_t last) {
            detail::convolve_blocks(table, s, plan.blocks.value, plan.window.value, filter, x, first, last, workers,
                                    sink);
        };
        if constexpr (Ways.contains(algorithm::winograd)) {
            if (plan.transformed) {
                const std::int64_t size = s.in_channels * s.in_height * s.in_width;
                // Neighbouring images that the algorithm bears share reads of the filter.
                const auto bears = [&](std::int64_t n) {
                    return winograd_bears(table, x + n * size, s.in_channels, s.in_height * s.in_width, workers,
                                          reinterpret_cast<float*>(workers.shared));
                };
                for (std::int64_t n = 0; n < s.batch;) {
                    const std::int64_t first = n;
                    while (n < s.batch && bears(n)) {
                        ++n;
                    }
                    if (n > first) {
                        winograd_convolution(table, plan.tiles.value, filter.transformed, filter.bias, x, first,
                                             n - first, workers, sink);
                    }
                    if (n < s.batch) {
                        by_blocks(n, n + 1);
                        ++n;
                    }
                }
                return;
            }
        }
        by_blocks(0, s.batch);
    }
}

ANEMONE_BODY void convolution(const kernel_table& table, const packed_convolution<>& packed, const half* x, half* out) {
    detail::with_own_scratch(packed.plan.scratch(), [&](const worker_threads& workers) {
        const auto store = [&](const float* sums, std::int64_t first, std::int64_t count) {
            table.to_half(sums, out + first, count);
        };
        convolution(table, packed.plan, packed.filter(), x, workers, sums_sink::of(store, finishing{.out = out}));
    });
}

ANEMONE_BODY void convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                              const half* weight, const half* bias, half* out) {
    convolution(table, pack(table, shape, weight, bias), x, out);
}

#if defined(ANEMONE_COMPILED)
template struct convolution_plan<every_algorithm>;
template convolution_plan<every_algorithm> plan_convolution<every_algorithm>(const kernel_table&,
                                                                             const convolution_shape&, int,
                                                                             const convolution_form&);
template void pack_filter<every_algorithm>(const convolution_plan<every_algorithm>&, const half*, half*);
template packed_convolution<every_algorithm> pack<every_algorithm>(const kernel_table&, const convolution_shape&,
                                                                   const half*, const half*, int,
                                                                   const convolution_form&);
template void convolution<every_algorithm>(const kernel_table&, const convolution_plan<every_algorithm>&,
                                           const filter_view&, const half*, const worker_threads&, const sums_sink&);
#endif

} // namespace ane::cpu::inline ANEMONE_WAY
