#pragma once

#include "../graph/attributes.hpp"
#include "../values/shape.hpp"

#include <cstdint>

/// Which of MIL's operations a resize is. Facts: mil-ops section 6, for the grids the public definitions.
namespace ane::forms {

enum class mil_resize : std::uint8_t {
    none,
    upsample_nearest, ///< whole factors: each pixel becomes a block, on the half-pixel grid as on the asymmetric one
    nearest,          ///< the pixel below, on the asymmetric grid
    bilinear          ///< on each grid, by its sampling_mode
};

constexpr mil_resize mil_resize_of(const sampling& s, const extents& x) {
    if (s.method == sampling_method::bilinear) {
        return mil_resize::bilinear;
    }
    if (s.grid == sampling_grid::align_corners) {
        return mil_resize::none;
    }
    if (s.extent.height % x[2] == 0 && s.extent.width % x[3] == 0) {
        return mil_resize::upsample_nearest;
    }
    return s.grid == sampling_grid::asymmetric ? mil_resize::nearest : mil_resize::none;
}

} // namespace ane::forms
