#pragma once

#include "../../base/way.hpp"
#include "../../graph/attributes.hpp"
#include "arithmetic.hpp"

#include <cmath>
#include <cstdint>

/// Which pixels a coordinate reads, and their weighted mean: shared by all operations of the sampling unit. Pixel i of
/// an axis has its centre at coordinate i.
namespace ane::kernels::inline ANEMONE_WAY {

/// Two neighbouring pixels of an axis and the share of the second. A pixel of -1 lies outside the image and is zero. A
/// pixel with a share of 0 is not read, so an infinity beside the coordinate does no harm.
struct axis_sample {
    std::int64_t first = -1;
    std::int64_t second = -1;
    double share = 0; ///< of the second
};

/// Which of two pixels is the nearest to a coordinate between them.
enum class nearest_rule : std::uint8_t {
    below,     ///< always the one below: pixels are boxes from their coordinate on
    half_down, ///< the lower one of two that are equally near (the default of ONNX Resize)
    half_even  ///< the even one of two that are equally near (PyTorch and ONNX GridSample)
};

/// The pixel nearest to a coordinate; none for a coordinate outside the image or a NaN.
ANEMONE_INLINE axis_sample nearest_pixel(double coordinate, std::int64_t extent, nearest_rule rule) {
    if (!(coordinate > -1 && coordinate < static_cast<double>(extent))) {
        return {};
    }
    const double below = std::floor(coordinate);
    const double rest = coordinate - below;
    auto pixel = static_cast<std::int64_t>(below);
    const bool tie_goes_up = rule == nearest_rule::half_even && pixel % 2 != 0;
    if (rule != nearest_rule::below && (rest > 0.5 || (rest == 0.5 && tie_goes_up))) {
        ++pixel;
    }
    return {pixel < extent ? pixel : -1, -1, 0};
}

/// The two pixels around a coordinate, by their distances; none for a coordinate that is a pixel or more outside, or a
/// NaN.
ANEMONE_INLINE axis_sample pixels_around(double coordinate, std::int64_t extent) {
    if (!(coordinate > -1 && coordinate < static_cast<double>(extent))) {
        return {};
    }
    const double below = std::floor(coordinate);
    const auto first = static_cast<std::int64_t>(below);
    return {first, first + 1 < extent ? first + 1 : -1, coordinate - below};
}

/// The coordinate at which the image is read under a border. `zero` leaves it as it is; `edge` moves it to the first or
/// the last pixel; `reflect` mirrors it, at the centres of these two if `at_centres`, else at their outer edges
/// (PyTorch's grid_sample). A NaN, or an infinity under `reflect`, becomes 0.
ANEMONE_INLINE double bordered(double coordinate, std::int64_t extent, sampling_border border, bool at_centres) {
    if (border == sampling_border::zero) {
        return coordinate;
    }
    const auto last = static_cast<double>(extent - 1);
    if (border == sampling_border::reflect) {
        const double low = at_centres ? 0.0 : -0.5;
        const double span = at_centres ? last : last + 1;
        if (span == 0) {
            return 0;
        }
        const double distance = std::fabs(coordinate - low);
        const double rest = std::fmod(distance, span);
        const bool turned = std::fmod(std::floor(distance / span), 2.0) != 0;
        coordinate = turned ? low + span - rest : low + rest;
    }
    return !(coordinate > 0) ? 0 : (coordinate < last ? coordinate : last);
}

/// What is read at a coordinate. `rule` is for the nearest method.
ANEMONE_INLINE axis_sample axis_sample_at(double coordinate, std::int64_t extent, const sampling& s,
                                          nearest_rule rule) {
    const double at = bordered(coordinate, extent, s.border, s.grid == sampling_grid::align_corners);
    return s.method == sampling_method::nearest ? nearest_pixel(at, extent, rule) : pixels_around(at, extent);
}

/// The pixels of a plane whose weighted mean one pixel of the result is: up to four of the image, fewer at a border
/// that is zero. Each weight is the product of two shares, which the engine holds as an fp16 number (inferred).
template <class Value> struct neighbours {
    int count = 0;
    bool whole = false; ///< a single pixel, which passes unchanged, bit for bit
    std::int64_t offset[4]{};
    Value weight[4]{};
};

template <class Arithmetic>
neighbours<typename Arithmetic::value> neighbours_of(const Arithmetic& a, std::int64_t width, const axis_sample& row,
                                                     const axis_sample& column) {
    neighbours<typename Arithmetic::value> r;
    r.whole = row.share == 0 && column.share == 0;
    const auto add = [&](std::int64_t y, double row_share, std::int64_t x, double column_share) {
        if (y >= 0 && x >= 0 && row_share * column_share != 0) {
            r.offset[r.count] = y * width + x;
            r.weight[r.count] = a.number(row_share * column_share);
            ++r.count;
        }
    };
    add(row.first, 1 - row.share, column.first, 1 - column.share);
    add(row.first, 1 - row.share, column.second, column.share);
    add(row.second, row.share, column.first, 1 - column.share);
    add(row.second, row.share, column.second, column.share);
    return r;
}

/// Their mean. An infinity or a NaN among them shows where its weight is not 0.
template <class Arithmetic>
element_of<Arithmetic> blended(const Arithmetic& a, const element_of<Arithmetic>* plane,
                               const neighbours<typename Arithmetic::value>& n) {
    if (n.whole || n.count == 0) {
        return n.count == 0 ? element_of<Arithmetic>{} : plane[n.offset[0]];
    }
    typename Arithmetic::blend total(a);
    for (int i = 0; i < n.count; ++i) {
        total.multiply_add(a.load(plane[n.offset[i]]), n.weight[i]);
    }
    return a.store(total.result());
}

} // namespace ane::kernels::inline ANEMONE_WAY
