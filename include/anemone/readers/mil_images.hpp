#pragma once

#include "mil_movement.hpp"
#include "mil_table.hpp"

#include <algorithm>

/// What samples images at other places: resizes, resample, affine. Facts: mil-ops section 6; grids as Core ML defines
/// its sampling modes. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

ANEMONE_INLINE int pixels(mil_call& c, std::int64_t extent) {
    if (extent < 1 || extent > 1 << 24) {
        c.refuse(formatted("asks for an image with {} pixels along an axis", extent));
    }
    return static_cast<int>(extent);
}

/// Images have two axes before height and width in the graph.
ANEMONE_INLINE std::vector<mil_value> resized(mil_call& c, const dynamic_tensor& x, size2 to, sampling_method method,
                                              sampling_grid grid) {
    const extents& s = x.shape();
    if (s.rank < 2 || s.rank > 4) {
        c.refuse(formatted("resizes {}", print(s)));
    }
    const dynamic_tensor four =
        c.reshape(x, {s.rank > 3 ? s[0] : 1, s.rank > 2 ? s[s.rank - 3] : 1, s.height(), s.width()});
    const dynamic_tensor y = c.add(
        op::resize, {four}, sampling{.extent = to, .method = method, .grid = grid, .border = sampling_border::edge});
    extents shape = s;
    shape[s.rank - 2] = to.height;
    shape[s.rank - 1] = to.width;
    return c.result(c.reshape(y, shape));
}

/// The extent times a factor, which may be written as fp32.
ANEMONE_INLINE int scaled_extent(mil_call& c, std::int64_t extent, std::string_view argument, bool whole) {
    const double factor = c.number_of(argument, 1);
    if (!(factor > 0) || (whole && factor != std::floor(factor))) {
        c.refuse(formatted("has the factor {} as {}", factor, argument));
    }
    return pixels(c, static_cast<std::int64_t>(std::min(std::floor(static_cast<double>(extent) * factor), 1e9)));
}
ANEMONE_INLINE size2 scaled_extents(mil_call& c, const extents& x, bool whole) {
    return {scaled_extent(c, x.height(), "scale_factor_height", whole),
            scaled_extent(c, x.width(), "scale_factor_width", whole)};
}

/// Whole factors copy each pixel, whatever the grid. Fractions take pixel floor(i / factor), where the extent times the
/// factor is whole: else the grid follows from the factor or from the extents, and the definitions do not say which.
ANEMONE_INLINE std::vector<mil_value> read_upsample_nearest(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const extents& s = x.shape();
    const auto is_whole = [&](std::string_view argument, std::int64_t extent) {
        const double scaled = c.number_of(argument, 1) * static_cast<double>(extent);
        return scaled == std::floor(scaled);
    };
    const bool whole = !is_whole("scale_factor_height", s.height()) || !is_whole("scale_factor_width", s.width());
    return resized(c, x, scaled_extents(c, s, whole), sampling_method::nearest, sampling_grid::asymmetric);
}

ANEMONE_INLINE std::vector<mil_value> read_upsample_bilinear(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const bool corners = c.flag("align_corners", true);
    const bool halves = c.flag("half_pixel_centers", !corners);
    if (corners && halves) {
        c.refuse("aligns corners and pixel centres at once");
    }
    const sampling_grid grid = corners  ? sampling_grid::align_corners
                               : halves ? sampling_grid::half_pixel
                                        : sampling_grid::asymmetric;
    return resized(c, x, scaled_extents(c, x.shape(), false), sampling_method::bilinear, grid);
}

/// DEFAULT steps by in / out from the first pixel; with STRICT_ALIGN_CORNERS a single pixel lies at the first, too.
ANEMONE_INLINE sampling_grid grid_of(mil_call& c, std::string_view argument) {
    const std::string mode = c.word(argument, "DEFAULT");
    if (mode == "DEFAULT") {
        return sampling_grid::asymmetric;
    }
    if (mode == "ALIGN_CORNERS" || mode == "STRICT_ALIGN_CORNERS") {
        return sampling_grid::align_corners;
    }
    if (mode != "UNALIGN_CORNERS") {
        c.refuse(
            formatted("{} {} is not DEFAULT, ALIGN_CORNERS, STRICT_ALIGN_CORNERS or UNALIGN_CORNERS", argument, mode));
    }
    return sampling_grid::half_pixel;
}

ANEMONE_INLINE size2 target_size(mil_call& c) {
    return {pixels(c, c.integer("target_size_height")), pixels(c, c.integer("target_size_width"))};
}

ANEMONE_INLINE std::vector<mil_value> read_resize_nearest(mil_call& c) {
    return resized(c, c.tensor("x"), target_size(c), sampling_method::nearest, sampling_grid::asymmetric);
}
ANEMONE_INLINE std::vector<mil_value> read_resize_bilinear(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    return resized(c, x, target_size(c), sampling_method::bilinear, grid_of(c, "sampling_mode"));
}

