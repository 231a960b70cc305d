#pragma once

#include "geometry.hpp"

/// Images at other places than their pixels. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

/// How Resize samples one axis of `extent` elements to `size`.
struct resized_axis {
    std::int64_t extent = 1;
    std::int64_t size = 1;
    double scale = 1;
    double begin = 0; ///< of the region that tf_crop_and_resize takes, as a fraction
    double end = 1;

    bool same() const { return extent == size && scale == 1; }
};

struct resize_mode {
    std::string mode, grid, rounding;
    double cubic = -0.75;
    bool exclude_outside = false;
    double extrapolation = 0;
};

/// Where element `i` of the result lies. Corners align at the length before it was rounded down.
ANEMONE_INLINE double coordinate(const resize_mode& how, const resized_axis& a, std::int64_t number) {
    const auto i = static_cast<double>(number);
    const auto extent = static_cast<double>(a.extent);
    if (how.grid == "tf_crop_and_resize") {
        const double begin = a.begin * (extent - 1);
        const double end = a.end * (extent - 1);
        return a.size > 1 ? begin + i * (end - begin) / static_cast<double>(a.size - 1) : (begin + end) / 2;
    }
    if (how.grid == "asymmetric") {
        return i / a.scale;
    }
    if (how.grid == "align_corners") {
        return a.size == 1 ? 0 : i * (extent - 1) / (extent * a.scale - 1);
    }
    if (how.grid == "half_pixel_symmetric") {
        const double adjustment = static_cast<double>(a.size) / (extent * a.scale);
        return extent / 2 * (1 - adjustment) + (i + 0.5) / a.scale - 0.5;
    }
    if (how.grid == "tf_half_pixel_for_nn") {
        return (i + 0.5) / a.scale;
    }
    return how.grid == "pytorch_half_pixel" && a.size == 1 ? 0 : (i + 0.5) / a.scale - 0.5;
}
ANEMONE_INLINE std::int64_t nearest_pixel(const resize_mode& how, const resized_axis& a, std::int64_t i) {
    const double at = coordinate(how, a, i);
    const double pixel = how.rounding == "floor"               ? std::floor(at)
                         : how.rounding == "ceil"              ? std::ceil(at)
                         : how.rounding == "round_prefer_ceil" ? std::floor(at + 0.5)
                                                               : std::ceil(at - 0.5);
    return std::clamp<std::int64_t>(whole(pixel), 0, a.extent - 1);
}
/// The part that a pixel `d` from a sample has in it, by cubic convolution.
constexpr double cubic_share(double c, double d) {
    d = d < 0 ? -d : d;
    return d <= 1  ? (c + 2) * d * d * d - (c + 3) * d * d + 1
           : d < 2 ? c * d * d * d - 5 * c * d * d + 8 * c * d - 4 * c
                   : 0;
}
/// What each sample of an axis takes of each of its elements: [size, extent].
ANEMONE_INLINE dynamic_tensor sampling_matrix(node_call& c, const resize_mode& how, const resized_axis& a) {
    const extents shape{a.size, a.extent};
    c.scope().allow(shape);
    std::vector<double> shares(static_cast<std::size_t>(shape.count()));
    const bool cubic = how.mode == "cubic";
    for (std::int64_t i = 0; i < a.size; ++i) {
        const double at = coordinate(how, a, i);
        const std::int64_t low = whole(std::floor(at));
        double total = 0;
        for (int pass = 0; pass < 2; ++pass) { // the first one adds up what lies inside
            for (std::int64_t tap = cubic ? -1 : 0; tap <= (cubic ? 2 : 1); ++tap) {
                const std::int64_t pixel = low + tap;
                const double distance = std::abs(at - static_cast<double>(pixel));
                double share = cubic ? cubic_share(how.cubic, distance) : std::max(1 - distance, 0.0);
                if (cubic && how.exclude_outside && (pixel < 0 || pixel >= a.extent)) {
                    share = 0;
                }
                if (pass == 0) {
                    total += share;
                } else {
                    const std::int64_t inside = std::clamp<std::int64_t>(pixel, 0, a.extent - 1);
                    shares[static_cast<std::size_t>(i * a.extent + inside)] +=
                        cubic && how.exclude_outside ? share / total : share;
                }
            }
        }
    }
    return c.filled(shape, [&](std::int64_t i) { return shares[static_cast<std::size_t>(i)]; });
}

