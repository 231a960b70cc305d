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
    r.require(x.rank == 4, fault::input_rank_differs, x.rank, 4);
    r.require(s.extent.height >= 1, fault::extent_is_not_positive, s.extent.height, 1);
    r.require(s.extent.width >= 1, fault::extent_is_not_positive, s.extent.width, 1);
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
        r.require(factor >= 1, fault::factor_is_not_positive, factor, 1);
    }
    return r.ok() ? shape_rule(resolve(given, x), x) : r;
}

/// R boxes [R, 4] of R images, or of the only one.
constexpr inferred crop_resize_rule(const sampling& s, const extents& x, const extents& boxes) {
    inferred r = shape_rule(s, x);
    r.require(boxes.rank == 2, fault::ranks_differ, boxes.rank, 2);
    r.require(boxes.width() == 4, fault::box_length_differs, boxes.width(), 4);
    r.require(!r.ok() || x[0] == 1 || x[0] == boxes[0], fault::image_count_differs, x[0], boxes[0]);
    if (r.ok()) {
        r.shape[0] = boxes[0];
    }
    return r;
}

/// The operand of coordinates is [N, 2, H', W'] or one for all images; the result has its height and width.
constexpr inferred grid_rule(const extents& x, const extents& grid, std::int64_t fewest) {
    inferred r;
    r.shape = x;
    r.require(x.rank == 4, fault::input_rank_differs, x.rank, 4);
    r.require(grid.rank == 4, fault::ranks_differ, grid.rank, 4);
    r.require(grid[1] >= fewest && grid[1] <= 2, fault::coordinates_differ, grid[1], 2);
    r.require(grid[0] == 1 || grid[0] == x[0], fault::image_count_differs, grid[0], x[0]);
    if (r.ok()) {
        r.shape = {x[0], x[1], grid[2], grid[3]};
    }
    return r;
}
constexpr inferred resample_rule(const sampling& s, const extents& x, const extents& grid) {
    inferred r = grid_rule(x, grid, 1);
    r.require(s.extent.height == grid[2], fault::grid_extent_differs, s.extent.height, grid[2]);
    r.require(s.extent.width == grid[3], fault::grid_extent_differs, s.extent.width, grid[3]);
    return r;
}
constexpr inferred gather_hw_rule(const extents& x, const extents& index) { return grid_rule(x, index, 2); }

/// A matrix of six coefficients for each image, or one for all.
constexpr inferred affine_rule(const sampling& s, const extents& x, const extents& matrix) {
    inferred r = shape_rule(s, x);
    r.require(matrix.rank == 2, fault::ranks_differ, matrix.rank, 2);
    r.require(matrix.width() == 6, fault::matrix_length_differs, matrix.width(), 6);
    r.require(!r.ok() || matrix[0] == 1 || matrix[0] == x[0], fault::image_count_differs, matrix[0], x[0]);
    return r;
}

/// The images at another height and width, given as extents: `resize<sampling{.extent = {14, 14}}>(x)`. Nothing lies
/// outside: beyond the first and the last pixel these two count on. R131, R179.
template <sampling To, class X, dtype TX> constexpr auto resize(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = shape_rule(To, X::value);
    return detail::append_arithmetic<r>(op::resize, To, where, x);
}
/// The same, given as a ratio: `resize<rescaling{.by = 3, .over = 2}>(x)`. The layer takes extents or a ratio, not
/// both.
template <rescaling Ratio, class X, dtype TX> constexpr auto resize(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = shape_rule(Ratio, X::value);
    return detail::append_arithmetic<r>(op::resize, resolve(Ratio, X::value), where, x);
}

