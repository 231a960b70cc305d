#pragma once

#include "resize.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ane::kernels::inline ANEMONE_WAY {

/// The coordinate of sample `index` of `count` on the stretch of an axis from `begin` to `end`.
/// half_pixel: begin + (index + 1/2) (end - begin) / count - 1/2, edges of pixels to edges of samples;
/// align_corners: begin + index (end - begin) / (count - 1), the first and the last sample on begin and end, or on
/// begin where there is one sample (ONNX; PyTorch);
/// asymmetric: begin + index (end - begin) / count.
ANEMONE_INLINE double sample_position(sampling_grid grid, double begin, double end, std::int64_t index,
                                      std::int64_t count) {
    const double length = end - begin;
    const auto i = static_cast<double>(index);
    const auto n = static_cast<double>(count);
    switch (grid) {
    case sampling_grid::half_pixel: return begin + ((2 * i + 1) * length - n) / (2 * n);
    case sampling_grid::align_corners: return count > 1 ? begin + i * length / (n - 1) : begin;
    case sampling_grid::asymmetric: break;
    }
    return begin + i * length / n;
}

/// Of two pixels that are equally near the lower one, as ONNX has it by default; on the asymmetric grid the one
/// below, as PyTorch's `nearest` and TensorFlow 1 have it.
ANEMONE_INLINE nearest_rule nearest_rule_of(sampling_grid grid) {
    return grid == sampling_grid::asymmetric ? nearest_rule::below : nearest_rule::half_down;
}

ANEMONE_BODY void sample_axis(const sampling& s, std::int64_t extent, double begin, double end, std::int64_t count,
                              std::vector<axis_sample>& samples) {
    samples.clear();
    for (std::int64_t i = 0; i < count; ++i) {
        samples.push_back(
            axis_sample_at(sample_position(s.grid, begin, end, i, count), extent, s, nearest_rule_of(s.grid)));
    }
}

ANEMONE_BODY std::vector<axis_sample> resized_axis(sampling s, std::int64_t extent, std::int64_t count) {
    s.border = sampling_border::edge;
    const std::int64_t end = s.grid == sampling_grid::align_corners ? extent - 1 : extent;
    std::vector<axis_sample> samples;
    sample_axis(s, extent, 0, static_cast<double>(end), count, samples);
    return samples;
}

} // namespace ane::kernels::inline ANEMONE_WAY
