#pragma once

#include "../ops/activation.hpp"
#include "../ranges/unary.hpp"
#include "operation.hpp"

/// Elementwise functions of one operand.
namespace ane::detail::catalogue {

struct function : of_halves, shaped_as_operand {};
struct rising : function {
    static constexpr monotonicity grows(const node&) { return monotonicity::increasing; }
};
struct falling : function {
    static constexpr monotonicity grows(const node&) { return monotonicity::decreasing; }
};
struct rising_and_falling : function {
    static constexpr monotonicity grows(const node&) { return monotonicity::neither; }
};

template <> struct operation<op::relu> : rising {
    static constexpr operation_support support{"relu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured, "N081"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return rectified(in(0)); }
    static constexpr bool exact = true;
};
template <> struct operation<op::relu6> : rising {
    static constexpr operation_support support{"relu6", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as relu and minimum"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return clipped(in(0), 0, 6); }
    static constexpr bool exact = true;
};
/// max(x, 0) + alpha min(x, 0)
template <> struct operation<op::leaky_relu> : function {
    static constexpr operation_support support{"leaky_relu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as relu and mul"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return bent_line(in(0), n.get<leakage>().alpha);
    }
    static constexpr monotonicity grows(const node& n) {
        return n.get<leakage>().alpha >= 0 ? monotonicity::increasing : monotonicity::neither;
    }
};
/// min(max(x, min), max)
template <> struct operation<op::clamp> : rising {
    static constexpr operation_support support{"clip", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as maximum and minimum"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const clip_range& c = n.get<clip_range>();
        return clipped(in(0), static_cast<double>(c.min), static_cast<double>(c.max));
    }
};
/// x from alpha on, 0 below.
template <> struct operation<op::thresholded_relu> : function {
    static constexpr operation_support support{"thresholded_relu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "a comparison (M5 sweep: no error)"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return from_threshold(in(0), static_cast<double>(n.get<relu_threshold>().alpha));
    }
    static constexpr monotonicity grows(const node& n) {
        return n.get<relu_threshold>().alpha >= 0 ? monotonicity::increasing : monotonicity::neither;
    }
};
/// min(x, beta) from 0 on, min(alpha x, beta) below.
template <> struct operation<op::clamped_relu> : function {
    static constexpr operation_support support{"clamped_relu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as leaky_relu and minimum"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const clamped_leakage& c = n.get<clamped_leakage>();
        return below_top(bent_line(in(0), c.alpha), static_cast<double>(c.beta));
    }
    static constexpr monotonicity grows(const node& n) {
        return n.get<clamped_leakage>().alpha >= 0 ? monotonicity::increasing : monotonicity::neither;
    }
};
template <> struct operation<op::elu> : function {
    static constexpr operation_support support{"elu", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "e^x - 1, then a product; M5 sweep 5.06e-3"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return exponential_linear(in(0), static_cast<double>(n.get<saturation>().alpha));
    }
    static constexpr monotonicity grows(const node& n) {
        return n.get<saturation>().alpha >= 0 ? monotonicity::increasing : monotonicity::neither;
    }
};
template <> struct operation<op::sigmoid> : rising {
    static constexpr operation_support support{"sigmoid", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N082, N116, N117, N122 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval r = table_within({logistic(in(0).low), logistic(in(0).high), true}, 0, 1);
        return {r.low, r.high, true};
    }
};
/// min(max(alpha x + beta, 0), 1)
template <> struct operation<op::hard_sigmoid> : function {
    static constexpr operation_support support{"sigmoid_hard", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "scale_offset, then clamp"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const clamped_line& c = n.get<clamped_line>();
        return clipped_line(in(0), static_cast<double>(c.alpha), static_cast<double>(c.beta));
    }
    static constexpr monotonicity grows(const node& n) {
        return n.get<clamped_line>().alpha >= 0 ? monotonicity::increasing : monotonicity::decreasing;
    }
};
template <> struct operation<op::tanh> : rising {
    static constexpr operation_support support{"tanh", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N083, N118 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval r = saturating(in(0), 1, hyperbolic_tangent);
        return {r.low, r.high, true};
    }
};
/// alpha tanh(beta x)
template <> struct operation<op::scaled_tanh> : function {
    static constexpr operation_support support{"scaled_tanh", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "a product, tanh, a product"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const tanh_scaling& c = n.get<tanh_scaling>();
        return scaled_tangent(in(0), static_cast<double>(c.alpha), static_cast<double>(c.beta));
    }
    static constexpr monotonicity grows(const node& n) {
        return (n.get<tanh_scaling>().alpha >= 0) == (n.get<tanh_scaling>().beta >= 0) ? monotonicity::increasing
                                                                                       : monotonicity::decreasing;
    }
};
template <> struct operation<op::gelu> : rising_and_falling {
    static constexpr operation_support support{"gelu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred,
                                        "fitted; study M6; N113, N119 M1; N115 conflicts"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return gated(in(0), -0.17); }
};
template <> struct operation<op::gelu_sigmoid> : operation<op::gelu> {
    static constexpr operation_support support{"gelu_sigmoid_approx", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "fitted as gelu"};
};
template <> struct operation<op::silu> : rising_and_falling {
    static constexpr operation_support support{"silu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "fitted; study M6; N114 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return gated(in(0), -0.2785); }
};
template <> struct operation<op::softplus> : rising {
    static constexpr operation_support support{"softplus", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "exp, add, log; N098 M1; 0 from 11.09 M5"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return soft_plus_of(in(0)); }
};
/// x / (1 + |x|)
template <> struct operation<op::softsign> : rising {
    static constexpr operation_support support{"softsign", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "add, reciprocal, product; N099 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return soft_sign(in(0)); }
};
template <> struct operation<op::erf> : rising {
    static constexpr operation_support support{"erf", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N084 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval r = saturating(in(0), 1, error_function);
        return {r.low, r.high, true};
    }
};
template <> struct operation<op::exp> : rising {
    static constexpr operation_support support{"exp", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N085, N111 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return exponential_of(in(0), 1);
    }
};
template <> struct operation<op::exp2> : rising {
    static constexpr operation_support support{"exp2", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "the table of exp, without its product"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return exponential_of(in(0), ln_2);
    }
};
template <> struct operation<op::log2> : rising {
    static constexpr operation_support support{"", family::older, "bbbbb", compile_route::netplist, "app. C"};
    static constexpr engine_path engine{path::table, evidence::inferred, "the table of log, without its product"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return table_slack(multiple(logarithm_of(in(0), 0), 1 / ln_2));
    }
};
/// ln(x + epsilon)
template <> struct operation<op::log> : rising {
    static constexpr operation_support support{"log", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N095-N097 M1"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return logarithm_of(in(0), n.get<stabilizer>().epsilon);
    }
};
template <> struct operation<op::sqrt> : rising {
    static constexpr operation_support support{"sqrt", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N093, N104 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return positive_part_of_mantissas(root_of(in(0)));
    }
};
/// 1 / sqrt(x + epsilon)
template <> struct operation<op::rsqrt> : falling {
    static constexpr operation_support support{"rsqrt", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6; N094, N103 M1"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        const interval y = shifted(in(0), n.get<stabilizer>().epsilon);
        if (static_cast<double>(half(y.high)) < 0) { // IEEE arithmetic has no number, the engine 0
            return {0, 0, in(0).declared};
        }
        return static_cast<double>(half(y.low)) <= 0 ? anything(in(0).declared)
                                                     : positive_part_of_mantissas(quotient({1, 1, true}, root_of(y)));
    }
};
/// 1 / (x + epsilon)
template <> struct operation<op::inverse> : rising_and_falling {
    static constexpr operation_support support{"inverse", family::older, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::measured, "study M6 (epsilon 1e-4); N102 M1"};
    static constexpr interval range(const graph_view&, const node& n, operand_ranges in) {
        return relative_slack(quotient({1, 1, true}, shifted(in(0), n.get<stabilizer>().epsilon)));
    }
};
template <> struct operation<op::square> : rising_and_falling {
    static constexpr operation_support support{"square", family::older, "nnnnn"};
    static constexpr engine_path engine = that_of_its_parts;
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return square_by_product(in(0));
    }
};
template <> struct operation<op::abs> : rising_and_falling {
    static constexpr operation_support support{"abs", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "clears the sign"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval& x = in(0);
        return {x.low > 0 ? x.low : (x.high < 0 ? -x.high : 0), x.magnitude(), x.declared};
    }
    static constexpr bool exact = true;
};
template <> struct operation<op::sign> : rising {
    static constexpr operation_support support{"sign", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "exact (M5 sweep: no error)"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const auto of = [](double v) { return v > 0 ? 1.0 : (v < 0 ? -1.0 : 0.0); };
        return {of(in(0).low), of(in(0).high), true};
    }
    static constexpr bool exact = true;
};
template <> struct operation<op::ceil> : rising {
    static constexpr operation_support support{"ceil", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "exact (M5 sweep: no error)"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return whole(in(0), ceil_of(in(0).low), ceil_of(in(0).high));
    }
    static constexpr bool exact = true;
};
template <> struct operation<op::floor> : rising {
    static constexpr operation_support support{"floor", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "exact (M5 sweep: no error)"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return whole(in(0), floor_of(in(0).low), floor_of(in(0).high));
    }
    static constexpr bool exact = true;
};
template <> struct operation<op::round> : rising {
    static constexpr operation_support support{"round", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::measured,
                                        "M5: adds 0.5 in fp16 from 1024 on (mil-ops)"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        return whole(in(0), floor_of(in(0).low), ceil_of(in(0).high));
    }
};
/// Bounded by |sin x| <= min(|x|, 1).
template <> struct operation<op::sin> : rising_and_falling {
    static constexpr operation_support support{"sin", family::a15, "ggnnn"};
    static constexpr engine_path engine{path::table, evidence::measured,
                                        "study M6; a series before A15: N120, N205 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return sine_of(in(0)); }
};
template <> struct operation<op::cos> : rising_and_falling {
    static constexpr operation_support support{"cos", family::a15, "ggnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "as sin; N101 M1"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return cosine_of(in(0)); }
};
template <> struct operation<op::atan> : rising {
    static constexpr operation_support support{"atan", family::a13, "nnnnn"};
    static constexpr engine_path engine{path::table, evidence::inferred, "samples; N120 M1, N206 M5"};
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) { return arc_tangent(in(0)); }
};

/// (x, alpha): x from 0 on, alpha x below, alpha for each channel.
template <> struct operation<op::prelu> : of_halves {
    static constexpr operation_support support{"prelu", family::older, "nnnnn"};
    static constexpr engine_path engine{path::elementwise, evidence::inferred, "as leaky_relu"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return prelu_rule(shape_of(g, n, 0), shape_of(g, n, 1));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        const interval& x = in(0);
        return x.low < 0 ? hull(rectified(x), product(negative_part(x), in(1))) : x;
    }
};
/// (x, alpha, beta): alpha ln(1 + e^(beta x)), both for each channel.
template <> struct operation<op::parametric_softplus> : of_halves {
    static constexpr operation_support support{"softplus_parametric", family::older, "nnnnn"};
    static constexpr engine_path engine{path::composed, evidence::inferred, "a product, softplus, a product"};
    static constexpr inferred shape(const graph_view& g, const node& n) {
        return parametric_softplus_rule(shape_of(g, n, 0), shape_of(g, n, 1), shape_of(g, n, 2));
    }
    static constexpr interval range(const graph_view&, const node&, operand_ranges in) {
        interval inner = stored(product(in(0), in(2)));
        inner.low =
            in(0).bounded() && in(2).bounded() && inner.low < -half_max ? -half_max : inner.low; // of -infinity: 0
        return table_slack(product(soft_plus_of(inner), in(1)));
    }
};

} // namespace ane::detail::catalogue
