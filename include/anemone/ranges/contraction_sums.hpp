#pragma once

#include "contraction_form.hpp"
#include "functions.hpp"

#include <cstdint>

/// The sums of a contraction whose weight is a constant: each output has its own.
namespace ane::detail {

/// The range of what one product adds to the accumulator, given the range `one` of the exact product. The array drops a
/// product if the exponents of its operands add up to less than -16, which is never so from 2^-15 on
/// (numerics-datapath, section 1, rule 1); the A13 also reads a subnormal operand as zero (R156); and `partial` windows
/// lack some products. Unless `partial` is false and the least magnitudes exclude the other two, the product may count
/// as zero.
constexpr interval counted(const interval& one, double least_x, double least_w, bool partial) {
    constexpr double smallest = 0x1p-15;
    constexpr double normal = 0x1p-14;
    const bool whole = !partial && least_x * least_w >= smallest && least_x >= normal && least_w >= normal;
    return whole ? one : with_zero(one);
}

/// Cauchy's inequality: sum |x w| over `terms` products is at most the length of x, the root of `terms` times its root
/// mean square, times the length of w.
constexpr double product_of_lengths(const interval& x, const contraction_form& f, double weight_length) {
    return x.rms < unbounded && x.along == f.along ? root(static_cast<double>(f.terms)) * x.rms * weight_length
                                                   : unbounded;
}
constexpr void narrow(contraction_bound& b, double most) {
    if (most >= unbounded) {
        return;
    }
    b.value.low = b.value.low > -most ? b.value.low : -most;
    b.value.high = b.value.high < most ? b.value.high : most;
    b.magnitudes = b.magnitudes < most ? b.magnitudes : most;
}

/// Sums over weights, of those above zero, those below, and all squares.
struct weight_sums {
    double above = 0;
    double below = 0;
    double squares = 0;