/// resize between the four nearest pixels.
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X, dtype TX>
constexpr auto resize_bilinear(tensor<X, TX> x, site where = here()) {
    return resize<sampling{.extent = Extent, .method = sampling_method::bilinear, .grid = Grid}>(x, where);
}
/// resize to the nearest pixel: of two that are equally near the one before (the default of ONNX), on the asymmetric
/// grid always the one before (TensorFlow 1, PyTorch's `nearest`).
template <size2 Extent, sampling_grid Grid = sampling_grid::half_pixel, class X, dtype TX>
constexpr auto resize_nearest_neighbor(tensor<X, TX> x, site where = here()) {
    return resize<sampling{.extent = Extent, .method = sampling_method::nearest, .grid = Grid}>(x, where);
}
/// resize by whole factors, between the four nearest pixels.
template <factors By, sampling_grid Grid = sampling_grid::half_pixel, class X, dtype TX>
constexpr auto upsample_bilinear(tensor<X, TX> x, site where = here()) {
    return resize<rescaling{.by = By.by, .method = sampling_method::bilinear, .grid = Grid}>(x, where);
}
/// resize by whole factors: every pixel becomes a block of its copies, on the half-pixel grid and the asymmetric one
/// alike.
template <factors By, class X, dtype TX>
constexpr auto upsample_nearest_neighbor(tensor<X, TX> x, site where = here()) {
    return resize<rescaling{.by = By.by, .method = sampling_method::nearest}>(x, where);
}

/// A box of an image, resized: x [N, C, H, W] and boxes [R, 4] of corners y1, x1, y2, x2 in pixels give [R, C, h, w].
/// Box r lies in image r, or in the only one. (0, 0, H, W) is the whole image, with align_corners (0, 0, H - 1, W -
/// 1): with the border `edge` that is `resize`. The sources have no shape of the layer, so all this is the library's
/// own. A14 and later (decompiled); the M5 refuses the MIL form (measured).
template <sampling To, class X, dtype TX, class B, dtype TB>
constexpr auto crop_resize(tensor<X, TX> x, tensor<B, TB> boxes, site where = here()) {
    constexpr inferred r = crop_resize_rule(To, X::value, B::value);
    return detail::append_arithmetic<r>(op::crop_resize, To, where, x, boxes);
}

/// y[n, c, h, w] = x[n, c, at the coordinates grid[n, :, h, w]]. Two channels are y and x, in pixels (the library's
/// order); one is also taken (decompiled): here it is x, and y the row of the result (the sources do not say). Of two
/// pixels that are equally near the even one, as PyTorch's grid_sample. A14 and later.
template <sampling_method Method = sampling_method::bilinear, sampling_border Border = sampling_border::zero, class X,
          dtype TX, class G, dtype TG>
constexpr auto resample(tensor<X, TX> x, tensor<G, TG> grid, site where = here()) {
    constexpr sampling to{.extent = {static_cast<int>(G::value.height()), static_cast<int>(G::value.width())},
                          .method = Method,
                          .border = Border};
    constexpr inferred r = resample_rule(to, X::value, G::value);
    return detail::append_arithmetic<r>(op::resample, to, where, x, grid);
}

/// The image under an affine map: the result at (x, y) is the operand at A (x, y, 1), both normalised to [-1, 1], with
/// the two rows of A in the six coefficients of each image. A14 and later; becomes a resample with a computed grid.
template <sampling To, class X, dtype TX, class M, dtype TM>
constexpr auto affine(tensor<X, TX> x, tensor<M, TM> matrix, site where = here()) {
    constexpr inferred r = affine_rule(To, X::value, M::value);
    return detail::append_arithmetic<r>(op::affine, To, where, x, matrix);
}

/// y[n, c, h, w] = x[n, c, index[n, 0, h, w], index[n, 1, h, w]]: the nearest form of `resample`, with whole indices
/// (exact up to 2048, R069). A14 and later (decompiled); the sources name the layer without its shape.
template <class X, dtype TX, class I, dtype TI>
constexpr auto gather_hw(tensor<X, TX> x, tensor<I, TI> index, site where = here()) {
    constexpr inferred r = gather_hw_rule(X::value, I::value);
    return detail::append_arithmetic<r>(op::gather_hw, no_attributes{}, where, x, index);
}

} // namespace ane
