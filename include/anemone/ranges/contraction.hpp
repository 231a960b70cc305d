#pragma once

#include "../numerics/integer_products.hpp"
#include "../numerics/products_with_ones.hpp"
#include "contraction_sums.hpp"

#include <cstdint>
#include <span>

/// Bounds of contractions: of the value that is stored, and of the accumulator on the way to it.
///
/// The accumulator is fixed point with 16 fraction bits. Once its magnitude reaches 2^15 the result is infinite,
/// whatever is added later (numerics-datapath, section 1). The order of the products is not known, so what bounds every
/// partial sum is the sum of the magnitudes of all products and of the bias, plus the rounding of each of them.
namespace ane {

namespace detail {

/// The bound where only ranges are known: the range of one product times their number. Where the weight's contract
/// bounds sum |w| over one output (`row_l1`, `column_l1`), it also bounds |sum x w| <= max |x| sum |w|.
constexpr void add_ranges(const graph_view& g, const node& weight, const interval& x, const interval& w,
                          const contraction_form& f, contraction_bound& b) {
    const interval one = counted(product(x, w), least_magnitude(x), least_magnitude(w), f.partial);
    const auto terms = static_cast<double>(f.terms);
    b.value = times(one, terms);
    b.magnitudes = one.magnitude() * terms;
    double squares = terms * w.magnitude() * w.magnitude(); // of the weights of one output
    const double promised = promised_sum(stored_weight(g, weight), f.by_column);
    const double sum = promised + error_of_storage(g, weight, w.magnitude()) * terms;
    if (promised < contract::any && sum < unbounded) {
        narrow(b, x.magnitude() * sum);
        squares = squares < sum * w.magnitude() ? squares : sum * w.magnitude();
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
    } else if (has_known_sums(weight, f)) {
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
