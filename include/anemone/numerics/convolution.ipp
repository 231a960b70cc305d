#pragma once

#include "../graph/sequence.hpp"
#include "contraction.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "padded_windows.hpp"
#include "planar.hpp"

#include <algorithm>
#include <cstdint>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// Places of the products in the sum of one output, outermost first as datapath::order has it: place(channel of the
/// group, row of the kernel, column of the kernel).
template <class Place>
sequence<std::int64_t> in_order(const datapath& path, std::int64_t channels, std::int64_t rows, std::int64_t columns,
                                const Place& place) {
    const bool channels_first = path.order == contraction_order::channel_row_column;
    sequence<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(channels * rows * columns));
    for (std::int64_t outer = 0; outer < (channels_first ? channels : 1); ++outer) {
        for (std::int64_t y = 0; y < rows; ++y) {
            for (std::int64_t x = 0; x < columns; ++x) {
                for (std::int64_t inner = 0; inner < (channels_first ? 1 : channels); ++inner) {
                    places.push_back(place(channels_first ? outer : inner, y, x));
                }
            }
        }
    }
    return places;
}

/// For each coordinate of the kernel and each of the output along one axis the coordinate of the image that they meet
/// at, or -1 outside it: [kernel][output].
template <class Place>
sequence<std::int64_t> meeting_places(std::int64_t kernel, std::int64_t outputs, std::int64_t inputs,
                                      const Place& place) {
    sequence<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(kernel * outputs));
    for (std::int64_t k = 0; k < kernel; ++k) {
        for (std::int64_t o = 0; o < outputs; ++o) {
            const std::int64_t at = place(o, k);
            places.push_back(at < 0 || at >= inputs ? -1 : at);
        }
    }
    return places;
}

/// The windows of the outputs of one group as vectors, in the order of the sum; padding is zero.
class window_source {
public:
    window_source(const datapath& path, const convolution_shape& s, const half* image, const std::int64_t* rows,
                  const std::int64_t* columns)
        : s_(s), image_(image), rows_(rows), columns_(columns),
          channels_first_(path.order == contraction_order::channel_row_column) {}

    half at(std::int64_t v, std::int64_t i) const {
        const std::int64_t channels = s_.in_channels / s_.groups;
        const std::int64_t taps = s_.kernel_height * s_.kernel_width;
        const std::int64_t tap = channels_first_ ? i % taps : i / channels;
        const std::int64_t channel = channels_first_ ? i / taps : i % channels;
        const std::int64_t line = line_of(v / s_.out_width, tap / s_.kernel_width);
        const std::int64_t x = columns_[tap % s_.kernel_width * s_.out_width + v % s_.out_width];
        return line < 0 || x < 0 ? half{} : image_[line + x + channel * s_.in_height * s_.in_width];
    }

    void row(std::int64_t v, half* to) const { gather<1>(v, 1, to); }
    void panel(std::int64_t first, std::int64_t lanes, half* to) const { gather<panel_lanes>(first, lanes, to); }

private:
    /// Offset, within channel 0, of the image row that a kernel row meets, or -1. Rows of outputs count through all
    /// images.
    std::int64_t line_of(std::int64_t row, std::int64_t kernel_row) const {
        const std::int64_t y = rows_[kernel_row * s_.out_height + row % s_.out_height];
        return y < 0 ? -1 : (row / s_.out_height * s_.in_channels * s_.in_height + y) * s_.in_width;
    }

