#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "activation_table.hpp"
#include "datapath.hpp"
#include "planar.hpp"
#include "rounding.hpp"

#include <cstddef>
#include <cstdint>

namespace ane::numerics::detail::inline ANEMONE_WAY {

/// The sine of `phase` segments of the quarter period's table, counted from 0 on.
///
/// The segments are run through in the order of the angle, downwards too: 45 ulp at 3.140625, which is the worst error
/// of M6 by the study, is the rounding to fp16 of the fraction and of the product in the last segment before pi
/// (inferred; no other reading tried gives it).
constexpr half sine_of_phase(double phase, tie_rule ties) noexcept {
    constexpr int quarter = activation_table::segments;
    constexpr double period = 4 * quarter;
    const double turns = phase / period;
    const double within = phase - period * static_cast<double>(static_cast<std::int64_t>(turns));
    const int segment = static_cast<int>(within);
    const auto knot = [](int i) {
        const int half_turn = i % (2 * quarter);
        const half value =
            sine_table.knots[static_cast<std::size_t>(half_turn <= quarter ? half_turn : 2 * quarter - half_turn)];
        return i % (4 * quarter) >= 2 * quarter && value.bits != 0 ? -value : value;
    };
    return activation_table::line(knot(segment), knot(segment + 1), within - segment, ties);
}

/// The sine of an angle by its series up to x^7, in fp16, the angle brought to [-pi, pi] without loss first. Wrong by
/// 0.075 at both ends.
constexpr half sine_by_series(const datapath& path, double angle) noexcept {
    const tie_rule ties = path.elementwise_ties;
    const double turns = angle / (2 * pi);
    const auto whole = static_cast<double>(static_cast<int>(turns + (turns < 0 ? -0.5 : 0.5)));
    const half x = round_to_half(angle - whole * 2 * pi, ties);
    const half square = multiply(path, x, x);
    half sum = scale_offset(path, square, round_to_half(-1.0 / 5040, ties), round_to_half(1.0 / 120, ties));
    sum = scale_offset(path, square, sum, round_to_half(-1.0 / 6, ties));
    sum = scale_offset(path, square, sum, half(1.0));
    return multiply(path, x, sum);
}

} // namespace ane::numerics::detail::inline ANEMONE_WAY

namespace ane::numerics::inline ANEMONE_WAY {

/// sin x. From A15 on by a table of a quarter period (measured M6: worst error 6.329e-4, 45 ulp) for every angle, which
/// is folded without loss (inferred). Before, see `sine_rule`.
constexpr half sine(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    if (is_infinite(v)) {
        return half{};
    }
    const double angle = static_cast<double>(v);
    if (path.sine == sine_rule::series) {
        return detail::sine_by_series(path, angle);
    }
    const half y = detail::sine_of_phase((angle < 0 ? -angle : angle) / sine_table.step, path.elementwise_ties);
    return angle < 0 && y.bits != 0 ? -y : y;
}

/// cos x = sin(x + pi/2): a quarter period further in the table or before the series. Of infinity both are +0 (N101),
/// the sine of a folded angle inf - inf = +0 (N091).
constexpr half cosine(const datapath& path, half x) noexcept {
    const half v = detail::entered(x);
    if (is_infinite(v)) {
        return half{};
    }
    const double angle = static_cast<double>(detail::magnitude(v));
    if (path.sine == sine_rule::series) {
        return detail::sine_by_series(path, angle + detail::pi / 2);
    }
    return detail::sine_of_phase(angle / sine_table.step + activation_table::segments, path.elementwise_ties);
}

/// arctan x, an odd function that ends at its last knot, atan 16 = 1.508: the step is inferred. Worst error 0.019
/// between the knots (0.01881, relative, in a sweep on M5: N206) and 0.063 beyond the last (0.04 to 0.12 near the
/// seams on M1: N120).
constexpr half arc_tangent(const datapath& path, half x) noexcept {
    return atan_table.odd(detail::entered(x), path.elementwise_ties);
}

} // namespace ane::numerics::inline ANEMONE_WAY
