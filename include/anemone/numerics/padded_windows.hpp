#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "contraction_kernels.hpp"
#include "contraction_tile.hpp"
#include "datapath.hpp"
#include "kernel_shapes.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// The windows of the outputs of one group of a convolution, as the multiplier reads them: planes with their padding,
/// decoded once, the columns of a row sorted by their place within a stride, so that neighbouring outputs read
/// neighbouring numbers.
class padded_windows {
public:
    /// Numbers that are worth holding: beyond this the windows are gathered from fp16, see window_source.
    static constexpr std::int64_t most = std::int64_t{1} << 23;

    static std::int64_t size_of(const convolution_shape& s) {
        const padded_windows measured(datapath(), s);
        return s.batch * measured.channels_ * measured.plane_;
    }

    ANEMONE_INLINE padded_windows(const contraction_kernels& kernels, const datapath& path, const convolution_shape& s,
                                  const half* image)
        : padded_windows(path, s) {
        values_ = std::vector<float>(static_cast<std::size_t>(s.batch * channels_ * plane_));
        largest_ = std::vector<float>(static_cast<std::size_t>(channels_));
        std::vector<float> plane(static_cast<std::size_t>(s.in_height * s.in_width));
        for (std::int64_t n = 0; n < s.batch; ++n) {
            for (std::int64_t c = 0; c < channels_; ++c) {
                const half* const from = image + (n * s.in_channels + c) * s.in_height * s.in_width;
                const float magnitude = kernels.decode(from, plane.data(), s.in_height * s.in_width, path);
                float& held = largest_[static_cast<std::size_t>(c)];
                held = std::max(held, magnitude);
                place(plane.data(), values_.data() + (n * channels_ + c) * plane_);
            }
        }
    }

    /// `lanes` windows from `first` on side by side, [length][32], unused lanes zero.
    ANEMONE_INLINE void panel(std::int64_t first, std::int64_t lanes, float* to) const {
        const std::int64_t taps = s_.kernel_height * s_.kernel_width;
        if (lanes < panel_lanes) {
            std::fill_n(to, channels_ * taps * panel_lanes, 0.0F);
        }
        const std::int64_t channel_step = (channels_first_ ? taps : 1) * panel_lanes;
        const std::int64_t tap_step = (channels_first_ ? 1 : channels_) * panel_lanes;
        for (std::int64_t done = 0; done < lanes;) {
            const std::int64_t row = (first + done) / s_.out_width;
            const std::int64_t x = (first + done) % s_.out_width;
            const std::int64_t count = std::min(lanes - done, s_.out_width - x);
            const std::int64_t n = row / s_.out_height;
            const float* const image = values_.data() + n * channels_ * plane_;
            for (std::int64_t ky = 0; ky < s_.kernel_height; ++ky) {
                const std::int64_t y = row % s_.out_height * s_.stride_height + ky * s_.dilation_height;
                for (std::int64_t kx = 0; kx < s_.kernel_width; ++kx) {
                    const std::int64_t column = kx * s_.dilation_width;
                    const float* from =
                        image + (y * s_.stride_width + column % s_.stride_width) * line_ + column / s_.stride_width + x;
                    float* line = to + (ky * s_.kernel_width + kx) * tap_step + done;
                    for (std::int64_t c = 0; c < channels_; ++c, from += plane_, line += channel_step) {
                        if (count == panel_lanes) {
                            std::copy_n(from, panel_lanes, line);
                        } else {
                            std::copy_n(from, count, line);
                        }
                    }
                }
            }
            done += count;
        }
    }

    /// No number among elements [begin, begin + count) of a window is larger in magnitude.
    ANEMONE_INLINE float largest(std::int64_t begin, std::int64_t count) const {
        const std::int64_t taps = s_.kernel_height * s_.kernel_width;
        const std::int64_t first = channels_first_ ? begin / taps : 0;
        const std::int64_t last = channels_first_ ? (begin + count - 1) / taps : channels_ - 1;
        float most_of_all = 0.0F;
        for (std::int64_t c = first; c <= last; ++c) {
            most_of_all = std::max(most_of_all, largest_[static_cast<std::size_t>(c)]);
        }
        return most_of_all;
    }

private:
    padded_windows(const datapath& path, const convolution_shape& s)
        : s_(s), channels_(s.in_channels / s.groups),
          channels_first_(path.order == contraction_order::channel_row_column),
          line_(s.out_width + (s.kernel_width - 1) * s.dilation_width / s.stride_width),
          rows_((s.out_height - 1) * s.stride_height + (s.kernel_height - 1) * s.dilation_height + 1),
          plane_(rows_ * s.stride_width * line_) {}

    /// A plane without its padding into one with it, which is zero.
    ANEMONE_INLINE void place(const float* from, float* to) const {
        const std::int64_t end = std::min(rows_, s_.pad_top + s_.in_height);
        for (std::int64_t y = std::max<std::int64_t>(s_.pad_top, 0); y < end; ++y) {
            const float* const row = from + (y - s_.pad_top) * s_.in_width;
            for (std::int64_t phase = 0; phase < s_.stride_width; ++phase) {
                float* const line = to + (y * s_.stride_width + phase) * line_;
                for (std::int64_t i = 0; i < line_; ++i) {
                    const std::int64_t x = i * s_.stride_width + phase - s_.pad_left;
                    if (x >= 0 && x < s_.in_width) {
                        line[i] = row[x];
                    }
                }
            }
        }
    }

    convolution_shape s_;
    std::int64_t channels_; ///< of the group
    bool channels_first_;
    std::int64_t line_;  ///< numbers of one row at one place within a stride
    std::int64_t rows_;  ///< of a plane with its padding, as far as it is read
    std::int64_t plane_; ///< numbers of a plane
    std::vector<float> values_;
    std::vector<float> largest_; ///< of a channel
};

} // namespace ane::numerics::detail::inline ANEMONE_WAY