/// Sizes and scales of the axes; each of the two gives the other.
ANEMONE_INLINE std::vector<resized_axis> resized_axes(node_call& c, const extents& x, bool old) {
    std::vector<std::int64_t> over = c.integers("axes").value_or(std::vector<std::int64_t>());
    if (!c.has_attribute("axes")) {
        over.reserve(static_cast<std::size_t>(x.rank));
        for (int i = 0; i < x.rank; ++i) {
            over.push_back(i);
        }
    }
    std::vector<resized_axis> all;
    all.reserve(static_cast<std::size_t>(x.rank) + 1);
    for (int i = 0; i < x.rank; ++i) {
        all.push_back({.extent = x[i], .size = x[i]});
    }
    const auto list = [&](int input) {
        std::vector<double> values;
        for (std::int64_t i = 0; input > 0 && c.has(input) && i < c.known(input).count() && i < 64; ++i) {
            values.push_back(c.known(input).at(i));
        }
        return values;
    };
    const std::vector<double> region = list(old ? 0 : 1);
    std::vector<double> scales = old && !c.has(1) ? c.numbers("scales") : list(old ? 1 : 2);
    const std::vector<double> sizes = list(old ? 0 : 3);
    c.require(sizes.size() == over.size() || scales.size() == over.size(), "has neither a scale nor a size for each "
                                                                           "axis");
    for (std::size_t k = 0; k < over.size(); ++k) {
        resized_axis& a = all[static_cast<std::size_t>(c.axis(over[k], x.rank))];
        if (sizes.size() == over.size()) {
            a.size = whole(sizes[k]);
            a.scale = sizes[k] / static_cast<double>(a.extent);
        } else {
            a.scale = scales[k];
            a.size = whole(std::floor(static_cast<double>(a.extent) * scales[k]));
        }
        c.require(a.size >= 1 && a.size <= 1 << 24 && a.scale > 0, formatted("resizes an axis to {}", a.size));
        if (region.size() == 2 * over.size()) {
            a.begin = region[k];
            a.end = region[k + over.size()];
        }
    }
    return all;
}

/// The graph's own operation, where its grid and rounding are the node's.
ANEMONE_INLINE std::optional<sampling> own_resize(const resize_mode& how, const resized_axis& h,
                                                  const resized_axis& w) {
    const auto whole_ratio = [](const resized_axis& a) {
        return std::abs(a.scale * static_cast<double>(a.extent) - static_cast<double>(a.size)) < 1e-9;
    };
    const bool natural = how.rounding == (how.grid == "asymmetric" ? "floor" : "round_prefer_floor");
    const bool linear = how.mode == "linear";
    const bool grid = how.grid == "half_pixel" || how.grid == "align_corners" || how.grid == "asymmetric" ||
                      (how.grid == "pytorch_half_pixel" && h.size > 1 && w.size > 1);
    if (!grid || !whole_ratio(h) || !whole_ratio(w) || !(linear || (how.mode == "nearest" && natural))) {
        return std::nullopt;
    }
    return sampling{.extent = size2(narrow(h.size), narrow(w.size)),
                    .method = linear ? sampling_method::bilinear : sampling_method::nearest,
                    .grid = how.grid == "align_corners" ? sampling_grid::align_corners
                            : how.grid == "asymmetric"  ? sampling_grid::asymmetric
                                                        : sampling_grid::half_pixel};
}

ANEMONE_INLINE resize_mode mode_of(node_call& c, bool old) {
    resize_mode how{.mode = c.word("mode", "nearest"),
                    .grid = c.word("coordinate_transformation_mode", old ? "asymmetric" : "half_pixel"),
                    .rounding = c.word("nearest_mode", old ? "floor" : "round_prefer_floor"),
                    .cubic = c.number("cubic_coeff_a", -0.75),
                    .exclude_outside = c.integer("exclude_outside", 0) != 0,
                    .extrapolation = c.number("extrapolation_value", 0)};
    how.mode = how.mode == "bilinear" ? "linear" : how.mode;
    c.require(how.mode == "nearest" || how.mode == "linear" || how.mode == "cubic",
              formatted("samples in the mode \"{}\"", shown(how.mode)));
    constexpr std::string_view grids[] = {"half_pixel",          "asymmetric",           "align_corners",
                                          "pytorch_half_pixel",  "tf_half_pixel_for_nn", "tf_crop_and_resize",
                                          "half_pixel_symmetric"};
    c.require(std::find(std::begin(grids), std::end(grids), how.grid) != std::end(grids),
              formatted("has the grid \"{}\"", shown(how.grid)));
    c.require(c.integer("antialias", 0) == 0, "smoothes while it shrinks (antialias)");
    c.require(c.word("keep_aspect_ratio_policy", "stretch") == "stretch", "keeps the aspect ratio");
    return how;
}

