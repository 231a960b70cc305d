#pragma once

#include "../kernel_shapes.hpp"
#include "contraction.hpp"

namespace ane::numerics {

using ane::convolution_shape;

namespace detail {

/// Place of one product in the sum of an output.
struct tap {
    std::int64_t channel; ///< inside the group
    std::int64_t row;
    std::int64_t column;
};

inline std::vector<tap> taps_in_order(const datapath& path, std::int64_t channels, std::int64_t rows,
                                      std::int64_t columns) {
    std::vector<tap> taps;
    taps.reserve(static_cast<std::size_t>(channels * rows * columns));
    if (path.order == contraction_order::channel_row_column) {
        for (std::int64_t c = 0; c < channels; ++c) {
            for (std::int64_t y = 0; y < rows; ++y) {
                for (std::int64_t x = 0; x < columns; ++x) {
                    taps.push_back({c, y, x});
                }
            }
        }
    } else {
        for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x = 0; x < columns; ++x) {
                for (std::int64_t c = 0; c < channels; ++c) {
                    taps.push_back({c, y, x});
                }
            }
        }
    }
    return taps;
}

/// `source(out coordinate, kernel coordinate, stride, dilation, pad)` gives the input coordinate or -1;
/// `weight_at(out channel, tap)` the index of a weight.
template <class Source, class WeightAt>
void convolve(const datapath& path, const convolution_shape& s, const half* x, const half* weight, const half* bias,
              half* out, const Source& source, const WeightAt& weight_at) {
    const std::int64_t group_in = s.in_channels / s.groups;
    const std::int64_t group_out = s.out_channels / s.groups;
    const std::int64_t pixels = s.out_height * s.out_width;
    const std::vector<tap> taps = taps_in_order(path, group_in, s.kernel_height, s.kernel_width);
    for (std::int64_t g = 0; g < s.groups; ++g) {
        const auto weight_of = [&](std::int64_t o) {
            return [&, o](std::int64_t i) { return weight[weight_at(g, o, taps[static_cast<std::size_t>(i)])]; };
        };
        const auto pixel_of = [&](std::int64_t column) {
            const std::int64_t oy = column % pixels / s.out_width;
            const std::int64_t ox = column % s.out_width;
            const half* image = x + (column / pixels * s.in_channels + g * group_in) * s.in_height * s.in_width;
            return [&, oy, ox, image](std::int64_t i) {
                const tap& t = taps[static_cast<std::size_t>(i)];
                const std::int64_t iy = source(oy, t.row, s.stride_height, s.dilation_height, s.pad_top);
                const std::int64_t ix = source(ox, t.column, s.stride_width, s.dilation_width, s.pad_left);
                if (iy < 0 || iy >= s.in_height || ix < 0 || ix >= s.in_width) {
                    return half{};
                }
                return image[(t.channel * s.in_height + iy) * s.in_width + ix];
            };
        };
        const auto bias_of = [&](std::int64_t o) { return bias == nullptr ? half{} : bias[g * group_out + o]; };
        const auto put = [&](std::int64_t o, std::int64_t column, half value) {
            out[(column / pixels * s.out_channels + g * group_out + o) * pixels + column % pixels] = value;
        };
        const std::int64_t columns = s.batch * pixels;
        // The lanes run over the longer side; a product is the same whichever operand is broadcast.
        if (columns >= group_out) {
            contract(
                path, group_out, columns, static_cast<std::int64_t>(taps.size()), weight_of, pixel_of,
                [&](std::int64_t o, std::int64_t) { return bias_of(o); }, put);
        } else {
            contract(
                path, columns, group_out, static_cast<std::int64_t>(taps.size()), pixel_of, weight_of,
                [&](std::int64_t, std::int64_t o) { return bias_of(o); },
                [&](std::int64_t column, std::int64_t o, half value) { put(o, column, value); });
        }
    }
}

} // namespace detail

/// Grouped, strided, dilated convolution of x [N, I, H, W] by weight [O, I/g, kH, kW]; bias per output channel or null.
/// One `accumulator` an output; padding contributes nothing. The order of the sum is datapath::order (inferred).
/// N046 (M1, one input channel, 60000 passes) is not met: read as a layer that the compiler lowered to a scale.
inline void convolution(const datapath& path, const convolution_shape& s, const half* x, const half* weight,
                        const half* bias, half* out) {
    const std::int64_t group_in = s.in_channels / s.groups;
    const std::int64_t group_out = s.out_channels / s.groups;
    detail::convolve(
        path, s, x, weight, bias, out,
        [](std::int64_t o, std::int64_t k, std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
            return o * stride + k * dilation - pad;
        },
        [=](std::int64_t g, std::int64_t o, const detail::tap& t) {
            return (((g * group_out + o) * group_in + t.channel) * s.kernel_height + t.row) * s.kernel_width + t.column;
        });
}

/// Transposed convolution by weight [I, O/g, kH, kW]: out[y] gathers x[(y + pad - k * dilation) / stride] wherever that
/// is whole. Inferred: same register and order as the convolution; the inserted zeros contribute nothing.
inline void transposed_convolution(const datapath& path, const convolution_shape& s, const half* x, const half* weight,
                                   const half* bias, half* out) {
    const std::int64_t group_in = s.in_channels / s.groups;
    const std::int64_t group_out = s.out_channels / s.groups;
    detail::convolve(
        path, s, x, weight, bias, out,
        [](std::int64_t o, std::int64_t k, std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
            const std::int64_t place = o + pad - k * dilation;
            return place < 0 || place % stride != 0 ? std::int64_t{-1} : place / stride;
        },
        [=](std::int64_t g, std::int64_t o, const detail::tap& t) {
            return (((g * group_in + t.channel) * group_out + o) * s.kernel_height + t.row) * s.kernel_width + t.column;
        });
}

} // namespace ane::numerics