    /// Sixteen to a statement and without calls: compilers count both.
    constexpr void add(const float* v, std::int64_t count) {
        std::int64_t k = 0;
        for (; k + 16 <= count; k += 16, v += 16) {
            above += (v[0] > 0 ? v[0] : 0.0) + (v[1] > 0 ? v[1] : 0.0) + (v[2] > 0 ? v[2] : 0.0) +
                     (v[3] > 0 ? v[3] : 0.0) + (v[4] > 0 ? v[4] : 0.0) + (v[5] > 0 ? v[5] : 0.0) +
                     (v[6] > 0 ? v[6] : 0.0) + (v[7] > 0 ? v[7] : 0.0) + (v[8] > 0 ? v[8] : 0.0) +
                     (v[9] > 0 ? v[9] : 0.0) + (v[10] > 0 ? v[10] : 0.0) + (v[11] > 0 ? v[11] : 0.0) +
                     (v[12] > 0 ? v[12] : 0.0) + (v[13] > 0 ? v[13] : 0.0) + (v[14] > 0 ? v[14] : 0.0) +
                     (v[15] > 0 ? v[15] : 0.0);
            below += (v[0] < 0 ? v[0] : 0.0) + (v[1] < 0 ? v[1] : 0.0) + (v[2] < 0 ? v[2] : 0.0) +
                     (v[3] < 0 ? v[3] : 0.0) + (v[4] < 0 ? v[4] : 0.0) + (v[5] < 0 ? v[5] : 0.0) +
                     (v[6] < 0 ? v[6] : 0.0) + (v[7] < 0 ? v[7] : 0.0) + (v[8] < 0 ? v[8] : 0.0) +
                     (v[9] < 0 ? v[9] : 0.0) + (v[10] < 0 ? v[10] : 0.0) + (v[11] < 0 ? v[11] : 0.0) +
                     (v[12] < 0 ? v[12] : 0.0) + (v[13] < 0 ? v[13] : 0.0) + (v[14] < 0 ? v[14] : 0.0) +
                     (v[15] < 0 ? v[15] : 0.0);
            squares += 1.0 * v[0] * v[0] + 1.0 * v[1] * v[1] + 1.0 * v[2] * v[2] + 1.0 * v[3] * v[3] +
                       1.0 * v[4] * v[4] + 1.0 * v[5] * v[5] + 1.0 * v[6] * v[6] + 1.0 * v[7] * v[7] +
                       1.0 * v[8] * v[8] + 1.0 * v[9] * v[9] + 1.0 * v[10] * v[10] + 1.0 * v[11] * v[11] +
                       1.0 * v[12] * v[12] + 1.0 * v[13] * v[13] + 1.0 * v[14] * v[14] + 1.0 * v[15] * v[15];
        }
        for (; k < count; ++k, ++v) {
            above += *v > 0 ? *v : 0.0;
            below += *v < 0 ? *v : 0.0;
            squares += 1.0 * *v * *v;
        }
    }
};

/// The same bound of weights that are many: any product may count as zero, and what fp16 makes of each is no farther
/// from it than half an ulp. Takes a compiler a hundredth of the steps.
constexpr void add_many(const graph_view& g, const node& w, const interval& x, const contraction_form& f,
                        contraction_bound& b) {
    const float* const all = g.values(w).data();
    const weight_walk& at = f.walk;
    const double off = static_cast<double>(f.terms) * 0x1p-25; // of subnormal weights; of others in proportion
    const double most_below = x.low < 0 ? x.low : 0;
    const double most_above = x.high > 0 ? x.high : 0;
    double longest = 0;
    for (std::int64_t r = 0; r < at.rows; ++r) {
        weight_sums row;
        if (at.inners == 1) { // a column
            const float* v = all + r * at.row;
            for (std::int64_t i = 0; i < at.outers; ++i, v += at.outer) {
                row.above += *v > 0 ? *v : 0.0;
                row.below += *v < 0 ? *v : 0.0;
                row.squares += 1.0 * *v * *v;
            }
        } else {
            for (std::int64_t i = 0; i < at.outers; ++i) {
                row.add(all + r * at.row + i * at.outer, at.inners);
            }
        }
        const double above = row.above * (1 + 0x1p-11) + off;
        const double below = row.below * (1 + 0x1p-11) - off;
        const double low = above * most_below + below * most_above;
        const double high = above * most_above + below * most_below;
        const double magnitudes = (above - below) * x.magnitude();
        const double squares = row.squares * (1 + 0x1p-9) + off;
        b.value.low = r == 0 || low < b.value.low ? low : b.value.low;
        b.value.high = r == 0 || high > b.value.high ? high : b.value.high;
        b.magnitudes = magnitudes > b.magnitudes ? magnitudes : b.magnitudes;
        longest = squares > longest ? squares : longest;
    }
    narrow(b, product_of_lengths(x, f, root(longest)));
}

/// From here on weights are many: each on its own takes a compiler some fifty steps, of a million.
inline constexpr std::size_t many_weights = 8192;

/// The bound where the weight is a constant: adds up the ranges of the products of each output, and takes the extremes
/// of all outputs. Every weight has its own value here, so this is much narrower than `add_ranges`.
constexpr void add_constant(const graph_view& g, const node& w, const interval& x, const contraction_form& f,
                            contraction_bound& b) {
    const float* const all = g.values(w).data();
    const bool filled = g.values(w).size() == 1;
    const double least = least_magnitude(x);
    const weight_walk& at = f.walk;
    double longest = 0; // the largest sum of squares of a row
    for (std::int64_t r = 0; r < (filled ? 1 : at.rows); ++r) {
        interval row{0, 0, true};
        double magnitudes = 0;
        double squares = 0;
        for (std::int64_t i = 0; i < at.outers; ++i) {
            const float* const run = all + (filled ? 0 : r * at.row + i * at.outer);
            for (std::int64_t k = 0; k < at.inners; ++k) {
                const auto v = static_cast<double>(half(run[filled ? 0 : k]));
                if (v == 0) {
                    continue;
                }
                const interval p = counted(multiple(x, v), least, magnitude(v), f.partial);
                row.low += p.low;
                row.high += p.high;
                magnitudes += p.magnitude();
                squares += v * v;
            }
        }
        b.value.low = r == 0 || row.low < b.value.low ? row.low : b.value.low;
        b.value.high = r == 0 || row.high > b.value.high ? row.high : b.value.high;
        b.magnitudes = magnitudes > b.magnitudes ? magnitudes : b.magnitudes;
        longest = squares > longest ? squares : longest;
    }
    narrow(b, product_of_lengths(x, f, root(longest)));
}

} // namespace ane::detail
