#pragma once

#include "quantization.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY void integer_matmul(const datapath& path, const matmul_shape& s, const std::int8_t* x,
                                 const std::int8_t* w, const integer_scale* scales, half* out) {
    std::vector<std::int8_t> row(static_cast<std::size_t>(s.k));
    for (std::int64_t i = 0; i < s.m; ++i) {
        for (std::int64_t k = 0; k < s.k; ++k) {
            row[static_cast<std::size_t>(k)] = s.transpose_a ? x[k * s.m + i] : x[i * s.k + k];
        }
        for (std::int64_t j = 0; j < s.n; ++j) {
            out[i * s.n + j] = integer_dot(path, row.data(), w + j * s.k, s.k, scales[j]);
        }
    }
}

ANEMONE_BODY void integer_convolution(const datapath& path, const convolution_shape& s, const std::int8_t* x,
                                      const std::int8_t* weight, const integer_scale* scales, half* out) {
    const std::int64_t channels = s.in_channels / s.groups;
    const std::int64_t outputs = s.out_channels / s.groups;
    const std::int64_t taps = channels * s.kernel_height * s.kernel_width;
    std::vector<std::int8_t> window(static_cast<std::size_t>(taps));
    const auto gather = [&](std::int64_t first_channel, std::int64_t top, std::int64_t left) {
        std::size_t to = 0;
        for (std::int64_t c = first_channel; c < first_channel + channels; ++c) {
            for (std::int64_t ky = 0; ky < s.kernel_height; ++ky) {
                for (std::int64_t kx = 0; kx < s.kernel_width; ++kx) {
                    const std::int64_t y = top + ky * s.dilation_height;
                    const std::int64_t z = left + kx * s.dilation_width;
                    const bool inside = y >= 0 && y < s.in_height && z >= 0 && z < s.in_width;
                    window[to++] = inside ? x[(c * s.in_height + y) * s.in_width + z] : std::int8_t{0};
                }
            }
        }
    };
    for (std::int64_t n = 0; n < s.batch; ++n) {
        for (std::int64_t g = 0; g < s.groups; ++g) {
            for (std::int64_t p = 0; p < s.out_height * s.out_width; ++p) {
                gather(n * s.in_channels + g * channels, p / s.out_width * s.stride_height - s.pad_top,
                       p % s.out_width * s.stride_width - s.pad_left);
                for (std::int64_t o = g * outputs; o < (g + 1) * outputs; ++o) {
                    out[(n * s.out_channels + o) * s.out_height * s.out_width + p] =
                        integer_dot(path, window.data(), weight + o * taps, taps, scales[o]);
                }
            }
        }
    }
}

} // namespace ane::numerics::inline ANEMONE_WAY
