#pragma once

#include "../numerics/products_with_ones.hpp"
#include "../passes/fusion.hpp"
#include "product_error.hpp"
#include "ranges.hpp"

/// What the fixed-point accumulator costs: the worst and the expected error of every multiply-accumulate node against
/// exact arithmetic on its fp16 operands, and the power of two that makes it smaller. The model is that of
/// numerics/accumulator.hpp; it gives the published error of a matrix product against K (N160-N165, N180-N182).
namespace ane {

/// The error of the elements of one contraction. Expected errors are root mean squares over operands that follow their
/// spreads; relative errors are relative to the root mean square of the exact result.
struct contraction_error {
    int node = -1;
    std::int64_t terms = 0; ///< products in one element, at most
    bool biased = false;    ///< one more term: the bias starts the sum
    double worst = 0;       ///< no element is farther off, as long as no sum reaches 32768
    double bound = 0;     ///< of the accumulator's magnitude at any moment: magnitudes of products, bias and roundings
    bool assumed = false; ///< `bound` assumes eight standard deviations for an operand without a range
    spread_basis basis = spread_basis::nothing; ///< of the spreads of the operands, the weaker one
    double result = 0;                          ///< root mean square of the exact result
    double products = 0;                        ///< expected error of the sum: products rounded to 2^-16 or dropped
    double rounding = 0;                        ///< expected error of storing the sum in fp16
    double dropped = 0;                         ///< share of the products that contribute nothing
    int scale = 0;              ///< recommended: 2^scale times operand `scaled_operand`; 0 where nothing is gained
    int scaled_operand = 1;     ///< the constant one; of two inputs the right one
    double scaled_expected = 0; ///< expected error with that scale, in units of the unscaled result

