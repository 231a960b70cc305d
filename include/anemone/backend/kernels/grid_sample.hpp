#pragma once

#include "../../base/way.hpp"
#include "sampling.hpp"

#include <cstdint>

/// Images read at coordinates of their own for each pixel of the result: resample, gather_hw and affine.
namespace ane::kernels::inline ANEMONE_WAY {

/// A row and a column coordinate, in pixels.
struct image_place {
    double row;
    double column;
};

/// Reads every channel of x [N, C, H, W] at the place that `at(n, h, w)` gives for each pixel of the result
/// [N, C, h, w].
template <class Arithmetic, class Place>
void sample_everywhere(const Arithmetic& a, const sampling& s, const element_of<Arithmetic>* x, const extents& image,
                       element_of<Arithmetic>* out, const Place& at) {
    const std::int64_t size = image[2] * image[3];
    const std::int64_t pixels = std::int64_t{s.extent.height} * s.extent.width;
    for (std::int64_t n = 0; n < image[0]; ++n) {
        const element_of<Arithmetic>* const planes = x + n * image[1] * size;
        element_of<Arithmetic>* const results = out + n * image[1] * pixels;
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
            const image_place place = at(n, pixel / s.extent.width, pixel % s.extent.width);
            const axis_sample row = axis_sample_at(place.row, image[2], s, nearest_rule::half_even);
            const axis_sample column = axis_sample_at(place.column, image[3], s, nearest_rule::half_even);
            const auto near = neighbours_of(a, image[3], row, column);
            for (std::int64_t c = 0; c < image[1]; ++c) {
                results[c * pixels + pixel] = blended(a, planes + c * size, near);
            }
        }
    }
}

/// Coordinates [1 or N, 2, h, w] of y and x in pixels. One channel is x, and y is the row of the result: a warp along
/// rows (the library's reading, nothing is published).
template <class Arithmetic>
void resample(const Arithmetic& a, const sampling& s, const element_of<Arithmetic>* x, const extents& image,
              const element_of<Arithmetic>* grid, const extents& coordinates, element_of<Arithmetic>* out) {
    const std::int64_t pixels = coordinates[2] * coordinates[3];
    sample_everywhere(a, s, x, image, out, [&](std::int64_t n, std::int64_t h, std::int64_t w) -> image_place {
        const element_of<Arithmetic>* const own =
            grid + (coordinates[0] == 1 ? 0 : n * coordinates[1] * pixels) + h * coordinates[3] + w;
        const auto channel = [&](std::int64_t c) { return static_cast<double>(a.load(own[c * pixels])); };
        return coordinates[1] == 1 ? image_place{static_cast<double>(h), channel(0)}
                                   : image_place{channel(0), channel(1)};
    });
}

/// The sampling of gather_hw: the nearest pixel, zero outside.
ANEMONE_INLINE sampling gather_sampling(const extents& index) {
    return {.extent = {static_cast<int>(index[2]), static_cast<int>(index[3])},
            .method = sampling_method::nearest,
            .border = sampling_border::zero};
}

/// Coordinates from -1 to 1 along an axis, and pixels. Pixel j of the result lies at (2 j + offset - length) / length;
/// v is the operand's pixel ((v + 1) length - offset) / 2. From edge to edge with half_pixel, from the first to the
/// last centre with align_corners (PyTorch's affine_grid), from the first centre to one beyond the last with
/// asymmetric.
struct normalized_axis_map {
    double length;
    double offset;
};
ANEMONE_INLINE normalized_axis_map normalized_coordinates(sampling_grid grid, std::int64_t extent) {
    const auto n = static_cast<double>(extent);
    switch (grid) {
    case sampling_grid::half_pixel: return {n, 1};
    case sampling_grid::align_corners: return {n - 1, 0};
    case sampling_grid::asymmetric: break;
    }
    return {n, 0};
}

/// Six coefficients [1 or N, 6] for each image, the two rows of A: the result at (x, y) is the operand at A (x, y, 1).
template <class Arithmetic>
void affine(const Arithmetic& a, const sampling& s, const element_of<Arithmetic>* x, const extents& image,
            const element_of<Arithmetic>* matrices, std::int64_t matrix_count, element_of<Arithmetic>* out) {
    const normalized_axis_map from_rows = normalized_coordinates(s.grid, image[2]);
    const normalized_axis_map from_columns = normalized_coordinates(s.grid, image[3]);
    const normalized_axis_map to_rows = normalized_coordinates(s.grid, s.extent.height);
    const normalized_axis_map to_columns = normalized_coordinates(s.grid, s.extent.width);
    // Divisions come last: whole pixels stay whole under an identity.
    const auto along = [](double factor, const normalized_axis_map& to, std::int64_t index, double scale) {
        const double position = 2 * static_cast<double>(index) + to.offset - to.length;
        return to.length == 0 ? 0 : factor * position * scale / to.length;
    };
    sample_everywhere(a, s, x, image, out, [&](std::int64_t n, std::int64_t h, std::int64_t w) -> image_place {
        const element_of<Arithmetic>* const matrix = matrices + (matrix_count == 1 ? 0 : n * 6);
        const auto pixel = [&](std::int64_t first, const normalized_axis_map& from) {
            const auto entry = [&](std::int64_t i) { return static_cast<double>(a.load(matrix[first + i])); };
            const double map = along(entry(0), to_columns, w, from.length) + along(entry(1), to_rows, h, from.length) +
                               entry(2) * from.length;
            return a.coordinate((map + from.length - from.offset) / 2);
        };
        return {pixel(3, from_rows), pixel(0, from_columns)};
    });
}

} // namespace ane::kernels::inline ANEMONE_WAY
