#pragma once

#include "../base/way.hpp"
#include "../values/half.hpp"
#include "datapath.hpp"
#include "function_samples.hpp"
#include "rounding.hpp"

#include <array>
#include <cstddef>

namespace ane::numerics::inline ANEMONE_WAY {

/// Where a table's outermost line, outside the domain, reaches the asymptote, and the asymptote.
struct table_tail {
    double end;
    double value;
};

/// A function as the engine stores it: 33 fp16 knots at equal steps, a straight line between two of them, one more line
/// on either side, a clamp at their ends. The record (33 knots, 4 tail coefficients, 2 clamps) is decompiled (N121);
/// knots, steps and domains are measured on M6 (numerics-datapath, section 4).
///
/// A value is knot + difference * fraction, with the fraction, the product and the sum each rounded to fp16: inferred.
/// Of ten readings tried, it is one of two that reproduce the published worst errors of sigmoid, tanh, erf, sine, exp
/// and log together (the other takes a slope per unit; the two differ only where the step is no power of two). An
/// argument is a sign and a magnitude: below 0 the fraction counts from the knot nearer to 0 (inferred: with it gelu
/// and silu of M6 are worst where the study says, at 0).
struct activation_table {
    static constexpr int segments = 32;
    double first; ///< place of knot 0
    double step;
    std::array<half, segments + 1> knots;
    table_tail low;
    table_tail high;

    constexpr double last() const noexcept { return first + segments * step; }

    constexpr half at(double x, tie_rule ties) const noexcept {
        if (x < first) {
            return x <= low.end ? half(low.value)
                                : line(knots[0], half(low.value), (x - first) / (low.end - first), ties);
        }
        if (x >= last()) {
            const double beyond = x - last();
            return x >= high.end ? half(high.value)
                                 : line(knots[segments], half(high.value), beyond / (high.end - last()), ties);
        }
        return x < 0 && first < 0 ? below_zero(x, ties) : above(x, ties);
    }

    /// Of an odd function, whose table starts at 0.
    constexpr half odd(half x, tie_rule ties) const noexcept {
        const double value = static_cast<double>(x);
        const half magnitude = at(value < 0 ? -value : value, ties);
        return value < 0 && magnitude.bits != 0 ? -magnitude : magnitude;
    }

    static constexpr half line(half from, half to, double fraction, tie_rule ties) noexcept {
        const double start = static_cast<double>(from);
        const double rise = static_cast<double>(round_to_half(static_cast<double>(to) - start, ties));
        const double along = static_cast<double>(round_to_half(fraction, ties));
        return round_to_half(start + static_cast<double>(round_to_half(rise * along, ties)), ties);
    }

private:
    constexpr half above(double x, tie_rule ties) const noexcept {
        const double place = (x - first) / step;
        const int whole = place >= segments ? segments - 1 : static_cast<int>(place);
        const auto i = static_cast<std::size_t>(whole);
        return line(knots[i], knots[i + 1], place - whole, ties);
    }
    /// 0 lies at the middle knot.
    constexpr half below_zero(double x, tie_rule ties) const noexcept {
        const double place = -x / step;
        const int whole = static_cast<int>(place);
        if (whole >= segments / 2) {
            return knots[0];
        }
        const auto i = static_cast<std::size_t>(segments / 2 - whole);
        return line(knots[i], knots[i - 1], place - whole, ties);
    }
};

/// Knots that are samples of `function`, rounded to fp16; beyond the domain the end knots.
template <class Function>
constexpr activation_table sampled_table(double first, double step, Function function) noexcept {
    activation_table table{first, step, {}, {}, {}};
    for (int i = 0; i <= activation_table::segments; ++i) {
        table.knots[static_cast<std::size_t>(i)] = half(function(first + i * step));
    }
    table.low = {first, static_cast<double>(table.knots[0])};
    table.high = {table.last(), static_cast<double>(table.knots[activation_table::segments])};
    return table;
}

/// The same with a line to an asymptote on either side.
template <class Function>
constexpr activation_table sampled_table(double first, double step, Function function, table_tail low,
                                         table_tail high) noexcept {
    activation_table table = sampled_table(first, step, function);
    table.low = low;
    table.high = high;
    return table;
}

/// The two published domains, [-8, 8] on M6 and [-9.938, 8.320] on M1 (N116), are read as the knots and the ends of the
/// tails of one table (inferred): the published worst error of 811 ulp is sigmoid(-9.9375) in units of 2^-24, the jump
/// of a clamp to 0 there, and 8.320 is where the function rounds to 1 in fp16.
inline constexpr activation_table sigmoid_table =
    sampled_table(-8.0, 0.5, detail::sample_sigmoid, {-9.9375, 0.0}, {8.3203125, 1.0});
/// Odd functions are stored for x >= 0. They must reach 1 (N083, N084), their knots do not; the tail ends where the
/// function rounds to 1, as that of sigmoid (inferred).
inline constexpr activation_table tanh_table =
    sampled_table(0.0, 0.125, detail::sample_tanh, {0.0, 0.0}, {4.5078125, 1.0});
inline constexpr activation_table erf_table =
    sampled_table(0.0, 1.0 / 16, detail::sample_erf, {0.0, 0.0}, {2.59375, 1.0});
/// e^-t - 1 for t >= 0, then the end knot. Domain and step are inferred: an error of 0.0051 relative to the largest
/// value in a sweep on M5 (facts: ops.json) is that of a step of 0.25; a composition with exp would err by a tenth of
/// it.
inline constexpr activation_table elu_table = sampled_table(0.0, 0.25, detail::sample_elu_below);
/// Step and domain inferred (see arc_tangent).
inline constexpr activation_table atan_table = sampled_table(0.0, 0.5, detail::sample_atan);
/// A quarter period.
inline constexpr activation_table sine_table = sampled_table(0.0, detail::pi / 64, detail::sample_sin);
/// 2^f, f in [0, 1].
inline constexpr activation_table exp2_table = sampled_table(0.0, 1.0 / 32, detail::sample_exp2);
/// Samples over a mantissa in [0.5, 1).
inline constexpr activation_table log2_table = sampled_table(0.5, 1.0 / 64, detail::sample_log2);
inline constexpr activation_table inverse_table = sampled_table(0.5, 1.0 / 64, detail::sample_inverse);
/// Samples over a mantissa in [0.5, 2), which leaves an even exponent: 24 of the 32 segments.
inline constexpr activation_table sqrt_table = sampled_table(0.5, 1.0 / 16, detail::sample_sqrt);
inline constexpr activation_table rsqrt_table = sampled_table(0.5, 1.0 / 16, detail::sample_rsqrt);

} // namespace ane::numerics::inline ANEMONE_WAY