    constexpr bool known() const { return basis != spread_basis::nothing; }
    constexpr double expected() const { return detail::positive_root(products * products + rounding * rounding); }
    /// 0 for a result of zero, which has no relative error.
    constexpr double relative(double error) const { return result > 0 ? error / result : 0; }
    constexpr double expected_relative() const { return relative(expected()); }
    constexpr double worst_relative() const { return relative(worst); }
    /// The factor by which the scale is expected to reduce the error.
    constexpr double gain() const { return scaled_expected > 0 ? expected() / scaled_expected : 1; }
};

namespace detail {

/// The operands of one contraction as distributions. Without a bias, `bias` is not known.
struct contraction_spreads {
    spread x;
    spread w;
    spread bias;
    double terms = 0;
};

/// The root mean square of the exact result.
constexpr double expected_result(const contraction_spreads& in) {
    return positive_root(square_of_sum(in.x, in.w, in.terms) + (in.bias.known() ? in.bias.square() : 0));
}

/// The expected error of a sum of such products; a bias is rounded like a product.
constexpr double expected_error_of_sum(const contraction_spreads& in, const product_error& one) {
    const double mean = one.mean * in.terms;
    double square = in.terms * (one.square - one.mean * one.mean) + mean * mean;
    square += in.bias.known() && !in.bias.is_point() ? accumulator_quantum * accumulator_quantum / 12 : 0;
    return positive_root(square);
}

/// The expected error of rounding a sum of this root mean square to the eleven bits of fp16. Below 2^-5 a sum is exact:
/// as a multiple of 2^-16 it has no more than eleven bits.
constexpr double expected_rounding(double result) {
    double square = 0;
    const binade_moments sum(gaussian_spread(result));
    for (int i = 10; i < binade_moments::count; ++i) {
        const double ulp = power_of_two(binade_moments::exponent(i) - 10);
        square += sum.place[static_cast<std::size_t>(i)].mass * ulp * ulp / 12;
    }
    return positive_root(square);
}

/// The expected parts of an error, with w multiplied by 2^scale and the result divided by it.
constexpr contraction_error expected_error(const contraction_spreads& in, const numerics::datapath& path, int scale) {
    const double factor = power_of_two(scale);
    const product_error one = error_of_product(binade_moments(in.x), binade_moments(scaled_spread(in.w, factor)), path);
    contraction_error e;
    e.biased = in.bias.known();
    e.result = expected_result(in);
    e.products = expected_error_of_sum(in, one) / factor;
    e.rounding = expected_rounding(e.result * factor) / factor;
    e.dropped = one.dropped;
    return e;
}

/// The `row_l1` or `column_l1` of a weight, or of a weight times a number; `contract::any` where nothing is promised.
constexpr double promised_l1(const graph_view& g, int index, bool rows) {
    const node& n = g[index];
    if (n.kind == op::weight) {
        return rows ? n.get<contract>().row_l1 : n.get<contract>().column_l1;
    }
    if (n.kind == op::mul) {
        for (std::size_t i = 0; i < 2; ++i) {
            const node& number = g[g.operands(n)[i]];
            const int other = g.operands(n)[1 - i];
            if (number.kind == op::constant && number.shape.rank == 0 && g[other].kind == op::weight) {
                const auto c = static_cast<double>(g.value(number, 0));
                return promised_l1(g, other, rows) * (c < 0 ? -c : c);
            }
        }
    }
    return contract::any;
}

/// The largest sum of |x| |w| over the products of one element.
constexpr double sum_of_magnitudes(const graph_view& g, const node& n, double x, double w, double terms) {
    const auto smaller = [](double a, double b) { return a < b ? a : b; };
    const int left = g.operands(n)[0];
    const int right = g.operands(n)[1];
    double sum = terms * x * w;
    const bool flat = g[right].shape.rank == 2; // in a batch, contracts are not about rows and columns
    if (n.kind == op::conv2d || n.kind == op::linear) {
        sum = smaller(sum, x * promised_l1(g, right, true));
    } else if (n.kind == op::conv_transpose2d) {
        sum = n.get<conv_transpose>().groups == 1 ? smaller(sum, x * promised_l1(g, right, false)) : sum;
    } else {
        const transposed& form = n.get<transposed>();
        sum = flat ? smaller(sum, x * promised_l1(g, right, form.b)) : sum;
        sum = g[left].shape.rank == 2 ? smaller(sum, w * promised_l1(g, left, !form.a)) : sum;
    }
    return sum;
}

/// Half a unit in the last place of an fp16 value of this magnitude, as the accumulator's result is rounded.
constexpr double half_ulp(double magnitude) {
    double end = 0x1p-5; // sums below it are exact, see expected_rounding
    double half_unit = 0;
    for (double unit = 0x1p-16; magnitude >= end && end < 65536; end *= 2, unit *= 2) {
        half_unit = unit;
    }
    return half_unit;
}

/// How large an operand is for the choice of a scale: by its range, or eight standard deviations.
constexpr double assumed_magnitude(const interval& r, const spread& s, bool& assumed) {
    if (!r.declared && s.known()) {
        assumed = true;
        return 8 * positive_root(s.square());
    }
    return r.magnitude();
}

/// The largest scale that gains something and leaves a binade below the ceiling.
constexpr void choose_scale(contraction_error& e, const contraction_spreads& in, double largest,
                            const numerics::datapath& path) {
    e.scaled_expected = e.expected();
    double products = e.products;
    double rounding = e.rounding;
    double factor = 2;
    for (int k = 1; k <= 14; ++k, factor *= 2) {
        const bool fits = e.bound * factor < 16384 && largest * factor <= half_max;
        if (!fits || 4 * products < rounding || products == 0) {
            return;
        }
        const contraction_error with = expected_error(in, path, k);
        products = with.products;
        rounding = with.rounding;
        if (with.expected() < e.scaled_expected) {
            e.scaled_expected = with.expected();
            e.scale = k;
        }
    }
}

/// Whether this arithmetic adds up the codes of a layer's weight: what files hold of them, which is 8 bits.
constexpr bool adds_codes(const graph_view& g, const node& n, const numerics::datapath& path) {
    return path.weight_scale == numerics::scale_rule::after_sum && may_add_codes(g, n) &&
           g.operand(n, 1).get<compression>().bits == 8;
}

/// The error of sums of codes: in the register the weight is as large as its codes, whatever it stands for; the sum is
/// stored in fp16, and what scales it, with the bias, rounds once more. No power of two on the weight changes that.
constexpr contraction_error error_of_codes(contraction_spreads in, const compression& form, const interval& x,
                                           const interval& w, const interval& start, double largest,
                                           const numerics::datapath& path) {
    const double factor = largest > 0 ? largest_code(form) / largest : 1;
    const auto terms = in.terms;
    const spread bias = in.bias;
    in.bias = {};
    contraction_error e;
    if (in.x.known() && in.w.known()) {
        in.w = scaled_spread(in.w, factor);
        e = expected_error(in, path, 0);
        e.basis = in.x.basis > in.w.basis ? in.x.basis : in.w.basis;
        const double sum = e.result / factor;
        e.result = positive_root(sum * sum + (bias.known() ? bias.square() : 0));
        constexpr double once = 0.82 * 0x1p-12; // of an fp16 value, relative, root of the mean square
        e.products /= factor;
        e.rounding = positive_root(e.rounding * e.rounding / (factor * factor) + e.result * e.result * once * once);
        e.scaled_expected = e.expected();
    }
    const interval codes{-largest_code(form), largest_code(form), w.declared};
    const double sums = terms * (x.magnitude() * codes.high + accumulator_quantum / 2);
    e.worst = (terms * worst_error_of_product(x, codes, path) + half_ulp(sums < 32767 ? sums : 32767)) / factor +
              (sums / factor + start.magnitude()) * 0x1p-11;
    e.bound = sums;
    return e;
}

/// The contraction `index`; `bias` is the node of its bias or -1.
constexpr contraction_error error_of_contraction(const graph_view& g, int index, int bias,
                                                 std::span<const interval> known, std::span<const spread> likely,
                                                 const sequence<char>& constant, const numerics::datapath& path) {
    const node& n = g[index];
    const auto left = static_cast<std::size_t>(g.operands(n)[0]);
    const auto right = static_cast<std::size_t>(g.operands(n)[1]);
    const std::int64_t terms = contraction_terms(g, n);
    const interval start = bias < 0 ? interval{0, 0, true} : known[static_cast<std::size_t>(bias)];
    const contraction_spreads in{likely[left], likely[right],
                                 bias < 0 ? spread{} : likely[static_cast<std::size_t>(bias)],
                                 static_cast<double>(terms)};
    contraction_error e;
    if (adds_codes(g, n, path)) {
        bool assumed = false;
        const double largest = assumed_magnitude(known[right], in.w, assumed);
        e = error_of_codes(in, g.operand(n, 1).get<compression>(), known[left], known[right], start, largest, path);
        e.node = index;
        e.terms = terms;
        e.biased = bias >= 0;
        e.assumed = assumed;
        return e;
    }
    if (in.x.known() && in.w.known()) {
        e = expected_error(in, path, 0);
        e.basis = in.x.basis > in.w.basis ? in.x.basis : in.w.basis;
    }
    e.node = index;
    e.terms = terms;
    e.biased = bias >= 0;

    const double roundings = static_cast<double>(terms + (bias < 0 ? 0 : 1)) * accumulator_quantum / 2;
    const double sums =
        sum_of_magnitudes(g, n, known[left].magnitude(), known[right].magnitude(), static_cast<double>(terms)) +
        start.magnitude() + roundings;
    const double each = worst_error_of_product(known[left], known[right], path);
    e.worst = static_cast<double>(terms) * each + (bias < 0 ? 0 : accumulator_quantum / 2) +
              half_ulp(sums < 32767 ? sums : 32767);

    const double x = assumed_magnitude(known[left], in.x, e.assumed);
    const double w = assumed_magnitude(known[right], in.w, e.assumed);
    const double first = bias < 0 ? 0 : assumed_magnitude(start, in.bias, e.assumed);
    e.bound = sum_of_magnitudes(g, n, x, w, static_cast<double>(terms)) + first + roundings;
    e.scaled_operand = constant[left] != 0 && constant[right] == 0 ? 0 : 1;
    if (e.known()) {
        choose_scale(e, in, e.scaled_operand == 0 ? x : w, path);
    }
    return e;
}

} // namespace detail

/// The errors of all contractions of a graph, in the order of its nodes. Attention has none before it is lowered. On a
/// lowered graph a bias is the addition that fuses into the contraction. A matrix product with ones has no entry where
/// the engine computes it as a sum (datapath::products_with_ones).
constexpr std::vector<contraction_error> error_envelope(const graph_view& g, const numerics::datapath& path = {}) {
    const std::vector<interval> known = ranges(g);
    const std::vector<spread> likely = spreads(g, known);
    const sequence<char> constant = constant_nodes(g);
    const sequence<fusion> roles = fuse(g);
    sequence<int> bias(g.nodes.size(), -1);
    for (int i = 0; i < g.size(); ++i) {
        const fusion& f = roles[static_cast<std::size_t>(i)];
        if (f.role == fused_as::bias && g[f.host].operands.count == 2) {
            bias[static_cast<std::size_t>(f.host)] = f.vector;
        }
        if (is_contraction(g[i].kind) && g[i].operands.count == 3) {
            bias[static_cast<std::size_t>(i)] = g.operands(i)[2];
        }
    }
    std::vector<contraction_error> all;
    for (int i = 0; i < g.size(); ++i) {
        const bool sums = path.products_with_ones == numerics::ones_rule::reduction;
        if (is_contraction(g[i].kind) && !(sums && detail::is_product_with_ones(g, g[i]))) {
            all.push_back(
                detail::error_of_contraction(g, i, bias[static_cast<std::size_t>(i)], known, likely, constant, path));
        }
    }
    return all;
}

/// The power of two, k, by which `scaled<k>` should multiply an operand of this contraction; 0 where nothing is gained,
/// or where nothing is known of its operands.
constexpr int recommended_scale(const graph_view& g, int node, const numerics::datapath& path = {}) {
    for (const contraction_error& e : error_envelope(g, path)) {
        if (e.node == node) {
            return e.scale;
        }
    }
    return 0;
}

} // namespace ane