/// `resize`, or pixels by their numbers, or a product with a matrix for each axis.
ANEMONE_INLINE results read_resize(node_call& c) {
    const bool old = c.name() == "Upsample" || c.opset() < 11;
    const dynamic_tensor input = c.x(0);
    const resize_mode how = mode_of(c, old);
    std::vector<resized_axis> all = resized_axes(c, input.shape(), old);
    c.require(all.size() == 3 || all.size() == 4, "resizes a tensor of another rank than 3 or 4");
    const bool crops = how.grid == "tf_crop_and_resize";
    c.require(all[0].same() && all[1].same() && (!crops || (all[0].begin == 0 && all[0].end == 1)),
              "resizes other axes than height and width");
    const dynamic_tensor x = as_image(c, input);
    if (all.size() == 3) {
        all.insert(all.begin() + 2, resized_axis());
    }
    const resized_axis& h = all[2];
    const resized_axis& w = all[3];
    const int spatial = input.shape().rank - 2;
    if (const std::optional<sampling> own = own_resize(how, h, w)) {
        return {without_height(c, c.add(op::resize, {x}, *own), spatial)};
    }
    dynamic_tensor y = x;
    if (how.mode == "nearest") {
        for (const int axis : {2, 3}) {
            const resized_axis& a = all[static_cast<std::size_t>(axis)];
            y = c.add(op::gather, {y, c.filled({a.size}, [&](std::int64_t i) { return nearest_pixel(how, a, i); })},
                      ane::axis{axis});
        }
    } else {
        y = c.add(op::matmul, {sampling_matrix(c, how, h), x}, ane::transposed{});
        y = c.add(op::linear, {y, sampling_matrix(c, how, w)});
    }
    if (crops) {
        const dynamic_tensor mask = c.filled({h.size, w.size}, [&](std::int64_t i) {
            const double row = coordinate(how, h, i / w.size);
            const double column = coordinate(how, w, i % w.size);
            return row >= 0 && row <= static_cast<double>(h.extent - 1) && column >= 0 &&
                           column <= static_cast<double>(w.extent - 1)
                       ? 1
                       : 0;
        });
        y = c.add(op::select, {c.add(op::not_equal, mask, 0.0), y, c.number_tensor(how.extrapolation)});
    }
    return {without_height(c, y, spatial)};
}

/// The boxes as images of all samples, and pools of these.
ANEMONE_INLINE results read_roi_align(node_call& c) {
    const int ratio = narrow(c.integer("sampling_ratio", 0));
    const int height = narrow(c.integer("output_height", 1));
    const int width = narrow(c.integer("output_width", 1));
    c.require(ratio >= 1, "takes a number of samples that depends on data (sampling_ratio 0)");
    c.require(c.word("mode", "avg") == "avg", "takes the largest sample");
    c.require(ratio < 1 << 10 && height < 1 << 14 && width < 1 << 14, "gives too large an image");
    const dynamic_tensor order = c.filled({4}, [](std::int64_t i) { return i ^ 1; }); // x1 y1 x2 y2 as y1 x1 y2 x2
    const double scale = c.number("spatial_scale", 1);
    dynamic_tensor boxes = c.add(op::mul, c.add(op::gather, {c.x(1), order}, ane::axis{1}), scale);
    const std::string_view usual = c.opset() >= 16 ? "half_pixel" : "output_half_pixel";
    if (c.word("coordinate_transformation_mode", usual) != "half_pixel") {
        boxes = c.add(op::add, boxes, 0.5);
    }
    const dynamic_tensor images = c.add(op::gather, {c.x(0), c.x(2)}, ane::axis{0});
    const dynamic_tensor samples = c.add(op::crop_resize, {images, boxes},
                                         sampling{.extent = size2(height * ratio, width * ratio),
                                                  .method = sampling_method::bilinear,
                                                  .grid = sampling_grid::half_pixel,
                                                  .border = sampling_border::edge});
    return {c.add(op::avg_pool, {samples}, ane::pool{.kernel = ratio, .stride = ratio})};
}

/// `resample` at coordinates in pixels, which are fp16 here.
ANEMONE_INLINE results read_grid_sample(node_call& c) {
    const std::string mode = c.word("mode", "bilinear");
    const std::string border = c.word("padding_mode", "zeros");
    c.require(mode == "bilinear" || mode == "linear" || mode == "nearest",
              formatted("samples in the mode \"{}\"", shown(mode)));
    c.require(border == "zeros" || border == "border" || border == "reflection",
              formatted("pads in the mode \"{}\"", shown(border)));
    const dynamic_tensor x = c.x(0);
    const dynamic_tensor grid = c.x(1);
    const extents& s = x.shape();
    c.require(s.rank == 4 && grid.shape().rank == 4 && grid.shape()[3] == 2, "samples no images");
    const bool corners = c.integer("align_corners", 0) != 0;
    const dynamic_tensor at = c.transposed(grid, {0, 3, 1, 2}); // x, y
    const auto pixels = [&](std::int64_t channel, std::int64_t extent) {
        const auto length = static_cast<double>(extent);
        const dynamic_tensor part = c.along(at, 1, channel, 1);
        return c.add(op::add, c.add(op::mul, part, (corners ? length - 1 : length) / 2), (length - 1) / 2);
    };
    const dynamic_tensor places = c.joined({pixels(1, s[2]), pixels(0, s[3])}, 1);
    return {c.add(op::resample, {x, places},
                  sampling{.extent = size2(narrow(grid.shape()[1]), narrow(grid.shape()[2])),
                           .method = mode == "nearest" ? sampling_method::nearest : sampling_method::bilinear,
                           .grid = corners ? sampling_grid::align_corners : sampling_grid::half_pixel,
                           .border = border == "zeros"    ? sampling_border::zero
                                     : border == "border" ? sampling_border::edge
                                                          : sampling_border::reflect})};
}

ANEMONE_INLINE void add_sampling(converter_table& t) {
    t.insert({
        {"Resize", read_resize},
        {"Upsample", read_resize},
        {"RoiAlign", read_roi_align},
        {"GridSample", read_grid_sample},
    });
}

} // namespace ane::onnx::inline ANEMONE_WAY
