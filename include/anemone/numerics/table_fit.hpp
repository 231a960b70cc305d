#pragma once

#include "../base/way.hpp"
#include "activation_table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ane::numerics::inline ANEMONE_WAY {

/// How a fitted table is made: the place of its last knot (the first is opposite) and the weight of the value 0, in
/// units of one fp16 value. Fitted numbers; see fit_table for what they explain.
struct fit_recipe {
    double last;
    double weight_of_zero;
};

/// Of gelu and gelu_sigmoid.
constexpr fit_recipe gelu_recipe(table_variant variant) noexcept {
    switch (variant) {
    case table_variant::m1: return {1003.0 / 256, 6632.0};
    case table_variant::m5: return {4.0, 80.0};
    default: return {4.0, 100.0};
    }
}
constexpr fit_recipe silu_recipe(table_variant variant) noexcept {
    return variant == table_variant::m1 ? fit_recipe{1003.0 / 128, 6632.0} : fit_recipe{8.0, 90.0};
}

/// The piecewise linear function of 32 segments with the least sum of squared errors over every normal fp16 value
/// inside the domain, each counted once, and over 0, counted `weight_of_zero` times. Knots rounded to fp16.
///
/// This is how the tables of gelu and silu are made here, and it is inferred: neither table is published in full. Why
/// this fit: counting fp16 values instead of lengths gives the published worst errors of M6 to all their digits
/// (6.159e-3 and 1.491e-2) and its points (gelu 0.1436 at 0.25, silu 0.296 at 0.5) without any free parameter; even
/// spacing gives 4.2e-3 and 0.1458. The one free number, the weight of 0, moves the value at 0 by 0.5 % for M6, to the
/// worst errors in ulp of the study (12632 and 28560, at 0). M1 takes two: a weight and a domain shorter by 2 % give
/// its three points at once (N113, N114, N119); on the domain of M6 a fit with N113 errs by 0.0063 (N119: 0.0059). The
/// run-time generator of fitted_tables.hpp; the tests compare the two bit by bit.
template <class Function> activation_table fit_table(const fit_recipe& recipe, Function function) {
    constexpr std::size_t knots = activation_table::segments + 1;
    const double first = -recipe.last;
    const double step = 2 * recipe.last / activation_table::segments;
    std::array<double, knots> diagonal{};
    std::array<double, knots> beside{};
    std::array<double, knots> right{};
    const auto count = [&](double x, double weight) {
        const double place = (x - first) / step;
        if (!(place >= 0.0) || place > activation_table::segments) {
            return;
        }
        const int segment =
            place >= activation_table::segments ? activation_table::segments - 1 : static_cast<int>(place);
        const auto i = static_cast<std::size_t>(segment);
        const double high = place - segment;
        const double low = 1.0 - high;
        const double y = function(x);
        diagonal[i] += weight * low * low;
        diagonal[i + 1] += weight * high * high;
        beside[i] += weight * low * high;
        right[i] += weight * low * y;
        right[i + 1] += weight * high * y;
    };
    for (std::uint32_t bits = 0x0400; bits < 0x7C00; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        count(static_cast<double>(half::from_bits(pattern)), 1.0);
        count(-static_cast<double>(half::from_bits(pattern)), 1.0);
    }
    count(0.0, recipe.weight_of_zero);
    // The normal equations are tridiagonal: neighbours share a segment.
    for (std::size_t i = 1; i < knots; ++i) {
        const double factor = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= factor * beside[i - 1];
        right[i] -= factor * right[i - 1];
    }
    activation_table table{first, step, {}, {}, {}};
    double next = 0.0;
    for (std::size_t i = knots; i-- > 0;) {
        next = (right[i] - (i + 1 < knots ? beside[i] * next : 0.0)) / diagonal[i];
        table.knots[i] = half(next);
    }
    table.low = {first, static_cast<double>(table.knots[0])};
    table.high = {table.last(), static_cast<double>(table.knots[activation_table::segments])};
    return table;
}

} // namespace ane::numerics::inline ANEMONE_WAY
