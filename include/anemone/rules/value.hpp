#pragma once

#include "../analysis/envelope.hpp"
#include "../graph/uses.hpp"
#include "movement.hpp"
#include "record.hpp"

#include <array>

/// What may go wrong with values, as far as the declared ranges prove it (analysis/envelope.hpp). Where nothing is
/// declared nothing is reported: every range would reach every limit.
namespace ane::rules {

namespace detail {

constexpr ane::detail::ranged_node ranged(const subject& s) { return {s.g, s.n, s.value_ranges}; }

/// A bound as the nearest integer, for a report.
constexpr std::int64_t nearest(double bound) { return bound > 1e15 ? reported(bound) : reported(bound - 0.5); }

constexpr finding refuted(const demand& d) {
    return holds_if(!d.refuted(), nearest(d.bound), static_cast<std::int64_t>(d.limit));
}
/// The same with the bound rounded up, where a fraction above the limit is what counts.
constexpr finding refuted_above(const demand& d) {
    return holds_if(!d.refuted(), reported(d.bound), static_cast<std::int64_t>(d.limit));
}

/// From here on the product of x with the tail of its own sigmoid, 4.8e-5 instead of zero, is off by 1/64.
inline constexpr double tail_limit = 320;

/// Whether somebody reads how near a sigmoid is to its ends: who calls the model, a logarithm, what divides by it, or a
/// product with what it is the sigmoid of, where that is large.
constexpr bool tail_matters(const subject& s) {
    if (s.is_output(s.index)) {
        return true;
    }
    int x = s.g.operands(s.n)[0];
    while (s.g[x].kind == op::mul && s.g.operand(s.g[x], 1).kind == op::constant) {
        x = s.g.operands(x)[0];
    }
    const bool is_large = s.value_ranges[static_cast<std::size_t>(x)].low < -tail_limit;
    return !every_reader(s.g, s.index, s.uses, [&](int reader, int position) {
        const node& n = s.g[reader];
        const bool divides = quotients.contains(n.kind) && position == n.operands.count - 1;
        const bool gates = n.kind == op::mul && s.g.operands(n)[static_cast<std::size_t>(1 - position)] == x;
        return !logarithms.contains(n.kind) && !divides && !(gates && is_large);
    });
}

/// The promise of a state against the value that one run makes of it.
constexpr finding check_kept_promise(const subject& s) {
    const int next = s.next();
    const contract& promise = s.n.get<contract>();
    if (next < 0 || !promise.declared) {
        return {};
    }
    const interval& after = s.value_ranges[static_cast<std::size_t>(s.g.outputs[static_cast<std::size_t>(next)].node)];
    if (!after.bounded()) { // what makes it infinite is told
        return {};
    }
    const auto leaves = [&](double reached, double end) {
        return holds_if(!after.declared || reached <= end, reported(reached), reported(end));
    };
    return both(leaves(after.high, promise.high), leaves(-after.low, -promise.low));
}

} // namespace detail

inline constexpr std::array value{
    // The bound adds the magnitudes of all products, so that it holds for every partial sum in any order.
    rule_record{
        .id = rule::contraction_may_reach_ceiling,
        .fact = "R056",
        .level = severity::hazard,
        .ops = summed_products,
        .sentence = "the declared ranges allow sums of {got}, from {limit} on they become infinite",
        .reject = "",
        .consequence = "infinity, even where later products would bring the sum back",
        .advice =
            "scale the input or the weights by a power of two and the result back, split the sum, promise narrower ranges of the model's inputs and weights, or promise the row_l1 of the weights",
        .source = "guide chapter 3",
        .evidence = mark::measured,
        .silicon = "M1, M2, M4, M5, M6",
        .check = [](const subject& s) -> finding {
            return detail::refuted(ane::detail::accumulator_demand(detail::ranged(s)));
        }},
    rule_record{
        .id = rule::int8_activation_may_saturate,
        .fact = "R093",
        .level = severity::hazard,
        .ops = contractions,
        .sentence = "the declared range of the activation reaches {got}; before int8 weights it becomes infinite "
                    "above {limit}",
        .reject = "",
        .consequence = "the activation is stored as 16 times its value, whatever the weights are",
        .advice = "clamp or scale the activation, promise a narrower range of the inputs that it is computed from, or "
                  "keep the weights in fp16",
        .source = "ANEForge",
        .evidence = mark::measured,
        .silicon = "M1, M2, M5",
        .check = [](const subject& s) -> finding {
            return detail::refuted_above(ane::detail::int8_demand(detail::ranged(s)));
        }},
    // The units of the codes are inferred, and a bound by magnitudes is wide: a warning.
    rule_record{
        .id = rule::sum_of_codes_may_reach_ceiling,
        .fact = "N208",
        .level = severity::warn,
        .ops = {op::conv2d, op::linear, op::matmul},
        .sentence = "adds up codes of 8 bits before it scales them: by the declared range of the activation their "
                    "sum may reach {got}, from {limit} on it is infinite",
        .reject = "",
        .consequence = "infinity, though the weights are small: their codes are not",
        .advice = "scale the activation by a power of two (and the result back), promise a narrower range of "
                  "the inputs that it is computed from, or keep the weights in fp16",
        .source = "llms-on-apple-neural-engine, 2026",
        .evidence = mark::predicted,
        .check = [](const subject& s) -> finding {
            return detail::refuted(ane::detail::codes_demand(detail::ranged(s), numerics::datapath_of(s.t.tier)));
        }},
    rule_record{.id = rule::loss_scale_exceeds,
                .fact = "R154",
                .level = severity::hazard,
                .ops = {op::slice, op::strided_slice, op::cross_correlation},
                .sentence =
                    "takes windows of a tensor that was multiplied by {got}; from {limit} on scaled gradients overflow",
                .reject = "",
                .consequence = "single infinities in the gradient: 1, 3 and 8 of them at 512, 768 and 1024",
                .advice = "a loss scale of at most 384, or clamp the gradient",
                .source = "guide chapter 15",
                .evidence = mark::measured,
                .silicon = "M1, M2",
                .check = [](const subject& s) -> finding {
                    return detail::refuted(ane::detail::loss_demand(detail::ranged(s), s.t.has.slice_width_saturates));
                }},
    rule_record{.id = rule::exponential_may_overflow,
                .fact = "R150",
                .level = severity::hazard,
                .ops = {op::exp, op::exp2},
                .sentence = "the declared range reaches {got}; it is infinite from ln 65504 = 11.094 on, 2^x from 16 "
                            "(here {limit})",
                .reject = "",
                .advice = "use softmax, or subtract the maximum first",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const interval& x = s.operand_range(0);
                    const double limit = s.n.kind == op::exp ? exponential_limit : 16;
                    const std::int64_t reached = x.high > 0 ? detail::reported(x.high) : 0;
                    return holds_if(!x.declared || x.high < limit, reached, static_cast<std::int64_t>(limit));
                }},
    // The value before a run may be anything that the promise allows, so this is the step of an induction over runs.
    rule_record{.id = rule::state_may_leave_its_promise,
                .fact = "promised",
                .level = severity::hazard,
                .ops = {op::input},
                .sentence = "what the state becomes may reach {got}, its promise ends at {limit}",
                .reject = "",
                .consequence = "from the second run on, what the other rules proved by the promise does not hold",
                .advice = "clamp what is written to the promise, or promise nothing of the state",
                .source = "the ranges of this library",
                .evidence = mark::predicted,
                .check = detail::check_kept_promise},
    rule_record{
        .id = rule::square_may_overflow,
        .fact = "R151",
        .level = severity::hazard,
        .ops = {op::square, op::mul},
        .sentence = "the declared range reaches {got}; from {limit} on the square is infinite",
        .reject = "",
        .advice =
            "scale the operand by a power of two, and the result back where it is small again (after a mean or a root)",
        .source = "guide chapter 3",
        .evidence = mark::measured,
        .silicon = "M1",
        .check = [](const subject& s) -> finding {
            if (s.n.kind == op::mul && s.g.operands(s.n)[0] != s.g.operands(s.n)[1]) {
                return {};
            }
            const interval& x = s.operand_range(0);
            return detail::refuted(ane::detail::less_than(x.magnitude(), square_limit, x.declared));
        }},
    rule_record{.id = rule::logarithm_of_zero,
                .fact = "R157",
                .level = severity::hazard,
                .ops = logarithms,
                .sentence = "the declared range reaches {got}; of {limit} the engine makes -45440",
                .reject = "",
                .consequence = "a finite value where minus infinity is expected; of negative numbers it makes 0",
                .advice = "clamp the operand, or give an epsilon of at least 6e-8",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const demand d = ane::detail::logarithm_demand(detail::ranged(s));
                    return holds_if(!d.refuted(), d.bound < 0 ? -detail::reported(-d.bound) : 0, 0);
                }},
    rule_record{.id = rule::reciprocal_of_zero,
                .fact = "R158",
                .level = severity::hazard,
                .ops = {op::inverse, op::rsqrt},
                .sentence = "the declared range contains {limit}, whose sign is lost: -0 gives +infinity",
                .reject = "",
                .advice = "keep the operand away from zero with clamp or an epsilon",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return detail::refuted(ane::detail::reciprocal_demand(detail::ranged(s)));
                }},
    rule_record{.id = rule::divisor_may_be_zero,
                .fact = "R158",
                .level = severity::hazard,
                .ops = {op::div, op::floor_div},
                .sentence = "the divisor's declared range contains {limit}",
                .reject = "",
                .consequence = "infinity; of 0 / 0 the engine makes 0, IEEE arithmetic NaN",
                .advice = "keep the divisor away from zero: maximum with an epsilon, or promise a range without zero",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return detail::refuted(ane::detail::reciprocal_demand(detail::ranged(s)));
                }},
    // A softplus of infinity is 0 to the engine's own layer (N098), but infinite as it is written here, in two parts.
    rule_record{.id = rule::infinity_becomes_zero,
                .fact = "R159",
                .level = severity::hazard,
                .ops = {op::softsign},
                .of_infinity = true,
                .sentence = "the operand may overflow, and of infinity the engine makes 0",
                .reject = "",
                .advice = "clamp the operand",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const interval& x = s.operand_range(0);
                    return detail::refuted(ane::detail::up_to(x.high, half_max, x.declared));
                }},
    rule_record{.id = rule::subnormal_operand_is_zero,
                .fact = "R156",
                .level = severity::hazard,
                .ops = summed_products,
                .sentence = "an operand is declared to stay below 2^-14: all of it is subnormal and counts as 0",
                .reject = "",
                .advice = "scale the operand up by a power of two, and the result back",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1; kept on M5",
                .check = [](const subject& s) -> finding {
                    const bool keeps = numerics::datapath_of(s.t.tier).mac_keeps_subnormals;
                    const demand d = ane::detail::denormal_demand(detail::ranged(s), keeps);
                    return holds_if(!d.refuted());
                }},
    // A difference of two fp16 ranges is never this much narrower than they are: only sums of products are looked at.
    rule_record{.id = rule::terms_cancel,
                .fact = "R152",
                .level = severity::hazard,
                .ops = contractions,
                .sentence = "terms {got} times as large as the largest result cancel, more than {limit}",
                .reject = "",
                .consequence = "the rounding of the terms is what stays: 3 % of error over 5632 products",
                .advice = "subtract a common offset before, or compute this part off the engine",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    if (s.operand(1).kind != op::constant) {
                        return {};
                    }
                    const interval& result = s.value_ranges[static_cast<std::size_t>(s.index)];
                    return detail::refuted(ane::detail::cancellation_demand(detail::ranged(s), result));
                }},
    rule_record{.id = rule::argument_leaves_the_table,
                .fact = "R161",
                .level = severity::warn,
                .ops = {op::sigmoid},
                .sentence =
                    "the declared range reaches {got}; beyond -9.938 and 8.320 the table stays at its last knot",
                .reject = "",
                .advice = "take -softplus(-x) for its logarithm, silu(x) for its product with x, or clamp the operand",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    return detail::tail_matters(s) ? detail::refuted_above(ane::detail::table_demand(detail::ranged(s)))
                                                   : finding{};
                }},
    rule_record{.id = rule::nan_enters_as_infinity,
                .fact = "R155",
                .scope = rule_scope::runtime,
                .level = severity::note,
                .sentence = "a NaN in an input enters as +infinity",
                .reject = "",
                .consequence = "infinities where a NaN is expected; out of a norm a large finite value",
                .advice = "keep NaN out of the inputs: a declared range excludes it",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1"},
};

} // namespace ane::rules
