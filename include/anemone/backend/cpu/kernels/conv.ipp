#pragma once

#include "../../../base/formatted.hpp"
#include "../../../numerics/kernel_shapes.hpp"
#include "conv.hpp"
#include "slab.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::cpu::detail::inline ANEMONE_WAY {

ANEMONE_BODY void check(const convolution_shape& s, const char* subject) {
    const std::int64_t positive[] = {s.in_channels,   s.in_height,    s.in_width,        s.out_channels,
                                     s.out_height,    s.out_width,    s.kernel_height,   s.kernel_width,
                                     s.stride_height, s.stride_width, s.dilation_height, s.dilation_width,
                                     s.groups};
    for (const std::int64_t value : positive) {
        require(value > 0, subject, formatted("an extent, stride, dilation or group count is {}, below 1", value));
    }
    require(s.batch >= 0 && s.pad_top >= 0 && s.pad_left >= 0, subject,
            formatted("batch {}, top padding {} or left padding {} is negative", s.batch, s.pad_top, s.pad_left));
    require(s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0, subject,
            formatted("{} groups do not divide {} and {} channels", s.groups, s.in_channels, s.out_channels));
}

ANEMONE_BODY void add_bias(const kernel_table& table, const std::vector<float>& bias, std::int64_t o, float* values,
                           std::int64_t count) {
    if (!bias.empty()) {
        table.binary(op::add, values, 1, bias.data() + o, 0, values, count);
    }
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_convolution pack(const kernel_table& table, const convolution_shape& s, const half* weight,
                                     const half* bias) {
    detail::check(s, "convolution");
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t taps = channels * s.kernel_height * s.kernel_width;
    packed_convolution packed{s, {}, {}, {}, detail::to_floats(table, bias, s.out_channels)};
    packed.slab = slab_for(channels, s.out_height, s.out_width, s.stride_height, s.stride_width,
                           (s.kernel_height - 1) * s.dilation_height, (s.kernel_width - 1) * s.dilation_width);
    for (std::int64_t c = 0; c < channels; ++c) {
        for (std::int64_t i = 0; i < s.kernel_height; ++i) {
            for (std::int64_t j = 0; j < s.kernel_width; ++j) {
                packed.offsets.push_back(packed.slab.offset(c, i * s.dilation_height, j * s.dilation_width));
            }
        }
    }
    packed.weights.reserve(static_cast<std::size_t>(s.out_channels * taps));
    for (std::int64_t g = 0; g < s.groups; ++g) {
        detail::append_blocks(packed.weights, rows, taps, [&](std::int64_t r, std::int64_t t) {
            return static_cast<float>(weight[(g * rows + r) * taps + t]);
        });
    }
    return packed;
}

ANEMONE_BODY void convolution(const kernel_table& table, const packed_convolution& packed, const half* x, half* out) {
    const convolution_shape& s = packed.shape;
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t taps = channels * s.kernel_height * s.kernel_width;
    const std::int64_t pitch = packed.slab.columns;
    const std::int64_t positions = (s.out_height - 1) * pitch + s.out_width;
    std::vector<float> slab;
    for (std::int64_t n = 0; n < s.batch; ++n) {
        for (std::int64_t g = 0; g < s.groups; ++g) {
            fill_slab(table, packed.slab, x + (n * s.in_channels + g * channels) * s.in_height * s.in_width,
                      s.in_height, s.in_width, s.pad_top, s.pad_left, 0.0F, slab);
            const auto store = [&](std::int64_t r, std::int64_t p, std::int64_t count, float* values) {
                const std::int64_t o = g * rows + r;
                detail::add_bias(table, packed.bias, o, values, count);
                half* const plane = out + (n * s.out_channels + o) * s.out_height * s.out_width;
                if (pitch == s.out_width) {
                    return table.to_half(values, plane + p, count);
                }
                for (std::int64_t y = p / pitch; y * pitch < p + count; ++y) {
                    const std::int64_t begin = std::max(p, y * pitch);
                    const std::int64_t end = std::min(p + count, y * pitch + s.out_width);
                    if (begin < end) {
                        table.to_half(values + (begin - p), plane + y * s.out_width + (begin - y * pitch), end - begin);
                    }
                }
            };
            detail::contract(table, rows, taps, packed.weights.data() + g * rows * taps, slab.data(),
                             packed.offsets.data(), positions, store);
        }
    }
}

ANEMONE_BODY void convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                              const half* weight, const half* bias, half* out) {
    convolution(table, pack(table, shape, weight, bias), x, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY
