#pragma once

#include "append.hpp"

#include <limits>

/// The sampling unit, which the A14 and later have (R131). On A13 a resize becomes transposed convolutions or a
/// transpose and a convolution, with another rounding (R179, guide appendix A: measured); the other operations have no
/// path there.
namespace ane {

/// A resize by the ratio by / over; the extents are rounded down.
struct rescaling {
    size2 by = 1;
    size2 over = 1;
    sampling_method method = sampling_method::bilinear;
    sampling_grid grid = sampling_grid::half_pixel;
    friend constexpr bool operator==(const rescaling&, const rescaling&) = default;
};

/// Height and width become `extent`; N and C stay.
constexpr inferred shape_rule(const sampling& s, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(s.extent.height >= 1, fault::every_extent_must_be_at_least_1_R019, s.extent.height, 1);
    r.require(s.extent.width >= 1, fault::every_extent_must_be_at_least_1_R019, s.extent.width, 1);
    if (r.ok()) {
        r.shape = {x[0], x[1], s.extent.height, s.extent.width};
    }
    return r;
}

/// The extents that a ratio gives, and the sampling that makes them.
constexpr sampling resolve(const rescaling& given, const extents& x) {
    const auto scaled = [](std::int64_t extent, int by, int over) {
        const std::int64_t r = over >= 1 ? extent * by / over : 0;
        return r <= std::numeric_limits<int>::max() ? static_cast<int>(r) : 0; // 0 is refused
    };
    return {.extent = {scaled(x.height(), given.by.height, given.over.height),
                       scaled(x.width(), given.by.width, given.over.width)},
            .method = given.method,
            .grid = given.grid};
}
constexpr inferred shape_rule(const rescaling& given, const extents& x) {
    inferred r;
    r.shape = x;
    for (const int factor : {given.by.height, given.by.width, given.over.height, given.over.width}) {
        r.require(factor >= 1, fault::factor_must_be_at_least_1_R098, factor, 1);
    }
    return r.ok() ? shape_rule(resolve(given, x), x) : r;
}

/// R boxes [R, 4] of R images, or of the only one.
constexpr inferred crop_resize_rule(const sampling& s, const extents& x, const extents& boxes) {
    inferred r = shape_rule(s, x);
    r.require(boxes.rank == 2, fault::boxes_must_have_rank_2, boxes.rank, 2);
    r.require(boxes.width() == 4, fault::boxes_must_have_four_corners_y1_x1_y2_x2, boxes.width(), 4);
    r.require(!r.ok() || x[0] == 1 || x[0] == boxes[0], fault::there_must_be_one_entry_for_each_image_or_one_for_all,
              x[0], boxes[0]);
    if (r.ok()) {
        r.shape[0] = boxes[0];
    }
    return r;
}

/// The operand of coordinates is [N, 2, H', W'] or one for all images; the result has its height and width.
constexpr inferred grid_rule(const extents& x, const extents& grid, std::int64_t fewest) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_must_have_rank_4_as_N_C_H_W, x.rank, 4);
    r.require(grid.rank == 4, fault::coordinates_must_have_rank_4, grid.rank, 4);
    r.require(grid[1] >= fewest && grid[1] <= 2, fault::coordinates_must_have_two_channels_y_and_x, grid[1], 2);
    r.require(grid[0] == 1 || grid[0] == x[0], fault::there_must_be_one_entry_for_each_image_or_one_for_all, grid[0],
              x[0]);
    if (r.ok()) {
        r.shape = {x[0], x[1], grid[2], grid[3]};
    }
    return r;
}
constexpr inferred resample_rule(const sampling& s, const extents& x, const extents& grid) {
    inferred r = grid_rule(x, grid, 1);
    r.require(s.extent.height == grid[2], fault::result_must_have_the_extents_of_the_coordinates, s.extent.height,
              grid[2]);
    r.require(s.extent.width == grid[3], fault::result_must_have_the_extents_of_the_coordinates, s.extent.width,
              grid[3]);
    return r;
}
constexpr inferred gather_hw_rule(const extents& x, const extents& index) { return grid_rule(x, index, 2); }

