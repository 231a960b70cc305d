#pragma once

#include "../../way.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

/// Images at another height and width: whole ones (resize) or boxes of them (crop_resize).
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

/// The samples of one axis of a box from `begin` to `end`.
ANEMONE_INLINE void sample_axis(const sampling& s, std::int64_t extent, double begin, double end, std::int64_t count,
                                std::vector<axis_sample>& samples) {
    samples.clear();
    for (std::int64_t i = 0; i < count; ++i) {
        samples.push_back(
            axis_sample_at(sample_position(s.grid, begin, end, i, count), extent, s, nearest_rule_of(s.grid)));
    }
}

/// `planes` planes [height, width], one behind the other, all read at the same rows and columns.
template <class Arithmetic>
void sample_planes(const Arithmetic& a, const half* x, std::int64_t planes, std::int64_t height, std::int64_t width,
                   const std::vector<axis_sample>& rows, const std::vector<axis_sample>& columns, half* out) {
    const auto row_count = static_cast<std::int64_t>(rows.size());
    const auto column_count = static_cast<std::int64_t>(columns.size());
    std::vector<neighbours<typename Arithmetic::value>> of_row(columns.size());
    for (std::int64_t i = 0; i < row_count; ++i) {
        std::transform(columns.begin(), columns.end(), of_row.begin(), [&](const axis_sample& column) {
            return neighbours_of(a, width, rows[static_cast<std::size_t>(i)], column);
        });
        for (std::int64_t p = 0; p < planes; ++p) {
            const half* const plane = x + p * height * width;
            half* const to = out + (p * row_count + i) * column_count;
            std::transform(of_row.begin(), of_row.end(), to, [&](const auto& n) { return blended(a, plane, n); });
        }
    }
}

/// How a whole axis is resized, fixed when the model is compiled: nothing lies outside the image, the coordinates are
/// held at its first and last pixel.
ANEMONE_INLINE std::vector<axis_sample> resized_axis(sampling s, std::int64_t extent, std::int64_t count) {
    s.border = sampling_border::edge;
    const std::int64_t end = s.grid == sampling_grid::align_corners ? extent - 1 : extent;
    std::vector<axis_sample> samples;
    sample_axis(s, extent, 0, static_cast<double>(end), count, samples);
    return samples;
}

/// Boxes [R, 4] of corners y1, x1, y2, x2 of x [N, C, H, W] (box r lies in image r, or in the only one) give
/// out [R, C, h, w]. A whole image is the box (0, 0, H, W), with align_corners (0, 0, H - 1, W - 1): it gives what
/// `resize` does where the border is `edge`.
template <class Arithmetic>
void crop_resize(const Arithmetic& a, const sampling& s, const half* x, const extents& image, const half* boxes,
                 std::int64_t count, half* out) {
    const std::int64_t size = image[1] * image[2] * image[3];
    std::vector<axis_sample> rows;
    std::vector<axis_sample> columns;
    for (std::int64_t r = 0; r < count; ++r) {
        const auto corner = [&](std::int64_t i) { return static_cast<double>(a.load(boxes[r * 4 + i])); };
        sample_axis(s, image[2], corner(0), corner(2), s.extent.height, rows);
        sample_axis(s, image[3], corner(1), corner(3), s.extent.width, columns);
        sample_planes(a, x + (image[0] == 1 ? 0 : r * size), image[1], image[2], image[3], rows, columns,
                      out + r * image[1] * s.extent.height * s.extent.width);
    }
}

} // namespace ane::kernels::inline ANEMONE_WAY