ANEMONE_INLINE std::vector<mil_value> read_resize(mil_call& c) {
    const dynamic_tensor x = c.tensor("x");
    const indices shape = c.integers("shape");
    if (c.integer("resized_dims") != 2 || shape.rank < 2) {
        c.refuse("resizes other axes than height and width");
    }
    const std::string mode = c.word("interpolation_mode", "LINEAR");
    if (mode != "LINEAR" && mode != "NEAREST_NEIGHBOR") {
        c.refuse(formatted("interpolation_mode must be LINEAR or NEAREST_NEIGHBOR, not {}", mode));
    }
    const size2 to{pixels(c, shape[shape.rank - 2]), pixels(c, shape[shape.rank - 1])};
    const bool linear = mode == "LINEAR";
    return resized(c, x, to, linear ? sampling_method::bilinear : sampling_method::nearest,
                   grid_of(c, "sampling_mode"));
}

ANEMONE_INLINE sampling_method method_of(mil_call& c) {
    const std::string mode = c.word("sampling_mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") {
        c.refuse(formatted("sampling_mode must be bilinear or nearest, not {}", mode));
    }
    return mode == "bilinear" ? sampling_method::bilinear : sampling_method::nearest;
}
ANEMONE_INLINE sampling_border border_of(mil_call& c) {
    const std::string mode = c.word("padding_mode", "constant");
    const double value = c.number_of("padding_value", 0);
    if (mode == "constant" && value == 0) {
        return sampling_border::zero;
    }
    if (mode != "border" && mode != "reflection") {
        c.refuse(
            formatted("padding_mode {} with the value {} is not constant with 0, border or reflection", mode, value));
    }
    return mode == "border" ? sampling_border::edge : sampling_border::reflect;
}

/// Coordinates [N, h, w, 2] of x, y become the graph's [N, 2, h, w] of y, x in pixels.
ANEMONE_INLINE std::vector<mil_value> read_resample(mil_call& c) {
    const dynamic_tensor x = image(c);
    const bool corners = c.flag("align_corners", false);
    sampling s{.extent = 1,
               .method = method_of(c),
               .grid = corners ? sampling_grid::align_corners : sampling_grid::half_pixel,
               .border = border_of(c)};
    const dynamic_tensor last = c.tensor("coordinates");
    if (last.shape().rank != 4 || last.shape()[3] != 2) {
        c.refuse(formatted("has coordinates {}, not [N, H, W, 2]", print(last.shape())));
    }
    const dynamic_tensor first = c.transpose(last, {0, 3, 1, 2});
    const extents& g = first.shape();
    const extents one{g[0], 1, g[2], g[3]};
    const dynamic_tensor swapped =
        c.add(op::concat, {c.slice(first, {0, 1, 0, 0}, one), c.slice(first, {0, 0, 0, 0}, one)}, axis{1});
    s.extent = size2(static_cast<int>(g[2]), static_cast<int>(g[3]));
    const std::string mode = c.word("coordinates_mode", "unnormalized");
    dynamic_tensor grid = swapped;
    if (mode == "normalized_minus_one_to_one" || mode == "normalized_zero_to_one") {
        // From [-1, 1]: ((c + 1) n - 1) / 2 between the outer edges, (c + 1) (n - 1) / 2 between the corners.
        const double half_range = mode == "normalized_zero_to_one" ? 1 : 0.5;
        const double start = mode == "normalized_zero_to_one" ? 0 : 0.5;
        std::vector<float> scale;
        std::vector<float> offset;
        for (const std::int64_t extent : {x.shape().height(), x.shape().width()}) {
            const auto n = static_cast<double>(corners ? extent - 1 : extent);
            scale.push_back(static_cast<float>(half_range * n));
            offset.push_back(static_cast<float>(start * n - (corners ? 0 : 0.5)));
        }
        dynamic_builder& to = c.scope().graph;
        grid = c.add(op::mul, {grid, to.constant({1, 2, 1, 1}, scale, c.where())});
        grid = c.add(op::add, {grid, to.constant({1, 2, 1, 1}, offset, c.where())});
    } else if (mode != "unnormalized") {
        c.refuse(formatted(
            "coordinates_mode must be unnormalized, normalized_minus_one_to_one or normalized_zero_to_one, not {}",
            mode));
    }
    return c.result(c.add(op::resample, {x, grid}, s));
}

ANEMONE_INLINE std::vector<mil_value> read_affine(mil_call& c) {
    const dynamic_tensor x = image(c);
    if (const std::string mode = c.word("coordinates_mode", "normalized_minus_one_to_one");
        mode != "normalized_minus_one_to_one") {
        c.refuse(formatted("coordinates_mode {} is not normalized_minus_one_to_one", mode));
    }
    const int height = pixels(c, c.integer("output_height"));
    const int width = pixels(c, c.integer("output_width"));
    const sampling s{.extent = size2(height, width),
                     .method = method_of(c),
                     .grid = c.flag("align_corners", true) ? sampling_grid::align_corners : sampling_grid::half_pixel,
                     .border = border_of(c)};
    return c.result(c.add(op::affine, {x, c.tensor("transform_matrix")}, s));
}

ANEMONE_INLINE void add_images(statement_table& t) {
    t.insert({
        {"upsample_nearest_neighbor", read_upsample_nearest},
        {"upsample_bilinear", read_upsample_bilinear},
        {"resize_nearest_neighbor", read_resize_nearest},
        {"resize_bilinear", read_resize_bilinear},
        {"resize", read_resize},
        {"resample", read_resample},
        {"affine", read_affine},
    });
}

} // namespace ane::readers::inline ANEMONE_WAY
