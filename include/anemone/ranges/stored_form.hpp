#pragma once

#include "../graph/attributes.hpp"
#include "../numerics/width_offset.hpp"
#include "interval.hpp"

/// What storing a weight in a compressed form does to bounds (weights/encode.hpp).
namespace ane::detail {

/// How far a decoded element may be from the weight's own value, for weights of at most `most` in magnitude: half a
/// step, where a step is 1/127 (with 4 bits 1/7) of the largest element of the group, plus the rounding of the scale
/// and of the product with it. A sparse form keeps the nonzero elements as they are. A palette has no such bound: all
/// that is known is that its entries lie between the smallest and the largest weight.
constexpr double stored_error(const compression& c, double most) {
    switch (c.form) {
    case weight_form::sparse: return 0;
    case weight_form::palette:
    case weight_form::sparse_palette: return unbounded;
    default: break;
    }
    const auto levels = static_cast<double>((1 << (c.bits - 1)) - 1);
    return most * (0.5 / levels + 0x1p-9) + 0x1p-23;
}

/// The range of a weight as it is stored. An encoder makes no infinities.
constexpr interval range_of_stored(const compression& c, const interval& weight) {
    const double error = stored_error(c, weight.magnitude());
    if (error == 0 || error >= unbounded) {
        return weight;
    }
    const interval r{weight.low - error, weight.high + error, weight.declared};
    return stored({r.low < -half_max ? -half_max : r.low, r.high > half_max ? half_max : r.high, r.declared});
}

} // namespace ane::detail
