#pragma once

#include "../analysis/error_envelope.hpp"
#include "record.hpp"

#include <array>

/// What the fixed-point accumulator does to the digits of a result (numerics/accumulator.hpp).
namespace ane::rules {

namespace detail {

/// The expected relative error of such sums in units of 1e-4; 0 where nothing is known of an operand, or where the
/// products are so large that the quantum cannot matter. What storing the result adds, 2e-4, is left out.
constexpr std::int64_t expected_error_of(const ane::detail::contraction_spreads& in, const target_description& t) {
    // Products of order 2^-7: roundings of 2^-17 are about 5e-4 of them.
    if (!in.x.known() || !in.w.known() || in.x.square() * in.w.square() > 0x1p-14) {
        return 0;
    }
    const double result = ane::detail::expected_result(in);
    const double error = ane::detail::expected_error_of_sum(
        in, error_of_product(binade_moments(in.x), binade_moments(in.w), numerics::datapath_of(t.tier)));
    const double units = result > 0 ? error / result * 1e4 + 0.5 : 0;
    return units < static_cast<double>(no_bound) ? static_cast<std::int64_t>(units) : no_bound;
}

/// Of a contraction, or of the worse of attention's two products.
constexpr std::int64_t expected_error_of(const subject& s) {
    if (s.spreads.empty()) {
        return 0;
    }
    const auto spread_of = [&s](int position) -> const spread& {
        return s.spreads[static_cast<std::size_t>(s.g.operands(s.n)[static_cast<std::size_t>(position)])];
    };
    if (s.n.kind == op::attention) {
        const extents& key = s.operand(1).shape;
        const auto shares = static_cast<double>(key.height());
        const std::int64_t scores =
            expected_error_of({spread_of(0), spread_of(1), {}, static_cast<double>(key.width())}, s.t);
        const std::int64_t values =
            expected_error_of({ane::detail::spread_of_shares(shares), spread_of(2), {}, shares}, s.t);
        return scores > values ? scores : values;
    }
    const spread bias = s.operand_count() > 2 ? spread_of(2) : spread{};
    return expected_error_of({spread_of(0), spread_of(1), bias, static_cast<double>(contraction_terms(s.g, s.n))}, s.t);
}

/// Ten times what storing a result in fp16 costs.
inline constexpr std::int64_t expected_error_limit = 20;

} // namespace detail

inline constexpr std::array precision{
    // The published estimate, for products about which nothing is declared: otherwise the next rule computes the error.
    rule_record{
        .id = rule::products_are_many,
        .fact = "R153",
        .level = severity::warn,
        .ops = {op::matmul, op::linear},
        .sentence = "sums {got} products of either sign, from {limit} on the error may grow to 1e-3 sqrt(K)",
        .reject = "",
        .consequence = "a relative error of 2.7e-2 was measured at K = 4096, with operands of order 1 / sqrt(K)",
        .advice =
            "declare ranges or deviations, so that the error is computed (where it is large, scale the weights by a power of two, and the result back)",
        .source = "guide chapter 3",
        .evidence = mark::measured,
        .silicon = "M1, M5",
        .check = [](const subject& s) -> finding {
            const std::int64_t terms = contraction_terms(s.g, s.n);
            const auto is_told = [&s](int i) {
                const node& o = s.operand(i);
                const bool deviates = (o.kind == op::input || o.kind == op::weight) && o.get<contract>().deviation > 0;
                return s.operand_range(i).declared || deviates;
            };
            const bool told = is_told(0) && is_told(1);
            const bool positive = s.operand_range(0).low >= 0 && s.operand_range(1).low >= 0;
            return holds_if(told || positive || terms < 256, terms, 256);
        }},
    rule_record{.id = rule::products_are_near_the_quantum,
                .fact = "N160",
                .level = severity::warn,
                .ops = summed_products,
                .sentence = "a relative error of {got}e-4 is expected, more than {limit}e-4: products are near 2^-16",
                .reject = "",
                .consequence =
                    "products are rounded to 2^-16, and those whose exponents add up to less than -16 vanish",
                .advice = "scale an operand by a power of two, and the result back (docs/precision.md says by which)",
                .source = "numerics-datapath section 1",
                .evidence = mark::measured,
                .silicon = "M1, M5, M6",
                .check = [](const subject& s) -> finding {
                    return at_most(detail::expected_error_of(s), detail::expected_error_limit);
                }},
    // The sources disagree (NC2): wide in one, narrow in the other. numerics/reduction.hpp takes the narrow side.
    rule_record{.id = rule::signed_sum_is_long,
                .fact = "R162",
                .level = severity::warn,
                .ops = {op::reduce_sum},
                .sentence = "adds {got} values of either sign, from {limit} on a narrow sum loses digits",
                .reject = "",
                .consequence = "lanes of four are added at 12 significant bits: 4096 and 1,024 ones give 5116",
                .advice = "matmul with ones",
                .source = "guide chapter 3",
                .evidence = mark::measured,
                .silicon = "M1, M2, M5 (conflict)",
                .check = [](const subject& s) -> finding {
                    const std::int64_t results = s.n.shape.count();
                    const std::int64_t terms = results > 0 ? s.operand(0).shape.count() / results : 0;
                    const interval& x = s.operand_range(0);
                    return holds_if(terms < 256 || x.low >= 0 || x.high <= 0, terms, 256);
                }},
};

} // namespace ane::rules
