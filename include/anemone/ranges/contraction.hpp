#pragma once

#include "../graph/graph.hpp"
#include "../numerics/integer_products.hpp"
#include "../numerics/products_with_ones.hpp"
#include "functions.hpp"
#include "stored_form.hpp"

#include <cstdint>
#include <span>

/// Bounds of contractions: of the value that is stored, and of the accumulator on the way to it.
///
/// The accumulator is fixed point with 16 fraction bits. Once its magnitude reaches 2^15 the result is infinite,
/// whatever is added later (numerics-datapath, section 1). The order of the products is not known, so what bounds every
/// partial sum is the sum of the magnitudes of all products and of the bias, plus the rounding of each of them.
namespace ane {

/// The accumulator's magnitude from which a contraction stores infinity (R056; rule 4 of numerics-datapath).
inline constexpr double accumulator_ceiling = 32768.0;
/// Half a quantum of the accumulator: the rounding error of one product.
inline constexpr double accumulator_rounding = 0x1p-17;

/// What a contraction adds up.
struct contraction_bound {
    interval value;         ///< of the exact sum, bias included; `declared` if every operand is
    double magnitudes = 0;  ///< the largest sum of |x w| over the products of one output, plus |bias|
    double accumulator = 0; ///< `magnitudes` and the rounding of each product and of the bias
    std::int64_t terms = 0; ///< products of one output
    constexpr bool overflows() const noexcept { return accumulator >= accumulator_ceiling; }
};

namespace detail {

/// Which elements of a weight one output adds up. For output (row) r they are the elements r * row + i * outer + k of
/// the flat weight, for all i < outers and k < inners: `outers` runs of `inners` consecutive elements, `outer` apart.
struct weight_walk {
    std::int64_t rows = 1, row = 0;
    std::int64_t outers = 1, outer = 0;
    std::int64_t inners = 1;
};

/// What the bounds need to know of a contraction, whichever of the four operations it is.
struct contraction_form {
    int weight = 1;         ///< position of the weight: its values, or the sums of their magnitudes, may be known
    std::int64_t terms = 0; ///< products of one output
    bool partial = false;   ///< an output at the border may have fewer: its window reaches into the padding
    bool by_column = false; ///< the contract that bounds an output is `column_l1`, not `row_l1`
    bool walkable = true;   ///< `walk` describes the weight
    int along = -1;         ///< the axis of the other operand that one output adds up, from the last; -1: several
    int along_weight = -1;  ///< the same of the weight
    weight_walk walk{};
};

/// The weight, constant or other node that an operand is a copy of, element for element: looks through `identity`, and
/// through `compressed`, which changes values by no more than `error_of_storage`.
constexpr const node& stored_weight(const graph_view& g, const node& n) {
    const node* at = &n;
    while (at->kind == op::identity || at->kind == op::compressed) {
        at = &g.operand(*at, 0);
    }
    return *at;
}

/// By how much an element of an operand may differ from that of its `stored_weight`: the sum of the errors of the
/// compressed forms between the two. `most` bounds the magnitudes.
constexpr double error_of_storage(const graph_view& g, const node& n, double most) {
    double error = 0;
    for (const node* at = &n; at->kind == op::identity || at->kind == op::compressed; at = &g.operand(*at, 0)) {
        error += at->kind == op::compressed ? stored_error(at->get<compression>(), most) : 0;
    }
    return error;
}

constexpr bool is_parameter(const graph_view& g, const node& n) {
    const op kind = stored_weight(g, n).kind;
    return kind == op::weight || kind == op::constant;
}

constexpr contraction_form form_of(const graph_view& g, const node& n) {
    const extents& x = g.operand(n, 0).shape;
    const extents& w = g.operand(n, 1).shape;
    contraction_form f;
    if (n.kind == op::conv2d) {
        f.terms = w[1] * w[2] * w[3];
        f.partial = n.get<conv>().padding != padding2{};
        f.walk = {w[0], f.terms, 1, 0, f.terms};
        f.along = w[2] * w[3] == 1 && n.get<conv>().groups == 1 ? 2 : -1;
    } else if (n.kind == op::conv_transpose2d) {
        const conv_transpose& a = n.get<conv_transpose>();
        const auto taps = [](std::int64_t kernel, int stride, int dilation) {
            return dilation == 1 ? (kernel + stride - 1) / stride : kernel;
        };
        f.terms = x.channels() / a.groups * taps(w[2], a.stride.height, a.dilation.height) *
                  taps(w[3], a.stride.width, a.dilation.width);
        f.partial = true;
        f.by_column = true;
        f.walk = {w[1], w[2] * w[3], w[0], w[1] * w[2] * w[3], w[2] * w[3]};
    } else if (n.kind == op::linear) {
        f.terms = x.width();
        f.walk = {w[0], f.terms, 1, 0, f.terms};
        f.along = 0;
        f.along_weight = 0;
    } else {
        const transposed& a = n.get<transposed>();
        const bool left = is_parameter(g, g.operand(n, 0)) && !is_parameter(g, g.operand(n, 1));
        const extents& matrix = left ? x : w;
        f.terms = a.a ? x.height() : x.width();
        f.weight = left ? 0 : 1;
        f.along = (left ? a.b : !a.a) ? 0 : 1;
        f.along_weight = (left ? !a.a : a.b) ? 0 : 1;
        // In x w^T and w x each row of w makes one output, in x w and w^T x each column.
        const bool columns = left ? a.a : !a.b;
        const std::int64_t outputs = columns ? matrix.width() : matrix.height();
        f.walk = columns ? weight_walk{outputs, 1, f.terms, outputs, 1} : weight_walk{outputs, f.terms, 1, 0, f.terms};
        f.walkable = matrix.rank == 2;
        // A batch of matrices has its rows and columns on other axes than the first and second, to which contracts
        // apply. `row_l1` then bounds the sum over a whole matrix, and so every output that reads a part of it.
        f.by_column = columns && f.walkable;
    }
    return f;
}

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

/// The bound where only ranges are known: the range of one product times their number. Where the weight's contract
/// bounds sum |w| over one output (`row_l1`, `column_l1`), it also bounds |sum x w| <= max |x| sum |w|.
constexpr void add_ranges(const graph_view& g, const node& weight, const interval& x, const interval& w,
                          const contraction_form& f, contraction_bound& b) {
    const interval one = counted(product(x, w), least_magnitude(x), least_magnitude(w), f.partial);
    const auto terms = static_cast<double>(f.terms);
    b.value = times(one, terms);
    b.magnitudes = one.magnitude() * terms;
    double squares = terms * w.magnitude() * w.magnitude(); // of the weights of one output
    const node& source = stored_weight(g, weight);
    if (source.kind == op::weight || source.kind == op::input) {
        const contract& promise = source.get<contract>();
        const double promised = f.by_column ? promise.column_l1 : promise.row_l1;
        const double sum = promised + error_of_storage(g, weight, w.magnitude()) * terms;
        if (promised < contract::any && sum < unbounded) {
            narrow(b, x.magnitude() * sum);
            squares = squares < sum * w.magnitude() ? squares : sum * w.magnitude();
        }
    }
    narrow(b, product_of_lengths(x, f, root(squares)));
    if (w.along == f.along_weight) {
        const double length = w.rms < unbounded ? terms * w.rms : unbounded; // times the root of `terms`, of x
        narrow(b, x.magnitude() * (w.l1 < length ? w.l1 : length));
    }
    if (x.along == f.along) {
        narrow(b, w.magnitude() * x.l1);
    }
}

/// softmax(scale q k^T) v: the value is a mean of v with weights that add up to one; the accumulator has to hold the
/// sums of both products, q k^T before it is scaled and that mean.
template <class Operand>
constexpr contraction_bound bound_of_attention(const graph_view& g, const node& n, Operand in) {
    const std::int64_t depth = g.operand(n, 0).shape.width();
    const std::int64_t keys = g.operand(n, 1).shape.height();
    const interval scores = product(in(0), in(1));
    contraction_bound b{};
    // They add up to one only within the errors of the tables and of the narrow sum in numerics/softmax.hpp.
    b.value = widened(with_zero(in(2)), in(2).magnitude() / 64 + static_cast<double>(keys + 1) * accumulator_rounding);
    b.terms = depth;
    b.magnitudes = scores.magnitude() * static_cast<double>(depth);
    const double mean = b.value.magnitude();
    b.magnitudes = b.magnitudes > mean ? b.magnitudes : mean;
    b.accumulator = b.magnitudes + static_cast<double>(depth + 1) * accumulator_rounding;
    b.value.declared = in(0).declared && in(1).declared && in(2).declared;
    return b;
}

/// The scores of attention on their way to its softmax: q k^T, times the scale, with the mask added. What a mask takes
/// below fp16 becomes -infinity, of which the softmax makes the 0 that is meant.
template <class Operand> constexpr interval scores_of_attention(const graph_view& g, const node& n, Operand in) {
    const interval products = times(product(in(0), in(1)), static_cast<double>(g.operand(n, 0).shape.width()));
    const interval scaled = hull(products, multiple(products, static_cast<double>(n.get<score_scaling>().scale)));
    if (n.operands.count < 4) {
        return scaled;
    }
    const interval masked = sum(scaled, in(3));
    return {scaled.low, masked.high > scaled.high ? masked.high : scaled.high, masked.declared};
}

/// Whether some generation adds up the codes of this layer's weight, and scales their sum (datapath::weight_scale).
constexpr bool may_add_codes(const graph_view& g, const node& n) {
    if (n.kind != op::conv2d && n.kind != op::linear && (n.kind != op::matmul || !n.get<transposed>().b)) {
        return false;
    }
    const node& w = g.operand(n, 1);
    return w.kind == op::compressed && (n.kind == op::conv2d || w.shape.rank == 2) &&
           is_scaled_by_channel(w.get<compression>());
}

/// The largest code of such a weight, in the units of the register (datapath::code_integer_bits): 127 / 16 or 7.
constexpr double largest_code(const compression& c) {
    return static_cast<double>((1 << (c.bits - 1)) - 1) * (c.bits == 8 ? 0.0625 : 1.0);
}

/// A bound of the sums of its codes: their largest is that of every channel, whatever the weight's range.
constexpr double sum_of_codes(const graph_view& g, const node& n, const interval& x) {
    return x.magnitude() * largest_code(g.operand(n, 1).get<compression>()) * static_cast<double>(form_of(g, n).terms);
}

/// The bound of a contraction or of attention; `in(i)` is the range of operand i.
template <class Operand>
constexpr contraction_bound bound_of_contraction(const graph_view& g, const node& n, Operand in) {
    if (n.kind == op::attention) {
        return bound_of_attention(g, n, in);
    }
    const contraction_form f = form_of(g, n);
    const node& weight = g.operand(n, f.weight);
    const interval& x = in(1 - f.weight);
    const interval& w = in(f.weight);
    contraction_bound b;
    b.terms = f.terms;
    if (!x.bounded() || !w.bounded()) {
        b.value = have_one_sign(x, w) ? at_least(0, true) : anything(true);
        b.magnitudes = unbounded;
    } else if (weight.kind == op::constant && f.walkable) {
        g.values(weight).size() < many_weights ? add_constant(g, weight, x, f, b) : add_many(g, weight, x, f, b);
    } else {
        add_ranges(g, weight, x, w, f, b);
    }
    const auto terms = static_cast<double>(f.terms);
    // The engine rounds each product to the quantum of its accumulator; the CPU backend adds in fp32, which rounds each
    // partial sum.
    const interval exact = b.value;
    b.value = widened(exact, (terms + 1) * accumulator_rounding + b.magnitudes * terms * 0x1p-24);
    // On A13 a product with ones is a reduction, whose register is narrow (see narrow_sum).
    if (is_product_with_ones(g, n)) {
        b.value = widened(b.value, b.magnitudes / 512);
    }
    // A sum of codes is rounded in units of the largest weight, stored, and rounded again when it is scaled.
    if (may_add_codes(g, n) && w.bounded()) {
        b.value = widened(b.value, b.magnitudes / 512 + terms * w.magnitude() * 0x1p-17);
    }
    // No rounding takes a sum of products that are all of one sign across zero.
    b.value = with_sign_of(exact, b.value);
    b.value.declared = x.declared && w.declared;
    if (n.operands.count > 2) {
        // The bias is either the first value of the accumulator, rounded to its quantum, or added to the sum after that
        // was stored in fp16: both must lie in the range.
        const interval& bias = in(2);
        b.value = hull(sum(b.value, widened(bias, accumulator_rounding)), sum(stored(b.value), bias));
        b.value.declared = b.value.declared && bias.declared;
        b.magnitudes += bias.magnitude();
    }
    b.accumulator = b.magnitudes + (terms + 1) * accumulator_rounding;
    return b;
}

inline constexpr double contraction_ceiling = accumulator_ceiling;

/// Whether activations of this range may become infinite because they meet a weight that is stored in 8-bit integers:
/// those above 4094 may (R093).
constexpr bool saturates_before(const node& weight, const interval& x) {
    return x.magnitude() > gain_ceiling && ane::is_int8_weight(weight);
}

template <class Operand> constexpr interval range_of_contraction(const graph_view& g, const node& n, Operand in) {
    const contraction_bound b = bound_of_contraction(g, n, in);
    const bool infinite = saturates_before(g.operand(n, 1), in(0)) || saturates_before(g.operand(n, 0), in(1));
    if (b.overflows() || infinite) {
        return b.value.low >= 0 ? at_least(0, b.value.declared) : anything(b.value.declared);
    }
    // Sums of codes may end where those of the weights do not: nothing is known then, and nothing refuted.
    const bool adds_codes = may_add_codes(g, n);
    return adds_codes && sum_of_codes(g, n, in(0)) >= contraction_ceiling ? anything(false) : stored(b.value);
}

/// Only the mean has to stay below the ceiling, not the scores, which `b.accumulator` covers as well: a score that
/// overflows to infinity takes all of the weight, and the result is still a mean of v.
constexpr interval range_of_attention(const contraction_bound& b) {
    return b.value.magnitude() < contraction_ceiling ? stored(b.value) : anything(b.value.declared);
}

} // namespace detail

/// The bound of node `n`, a contraction or attention, from the ranges of all nodes: what R056 is held against.
constexpr contraction_bound accumulator_bound(const graph_view& g, const node& n, std::span<const interval> known) {
    return detail::bound_of_contraction(g, n, [&](int position) -> const interval& {
        return known[static_cast<std::size_t>(g.operands(n)[static_cast<std::size_t>(position)])];
    });
}

/// The sums that a contraction may hold at any moment: the accumulator's bound on either side.
constexpr interval contraction_range(const graph_view& g, const node& n, std::span<const interval> known) {
    const contraction_bound b = accumulator_bound(g, n, known);
    return {-b.accumulator, b.accumulator, b.value.declared};
}

} // namespace ane
