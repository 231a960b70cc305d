#pragma once

#include "conv.hpp"
#include "conv_transpose.hpp"

namespace ane::cpu::detail::inline ANEMONE_WAY {

/// Kernel indices k with (first + pad - k * dilation) divisible by the stride.
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

ANEMONE_INLINE base_range range_of_bases(std::int64_t kernel, std::int64_t stride, std::int64_t dilation,
                                         std::int64_t pad) {
    base_range range;
    for (std::int64_t first = 0; first < stride; ++first) {
        for (const phase_tap& tap : taps_of_phase(first, kernel, stride, dilation, pad)) {
            range.least = std::min(range.least, tap.base);
            range.greatest = std::max(range.greatest, tap.base);
        }
    }
    return range;
}

} // namespace ane::cpu::detail::inline ANEMONE_WAY

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY packed_transposed_convolution pack_transposed(const kernel_table& table, const convolution_shape& s,
                                                           const half* weight, const half* bias) {
    detail::check(s, "transposed_convolution");
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const auto vertical = detail::range_of_bases(s.kernel_height, s.stride_height, s.dilation_height, s.pad_top);
    const auto horizontal = detail::range_of_bases(s.kernel_width, s.stride_width, s.dilation_width, s.pad_left);
    packed_transposed_convolution packed;
    packed.shape = s;
    packed.top = -vertical.least;
    packed.left = -horizontal.least;
    packed.slab = {channels, 1, 1,
                   (s.out_height + s.stride_height - 1) / s.stride_height + vertical.greatest - vertical.least,
                   (s.out_width + s.stride_width - 1) / s.stride_width + horizontal.greatest - horizontal.least};
    packed.bias = detail::to_floats(table, bias, s.out_channels);
    for (std::int64_t y = 0; y < std::min(s.stride_height, s.out_height); ++y) {
        const auto down = detail::taps_of_phase(y, s.kernel_height, s.stride_height, s.dilation_height, s.pad_top);
        for (std::int64_t x = 0; x < std::min(s.stride_width, s.out_width); ++x) {
            const auto across = detail::taps_of_phase(x, s.kernel_width, s.stride_width, s.dilation_width, s.pad_left);
            packed_transposed_convolution::phase phase{y, x, 0, {}, {}};
            std::vector<std::int64_t> sources; // of each tap in the filter of output channel 0 and group 0
            for (std::int64_t c = 0; c < channels; ++c) {
                for (const detail::phase_tap& i : down) {
                    for (const detail::phase_tap& j : across) {
                        phase.offsets.push_back(packed.slab.offset(c, i.base + packed.top, j.base + packed.left));
                        sources.push_back((c * rows * s.kernel_height + i.kernel) * s.kernel_width + j.kernel);
                    }
                }
            }
            phase.taps = static_cast<std::int64_t>(sources.size());
            const std::int64_t plane = s.kernel_height * s.kernel_width;
            for (std::int64_t g = 0; g < s.groups; ++g) {
                detail::append_blocks(phase.weights, rows, phase.taps, [&](std::int64_t r, std::int64_t t) {
                    return static_cast<float>(
                        weight[(g * channels * rows + r) * plane + sources[static_cast<std::size_t>(t)]]);
                });
            }
            packed.phases.push_back(std::move(phase));
        }
    }
    return packed;
}

ANEMONE_BODY void transposed_convolution(const kernel_table& table, const packed_transposed_convolution& packed,
                                         const half* x, half* out) {
    const convolution_shape& s = packed.shape;
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t rows = s.out_channels / s.groups;
    const std::int64_t pitch = packed.slab.columns;
    std::vector<float> slab;
    std::vector<half> line;
    for (std::int64_t n = 0; n < s.batch; ++n) {
        for (std::int64_t g = 0; g < s.groups; ++g) {
            fill_slab(table, packed.slab, x + (n * s.in_channels + g * channels) * s.in_height * s.in_width,
                      s.in_height, s.in_width, packed.top, packed.left, 0.0F, slab);
            for (const packed_transposed_convolution::phase& phase : packed.phases) {
                const std::int64_t height = (s.out_height - phase.row + s.stride_height - 1) / s.stride_height;
                const std::int64_t width = (s.out_width - phase.column + s.stride_width - 1) / s.stride_width;
                const auto store = [&](std::int64_t r, std::int64_t p, std::int64_t count, float* values) {
                    const std::int64_t o = g * rows + r;
                    detail::add_bias(table, packed.bias, o, values, count);
                    line.resize(static_cast<std::size_t>(count));
                    table.to_half(values, line.data(), count);
                    half* const plane = out + (n * s.out_channels + o) * s.out_height * s.out_width;
                    for (std::int64_t i = 0; i < count; ++i) {
                        const std::int64_t row = (p + i) / pitch;
                        const std::int64_t column = (p + i) % pitch;
                        if (column < width) {
                            plane[(phase.row + row * s.stride_height) * s.out_width + phase.column +
                                  column * s.stride_width] = line[static_cast<std::size_t>(i)];
                        }
                    }
                };
                detail::contract(table, rows, phase.taps, phase.weights.data() + g * rows * phase.taps, slab.data(),
                                 phase.offsets.data(), (height - 1) * pitch + width, store);
            }
        }
    }
}

ANEMONE_BODY void transposed_convolution(const kernel_table& table, const convolution_shape& shape, const half* x,
                                         const half* weight, const half* bias, half* out) {
    transposed_convolution(table, pack_transposed(table, shape, weight, bias), x, out);
}

} // namespace ane::cpu::inline ANEMONE_WAY