/// A matrix of six coefficients for each image, or one for all.
constexpr inferred affine_rule(const sampling& s, const extents& x, const extents& matrix) {
    inferred r = shape_rule(s, x);
    r.require(matrix.rank == 2, fault::matrix_must_have_rank_2, matrix.rank, 2);
    r.require(matrix.width() == 6, fault::matrix_must_have_six_coefficients, matrix.width(), 6);
    r.require(!r.ok() || matrix[0] == 1 || matrix[0] == x[0],
              fault::there_must_be_one_entry_for_each_image_or_one_for_all, matrix[0], x[0]);
    return r;
}

/// The images at another height and width, given as extents: `resize<sampling{.extent = {14, 14}}>(x)`. Nothing lies
/// outside: beyond the first and the last pixel, these two are repeated. R131, R179.
template <sampling To, class X>
    requires obeys<shapes::of<To>, X>
constexpr auto resize(X x, source_location where = here()) {
    return detail::append<shapes::of<To>>(op::resize, To, where, x);
}
template <sampling To, class X, class Broken = breach<op::resize, shapes::of<To>, X>> Broken resize(X, ...);

/// The same, given as a ratio: `resize<rescaling{.by = 3, .over = 2}>(x)`. The layer takes extents or a ratio, not
/// both.
template <rescaling Ratio, class X>
    requires obeys<shapes::of<Ratio>, X>
constexpr auto resize(X x, source_location where = here()) {
    return detail::append<shapes::of<Ratio>>(op::resize, detail::resolved_for<Ratio, X>, where, x);
}
template <rescaling Ratio, class X, class Broken = breach<op::resize, shapes::of<Ratio>, X>> Broken resize(X, ...);

namespace detail {
template <size2 Extent, sampling_method Method, sampling_grid Grid>
inline constexpr sampling to_extent{.extent = Extent, .method = Method, .grid = Grid};
template <factors By, sampling_method Method, sampling_grid Grid>
inline constexpr rescaling by_factors{.by = By.by, .method = Method, .grid = Grid};
} // namespace detail

/// resize between the four nearest pixels.
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X>
    requires obeys<shapes::of<detail::to_extent<Extent, sampling_method::bilinear, Grid>>, X>
constexpr auto resize_bilinear(X x, source_location where = here()) {
    return resize<detail::to_extent<Extent, sampling_method::bilinear, Grid>>(x, where);
}
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X,
          class Broken = breach<op::resize, shapes::of<detail::to_extent<Extent, sampling_method::bilinear, Grid>>, X>>
Broken resize_bilinear(X, ...);

/// resize to the nearest pixel: of two equally near pixels the lower one (the default of ONNX), on the asymmetric grid
/// always the lower one (TensorFlow 1, PyTorch's `nearest`).
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X>
    requires obeys<shapes::of<detail::to_extent<Extent, sampling_method::nearest, Grid>>, X>
constexpr auto resize_nearest_neighbor(X x, source_location where = here()) {
    return resize<detail::to_extent<Extent, sampling_method::nearest, Grid>>(x, where);
}
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X,
          class Broken = breach<op::resize, shapes::of<detail::to_extent<Extent, sampling_method::nearest, Grid>>, X>>
Broken resize_nearest_neighbor(X, ...);

/// resize by whole factors, between the four nearest pixels.
template <factors By, sampling_grid Grid = sampling_grid::half_pixel, class X>
    requires obeys<shapes::of<detail::by_factors<By, sampling_method::bilinear, Grid>>, X>
constexpr auto upsample_bilinear(X x, source_location where = here()) {
    return resize<detail::by_factors<By, sampling_method::bilinear, Grid>>(x, where);
}
template <factors By, sampling_grid Grid = sampling_grid::half_pixel, class X,
          class Broken = breach<op::resize, shapes::of<detail::by_factors<By, sampling_method::bilinear, Grid>>, X>>
Broken upsample_bilinear(X, ...);

/// resize by whole factors: every pixel becomes a block of its copies, on the half-pixel grid and the asymmetric one
/// alike.
template <factors By, class X>
    requires obeys<shapes::of<detail::by_factors<By, sampling_method::nearest, sampling_grid::half_pixel>>, X>