    /// The position of a tap does not depend on the channel, nor its row on its column: each is computed once.
    template <int Lanes> void gather(std::int64_t first, std::int64_t lanes, half* to) const {
        const std::int64_t channels = s_.in_channels / s_.groups;
        const std::int64_t taps = s_.kernel_height * s_.kernel_width;
        const std::int64_t plane = s_.in_height * s_.in_width;
        std::int64_t output[Lanes];
        std::int64_t lines[Lanes] = {};
        std::int64_t from[Lanes];
        std::uint16_t inside[Lanes];
        for (std::int64_t l = 0; l < Lanes; ++l) {
            output[l] = (first + l) % s_.out_width;
        }
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const std::int64_t kernel_column = tap % s_.kernel_width;
            if (kernel_column == 0) {
                for (std::int64_t l = 0; l < Lanes; ++l) {
                    const bool follows = l > 0 && output[l] != 0;
                    lines[l] = l >= lanes ? -1
                               : follows  ? lines[l - 1]
                                          : line_of((first + l) / s_.out_width, tap / s_.kernel_width);
                }
            }
            const std::int64_t* const columns = columns_ + kernel_column * s_.out_width;
            bool neighbours = true;
            for (std::int64_t l = 0; l < Lanes; ++l) {
                const std::int64_t x = columns[output[l]];
                const bool read = (lines[l] | x) >= 0;
                from[l] = read ? lines[l] + x : 0;
                inside[l] = read ? 0xFFFFU : 0U;
                neighbours = neighbours & read & (from[l] == from[0] + l);
            }
            for (std::int64_t c = 0; c < channels; ++c) {
                half* const line = to + (channels_first_ ? c * taps + tap : tap * channels + c) * Lanes;
                const half* const source = image_ + c * plane;
                if (neighbours) {
                    std::copy_n(source + from[0], Lanes, line);
                    continue;
                }
                for (int l = 0; l < Lanes; ++l) {
                    line[l].bits = static_cast<std::uint16_t>(source[from[l]].bits & inside[l]);
                }
            }
        }
    }

    convolution_shape s_;
    const half* image_; ///< channel 0 of the group
    const std::int64_t* rows_;
    const std::int64_t* columns_;
    bool channels_first_;
};

/// `place(output, kernel, stride, dilation, pad)` gives the coordinate of the image that a window meets, or one outside
/// it; `weight_of(group)` the place of a group's first weight, `weight_place(channel of the group, row, column)` that
/// of a weight relative to its output channel, and output channels lie `weight_step` apart.
template <class Place, class WeightOf, class WeightPlace>
void convolve(const execution& how, const datapath& path, const convolution_shape& s, const half* x, const half* weight,
              std::int64_t weight_step, const half* bias, half* out, bool transposed, const Place& place,
              const WeightOf& weight_of, const WeightPlace& weight_place) {
    const sequence<std::int64_t> rows =
        meeting_places(s.kernel_height, s.out_height, s.in_height, [&](std::int64_t o, std::int64_t k) {
            return place(o, k, s.stride_height, s.dilation_height, s.pad_top);
        });
    const sequence<std::int64_t> along =
        meeting_places(s.kernel_width, s.out_width, s.in_width, [&](std::int64_t o, std::int64_t k) {
            return place(o, k, s.stride_width, s.dilation_width, s.pad_left);
        });
    const std::int64_t group_out = s.out_channels / s.groups;
    const std::int64_t pixels = s.out_height * s.out_width;
    const std::int64_t columns = s.batch * pixels;
    const sequence<std::int64_t> places =
        in_order(path, s.in_channels / s.groups, s.kernel_height, s.kernel_width, weight_place);
    const auto length = static_cast<std::int64_t>(places.size());
    bool dense = true;
    for (std::int64_t i = 0; i < length; ++i) {
        dense = dense && places[static_cast<std::size_t>(i)] == i;
    }
    // Without a ceiling some outputs are recomputed from fp16.
    const bool pad =
        !transposed && path.mac_ceiling && length > 0 && padded_windows::size_of(s) <= padded_windows::most;
    for (std::int64_t g = 0; g < s.groups; ++g) {
        const matrix_source weights{weight + weight_of(g), length, weight_step, 1, dense ? nullptr : places.data()};
        const half* const image = x + g * (s.in_channels / s.groups) * s.in_height * s.in_width;
        const window_source windows(path, s, image, rows.data(), along.data());
        const half* const start = bias == nullptr ? nullptr : bias + g * group_out;
        const auto target = [&](std::int64_t o, std::int64_t column) {
            return out + (column / pixels * s.out_channels + g * group_out + o) * pixels + column % pixels;
        };
        const auto store_runs = [&](std::int64_t o, std::int64_t column, std::int64_t count, const half* values) {
            for (std::int64_t done = 0; done < count;) {
                const std::int64_t run = std::min(count - done, pixels - (column + done) % pixels);
                std::copy_n(values + done, run, target(o, column + done));
                done += run;
            }
        };
        const auto store_column = [&](std::int64_t column, std::int64_t o, std::int64_t count, const half* values) {
            for (std::int64_t k = 0; k < count; ++k) {
                *target(o + k, column) = values[k];
            }
        };
        // The lanes run over the longer side; a product is the same whichever operand is broadcast.
        if (columns < group_out) {
            contract(how, path, columns, group_out, length, left_source::of(windows), right_source::of(weights),
                     {start, false}, results_store::of(store_column));
        } else if (pad) {
            const padded_windows padded(how.kernels, path, s, image);
            contract(how, path, group_out, columns, length, left_source::of(weights), right_source::of(padded),
                     {start, true}, results_store::of(store_runs));
        } else {
            contract(how, path, group_out, columns, length, left_source::of(weights), right_source::of(windows),
                     {start, true}, results_store::of(store_runs));
        }
    }
}

