#pragma once

#include <anemone/numerics/accumulator.hpp>
#include <anemone/numerics/kernels.hpp>
#include <anemone/values/half.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

/// Images read between their pixels.
namespace ane::standin {

/// A coordinate between two pixels of an axis: the first one, and the share of the one behind it. Beyond the image lies
/// nothing, where a coordinate is not held at the border.
struct axis_place {
    std::int64_t first = 0;
    double share = 0;
    std::int64_t extent = 1;
    bool outside = false;

    bool has(std::int64_t pixel) const { return !outside && pixel >= 0 && pixel < extent; }
};

inline axis_place place_at(double coordinate, std::int64_t extent) {
    axis_place p;
    p.extent = extent;
    p.outside = !(coordinate > -1 && coordinate < static_cast<double>(extent));
    if (!p.outside) {
        p.first = static_cast<std::int64_t>(std::floor(coordinate));
        p.share = coordinate - std::floor(coordinate);
    }
    return p;
}

/// Sample `index` of `count` of an axis, held at the first and the last pixel. DEFAULT starts on the first centre,
/// ALIGN_CORNERS reaches from centre to centre, UNALIGN_CORNERS from edge to edge.
inline double resized_coordinate(const std::string& mode, std::int64_t index, std::int64_t count, std::int64_t extent) {
    const auto i = static_cast<double>(index);
    const auto n = static_cast<double>(count);
    const auto e = static_cast<double>(extent);
    double at = 0;
    if (mode == "DEFAULT") {
        at = i * e / n;
    } else if (mode == "ALIGN_CORNERS") {
        at = count > 1 ? i * (e - 1) / (n - 1) : 0;
    } else {
        at = ((2 * i + 1) * e - n) / (2 * n);
    }
    return std::clamp(at, 0.0, e - 1);
}

/// The weighted mean of up to four pixels: each weight a number of fp16, products and sums one after another, or by the
/// convolution that a machine without a sampling unit makes of it. On a pixel, that pixel.
inline half sampled(const numerics::datapath& path, const half* plane, const axis_place& row,
                    const axis_place& column) {
    if (row.share == 0 && column.share == 0) {
        return row.has(row.first) && column.has(column.first) ? plane[row.first * column.extent + column.first]
                                                              : half{};
    }
    half total{};
    numerics::accumulator convolution(path);
    bool any = false;
    for (int corner = 0; corner < 4; ++corner) {
        const int down = corner / 2;
        const int right = corner % 2;
        const double weight = (down == 1 ? row.share : 1 - row.share) * (right == 1 ? column.share : 1 - column.share);
        if (weight == 0 || !row.has(row.first + down) || !column.has(column.first + right)) {
            continue;
        }
        any = true;
        const half w = numerics::round_to_half(weight, path.elementwise_ties);
        const half pixel = numerics::detail::entered(plane[(row.first + down) * column.extent + column.first + right]);
        convolution.multiply_add(pixel, w);
        total = numerics::binary(path, op::add, total, numerics::binary(path, op::mul, pixel, w));
    }
    return !any ? half{} : path.texture_engine ? total : convolution.result();
}

/// A coordinate from -1 to 1 along an axis, in pixels: from edge to edge, or from centre to centre.
inline double pixel_of(const numerics::datapath& path, double scaled, double offset, std::int64_t extent,
                       bool corners) {
    const auto e = static_cast<double>(extent);
    const double length = corners ? e - 1 : e;
    const double coordinate = (scaled + offset * length + length - (corners ? 0.0 : 1.0)) / 2;
    return static_cast<double>(numerics::round_to_half(coordinate, path.elementwise_ties));
}

/// The product of a coefficient with the coordinate of pixel `index` of `count`, times the length of the axis read.
inline double scaled_position(double coefficient, std::int64_t index, std::int64_t count, std::int64_t extent,
                              bool corners) {
    const double length = static_cast<double>(count) - (corners ? 1.0 : 0.0);
    const double position = 2 * static_cast<double>(index) + (corners ? 0.0 : 1.0) - length;
    const double reach = static_cast<double>(extent) - (corners ? 1.0 : 0.0);
    return length == 0 ? 0 : coefficient * position * reach / length;
}

} // namespace ane::standin
