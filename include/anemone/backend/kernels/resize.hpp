#pragma once

#include "../../base/way.hpp"
#include "sampling.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

/// Images at another height and width: whole ones (resize) or boxes of them (crop_resize).
namespace ane::kernels::inline ANEMONE_WAY {

/// The samples of one axis of a box from `begin` to `end`.
ANEMONE_API void sample_axis(const sampling& s, std::int64_t extent, double begin, double end, std::int64_t count,
                             std::vector<axis_sample>& samples);

/// `planes` planes [height, width], one behind the other, all read at the same rows and columns.
template <class Arithmetic>
void sample_planes(const Arithmetic& a, const element_of<Arithmetic>* x, std::int64_t planes, std::int64_t height,
                   std::int64_t width, const std::vector<axis_sample>& rows, const std::vector<axis_sample>& columns,
                   element_of<Arithmetic>* out) {
    const auto row_count = static_cast<std::int64_t>(rows.size());
    const auto column_count = static_cast<std::int64_t>(columns.size());
    std::vector<neighbours<typename Arithmetic::value>> of_row(columns.size());
    for (std::int64_t i = 0; i < row_count; ++i) {
        std::transform(columns.begin(), columns.end(), of_row.begin(), [&](const axis_sample& column) {
            return neighbours_of(a, width, rows[static_cast<std::size_t>(i)], column);
        });
        for (std::int64_t p = 0; p < planes; ++p) {
            const element_of<Arithmetic>* const plane = x + p * height * width;
            element_of<Arithmetic>* const to = out + (p * row_count + i) * column_count;
            std::transform(of_row.begin(), of_row.end(), to, [&](const auto& n) { return blended(a, plane, n); });
        }
    }
}

/// How a whole axis is resized, fixed when the model is compiled: nothing lies outside the image, the coordinates are
/// held at its first and last pixel.
ANEMONE_API std::vector<axis_sample> resized_axis(sampling s, std::int64_t extent, std::int64_t count);

/// Boxes [R, 4] of corners y1, x1, y2, x2 of x [N, C, H, W] (box r lies in image r, or in the only one) give
/// out [R, C, h, w]. A whole image is the box (0, 0, H, W), with align_corners (0, 0, H - 1, W - 1): it gives what
/// `resize` does where the border is `edge`.
template <class Arithmetic>
void crop_resize(const Arithmetic& a, const sampling& s, const element_of<Arithmetic>* x, const extents& image,
                 const element_of<Arithmetic>* boxes, std::int64_t count, element_of<Arithmetic>* out) {
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

#if !defined(ANEMONE_COMPILED)
#include "resize.ipp"
#endif