/// A convolution of one tap over one channel as a scale: weight x + bias on the elementwise path, one rounding.
ANEMONE_INLINE void scale_channels(const datapath& path, const convolution_shape& s, const half* x, const half* weight,
                                   const half* bias, half* out) {
    const std::int64_t group_out = s.out_channels / s.groups;
    const auto source = [](std::int64_t o, std::int64_t stride, std::int64_t pad, std::int64_t extent) {
        const std::int64_t place = o * stride - pad;
        return place < 0 || place >= extent ? std::int64_t{-1} : place;
    };
    for (std::int64_t plane = 0; plane < s.batch * s.out_channels; ++plane) {
        const std::int64_t o = plane % s.out_channels;
        const half* image = x + (plane / s.out_channels * s.in_channels + o / group_out) * s.in_height * s.in_width;
        for (std::int64_t place = 0; place < s.out_height * s.out_width; ++place) {
            const std::int64_t y = source(place / s.out_width, s.stride_height, s.pad_top, s.in_height);
            const std::int64_t column = source(place % s.out_width, s.stride_width, s.pad_left, s.in_width);
            const half value = y < 0 || column < 0 ? half{} : image[y * s.in_width + column];
            half& result = out[plane * s.out_height * s.out_width + place];
            result = bias == nullptr ? multiply(path, value, weight[o]) : scale_offset(path, value, weight[o], bias[o]);
        }
    }
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

ANEMONE_BODY void convolution(const datapath& path, const convolution_shape& s, const half* x, const half* weight,
                              const half* bias, half* out, const execution& how) {
    const std::int64_t group_in = s.in_channels / s.groups;
    const std::int64_t group_out = s.out_channels / s.groups;
    if (path.single_tap_scales && group_in == 1 && s.kernel_height == 1 && s.kernel_width == 1) {
        return detail::scale_channels(path, s, x, weight, bias, out);
    }
    const std::int64_t step = group_in * s.kernel_height * s.kernel_width;
    detail::convolve(
        how, path, s, x, weight, step, bias, out, false,
        [](std::int64_t o, std::int64_t k, std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
            return o * stride + k * dilation - pad;
        },
        [=](std::int64_t g) { return g * group_out * step; },
        [=](std::int64_t c, std::int64_t y, std::int64_t column) {
            return (c * s.kernel_height + y) * s.kernel_width + column;
        });
}

ANEMONE_BODY void transposed_convolution(const datapath& path, const convolution_shape& s, const half* x,
                                         const half* weight, const half* bias, half* out, const execution& how) {
    const std::int64_t group_in = s.in_channels / s.groups;
    const std::int64_t group_out = s.out_channels / s.groups;
    const std::int64_t taps = s.kernel_height * s.kernel_width;
    detail::convolve(
        how, path, s, x, weight, taps, bias, out, true,
        [](std::int64_t o, std::int64_t k, std::int64_t stride, std::int64_t dilation, std::int64_t pad) {
            const std::int64_t place = o + pad - k * dilation;
            return place < 0 || place % stride != 0 ? std::int64_t{-1} : place / stride;
        },
        [=](std::int64_t g) { return g * group_in * group_out * taps; },
        [=](std::int64_t c, std::int64_t y, std::int64_t column) {
            return (c * group_out * s.kernel_height + y) * s.kernel_width + column;
        });
}

} // namespace ane::numerics::inline ANEMONE_WAY
