#pragma once

#include "../analysis/envelope.hpp"
#include "../graph/uses.hpp"
#include "../passes/composed_functions.hpp"
#include "record.hpp"
#include "value.hpp"

#include <array>

/// Layers of the engine that give wrong values (MIL facts section 5, measured on M5), as far as a file asks for them.
/// What we write has other forms in their place (passes/composed_functions.hpp).
namespace ane::rules {

namespace detail {

/// The operand of the exponential, with ln n where n of them are added up.
constexpr interval exponent_of(const subject& s) {
    const double terms = s.n.kind == op::reduce_log_sum_exp ? ane::detail::reduced_terms(s.g, s.n) : 1;
    const interval& x = s.operand_range(0);
    return {x.low, x.high + ane::detail::logarithm(terms > 1 ? terms : 1), x.declared};
}

/// Whether a rounding is only chosen below 1024, as we write it: select(|x| < 1024, round(x), x).
constexpr bool is_chosen_below(const subject& s) {
    return !s.is_output(s.index) && every_reader(s.g, s.index, s.uses, [&s](int reader, int position) {
        const node& n = s.g[reader];
        if (n.kind != op::select || position != 1 || s.g.operand(n, 0).kind != op::less) {
            return false;
        }
        const node& test = s.g.operand(n, 0);
        const node& size = s.g.operand(test, 0);
        const interval& limit = s.value_ranges[static_cast<std::size_t>(operand_index(s.g, test, 1))];
        return size.kind == op::abs && operand_index(s.g, size, 0) == operand_index(s.g, s.n, 0) && limit.high <= 1024;
    });
}

constexpr finding check_own_layer(const subject& s) {
    if (s.n.kind == op::round) { // up to 2048, from where on adding 0.5 changes nothing
        if (is_chosen_below(s)) {
            return {};
        }
        return holds_if(s.operand_range(0).magnitude() < 1024, reported(s.operand_range(0).magnitude()), 1024);
    }
    const interval x = exponent_of(s);
    const std::int64_t reached = x.high > 0 ? reported(x.high) : 0;
    return holds_if(x.high < exponential_limit, reached, static_cast<std::int64_t>(exponential_limit));
}

} // namespace detail

inline constexpr std::array own_layer{
    rule_record{
        .id = rule::own_layer_fails,
        .fact = "N098",
        .level = severity::hazard,
        .ops = {op::softplus, op::reduce_log_sum_exp, op::round},
        .of_own_layers = true,
        .sentence = "the engine's own layer is wrong from {limit} on, and the operand may reach {got}",
        .reject = "",
        .consequence = "softplus gives 0 from 11.09 on, a logarithm of a sum of exponentials infinity or 0, round "
                       "adds 1 between 1024 and 2048",
        .advice =
            "let anemone convert write the file (with parts in its place that are right), or promise a narrower range of the inputs",
        .source = "MIL facts section 5",
        .evidence = mark::measured,
        .silicon = "M1, M5",
        .check = detail::check_own_layer},
    // Our files have this layer too, on the MIL route.
    rule_record{
        .id = rule::parametric_softplus_may_be_zero,
        .fact = "N098",
        .level = severity::hazard,
        .ops = {op::parametric_softplus},
        .sentence = "beta x may reach {got}; from {limit} on the engine's own layer gives 0",
        .reject = "",
        .advice =
            "alpha * softplus(beta * x) (a softplus is written in parts that are right), or promise a narrower range of the inputs",
        .source = "guide chapter 3; MIL facts section 5",
        .evidence = mark::measured,
        .silicon = "M1, M5",
        .check = [](const subject& s) -> finding {
            const interval x = ane::detail::product(s.operand_range(0), s.operand_range(2));
            return detail::refuted_above(ane::detail::less_than(x.high, exponential_limit, x.declared));
        }},
    // What we write expands such a weight (weight_form_is_not_written).
    rule_record{
        .id = rule::scales_of_blocks_are_not_applied,
        .fact = "field-2026",
        .scope = rule_scope::weights,
        .level = severity::hazard,
        .ops = {op::compressed},
        .of_own_layers = true,
        .sentence = "has a scale for each {got} elements of a row; the engine knows one for each row or tensor",
        .reject = "only per-cout/per-tensor quantization",
        .consequence = "the layer leaves the engine, or its scales are flattened: 1921 of 4096 values wrong",
        .advice = "let anemone convert write the file (with the weight expanded), or quantize it by output channel",
        .source = "llms-on-apple-neural-engine, 2026",
        .evidence = mark::measured,
        .silicon = "M5 Pro",
        .check = [](const subject& s) -> finding {
            const compression& c = s.n.get<compression>();
            const std::int64_t row = s.n.shape.rank > 0 && s.n.shape[0] > 0 ? s.n.shape.count() / s.n.shape[0] : 0;
            return holds_if(c.block == 0 || c.block == row, c.block, 0);
        }},
    rule_record{
        .id = rule::factor_after_rounding_is_dropped,
        .fact = "N098",
        .level = severity::hazard,
        .ops = {op::mul},
        .of_own_layers = true,
        .sentence = "the engine's compiler drops a number by which the result of floor or ceil is multiplied",
        .reject = "",
        .consequence = "the product is the whole number itself",
        .advice = "let anemone convert write the file, in which the number is a constant of the full shape",
        .source = "MIL facts section 5",
        .evidence = mark::measured,
        .silicon = "M5",
        .check = [](const subject& s) -> finding { return holds_if(ane::detail::number_after_whole(s.g, s.n) < 0); }},
};

} // namespace ane::rules