constexpr auto upsample_nearest_neighbor(X x, source_location where = here()) {
    return resize<detail::by_factors<By, sampling_method::nearest, sampling_grid::half_pixel>>(x, where);
}
template <factors By, class X,
          class Broken = breach<
              op::resize, shapes::of<detail::by_factors<By, sampling_method::nearest, sampling_grid::half_pixel>>, X>>
Broken upsample_nearest_neighbor(X, ...);

/// A box of an image, resized: x [N, C, H, W] and boxes [R, 4] of corners y1, x1, y2, x2 in pixels give [R, C, h, w].
/// Box r lies in image r, or in the only one. (0, 0, H, W) is the whole image, with align_corners (0, 0, H - 1, W -
/// 1): with the border `edge` that is `resize`. The sources have no shape of the layer, so all this is the library's
/// own. A14 and later (decompiled); the M5 refuses the MIL form (measured).
template <sampling To, class X, class B>
    requires obeys<shapes::by<crop_resize_rule, To>, X, B>
constexpr auto crop_resize(X x, B boxes, source_location where = here()) {
    return detail::append<shapes::by<crop_resize_rule, To>>(op::crop_resize, To, where, x, boxes);
}
template <sampling To, class X, class B, class Broken = breach<op::crop_resize, shapes::by<crop_resize_rule, To>, X, B>>
Broken crop_resize(X, B, ...);

namespace shapes {
/// The result has the extents of the coordinates.
struct resample {
    static constexpr inferred judge(const extents& x, const extents& grid) {
        return resample_rule({.extent = {static_cast<int>(grid.height()), static_cast<int>(grid.width())}}, x, grid);
    }
};
} // namespace shapes

/// y[n, c, h, w] = x[n, c, at the coordinates grid[n, :, h, w]]. Two channels are y and x, in pixels (the library's
/// order); one is also taken (decompiled): here it is x, and y the row of the result (the sources do not say). Of two
/// pixels that are equally near the even one, as PyTorch's grid_sample. A14 and later.
template <sampling_method Method = sampling_method::bilinear, sampling_border Border = sampling_border::zero,
          sampling_grid Grid = sampling_grid::half_pixel, class X, class G>
    requires obeys<shapes::resample, X, G>
constexpr auto resample(X x, G grid, source_location where = here()) {
    constexpr sampling to{.extent = {static_cast<int>(G::extent.height()), static_cast<int>(G::extent.width())},
                          .method = Method,
                          .grid = Grid,
                          .border = Border};
    return detail::append<shapes::resample>(op::resample, to, where, x, grid);
}
template <sampling_method Method = sampling_method::bilinear, sampling_border Border = sampling_border::zero,
          sampling_grid Grid = sampling_grid::half_pixel, class X, class G,
          class Broken = breach<op::resample, shapes::resample, X, G>>
Broken resample(X, G, ...);

/// The image under an affine map: the result at (x, y) is the operand at A (x, y, 1), both normalised to [-1, 1], with
/// the two rows of A in the six coefficients of each image. A14 and later; becomes a resample with a computed grid.
template <sampling To, class X, class M>
    requires obeys<shapes::by<affine_rule, To>, X, M>
constexpr auto affine(X x, M matrix, source_location where = here()) {
    return detail::append<shapes::by<affine_rule, To>>(op::affine, To, where, x, matrix);
}
template <sampling To, class X, class M, class Broken = breach<op::affine, shapes::by<affine_rule, To>, X, M>>
Broken affine(X, M, ...);

/// y[n, c, h, w] = x[n, c, index[n, 0, h, w], index[n, 1, h, w]]: the nearest form of `resample`, with whole indices
/// (exact up to 2048, R069). A14 and later (decompiled); the sources name the layer without its shape.
template <class X, class I>
    requires obeys<shapes::by<gather_hw_rule>, X, I>
constexpr auto gather_hw(X x, I index, source_location where = here()) {
    return detail::append<shapes::by<gather_hw_rule>>(op::gather_hw, no_attributes{}, where, x, index);
}
template <class X, class I, class Broken = breach<op::gather_hw, shapes::by<gather_hw_rule>, X, I>>
Broken gather_hw(X, I, ...);

} // namespace ane
