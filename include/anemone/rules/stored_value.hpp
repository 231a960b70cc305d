#pragma once

#include "../graph/uses.hpp"
#include "consequence.hpp"
#include "saturation.hpp"
#include "value.hpp"

#include <array>

/// What leaves fp16, as far as the declared ranges prove that it may: results, what an operation stores on the way to
/// its result, and numbers of the model that fp16 makes zero. Sums of products, exponentials, squares, logarithms and
/// divisors have limits of their own (value.hpp).
namespace ane::rules {

namespace detail {

/// Whether all that reads a node is a softmax, to which -infinity is as good as the lowest number: masked scores.
constexpr bool only_softmax_reads(const subject& s) {
    return s.uses[static_cast<std::size_t>(s.index)] > 0 && !s.is_output(s.index) &&
           every_reader(s.g, s.index, s.uses, [&s](int reader, int) { return s.g[reader].kind == op::softmax; });
}

constexpr demand demand_of_parts(const subject& s) {
    return composed_ops.contains(s.n.kind) ? ane::detail::parts_demand(ranged(s)) : demand{};
}

/// Whether an operand may be infinite: what an operation stores on the way then follows from that, and is not told.
constexpr bool reads_infinity(const subject& s) {
    bool found = false;
    for (const int i : s.g.operands(s.n)) {
        found = found || may_be_infinite(s.value_ranges[static_cast<std::size_t>(i)]);
    }
    return found;
}

/// Whether a limit of its own says that this result may be infinite.
constexpr bool is_told_otherwise(const subject& s) {
    const bool of_zero = (logarithms.contains(s.n.kind) && ane::detail::logarithm_demand(ranged(s)).refuted()) ||
                         (quotients.contains(s.n.kind) && ane::detail::reciprocal_demand(ranged(s)).refuted());
    const bool squares = s.n.kind == op::mul && operand_index(s.g, s.n, 0) == operand_index(s.g, s.n, 1);
    return of_zero || squares || (!reads_infinity(s) && demand_of_parts(s).refuted());
}

constexpr finding check_result(const subject& s) {
    if (s.n.type != dtype::f16) {
        return {};
    }
    const demand d = ane::detail::result_demand(ranged(s), s.value_ranges[static_cast<std::size_t>(s.index)]);
    if (!d.refuted() || is_told_otherwise(s)) {
        return {};
    }
    if (saturates(s, s.index, half_max, odd_power_of(s.g, s.index))) {
        return {};
    }
    const bool only_below = s.value_ranges[static_cast<std::size_t>(s.index)].high <= half_max;
    return only_below && only_softmax_reads(s) ? finding{} : refuted_above(d);
}

/// The operations whose results have no limit of their own.
inline constexpr op_set freely_stored = op_set::where([](op o) {
    return !is_source(o) && !summed_products.contains(o) && o != op::exp && o != op::exp2 && o != op::square;
});

/// Operations with an epsilon that is there to keep what they divide by, or take the logarithm of, above zero.
inline constexpr op_set stabilised{op::minmax_norm, op::layer_norm, op::instance_norm, op::group_norm,
                                   op::rms_norm,    op::log,        op::rsqrt,         op::inverse};

} // namespace detail

inline constexpr std::array stored_value{
    rule_record{
        .id = rule::value_may_leave_half_precision,
        .fact = "fp16",
        .level = severity::hazard,
        .ops = detail::freely_stored,
        .sentence = "the declared ranges allow a result of {got}; fp16 ends at {limit}",
        .reject = "",
        .consequence = "infinity, and whatever is computed from it",
        .advice =
            "scale an operand by a power of two (and the result back where it is small again), clamp it, or promise a narrower range of the inputs that it is computed from",
        .source = "IEEE 754",
        .evidence = mark::measured,
        .silicon = "M1, M2, M4, M5, M6",
        .check = detail::check_result},
    rule_record{
        .id = rule::inner_value_may_leave_half_precision,
        .fact = "R151",
        .level = severity::hazard,
        .ops = composed_ops,
        .sentence = "on the way to its result it stores squares, sums or scores of up to {got}; fp16 ends at "
                    "{limit}",
        .reject = "",
        .consequence = "a norm of it is 0, a root or a logarithm infinite, though the exact result is in range",
        .advice = "scale the operand by a power of two: a norm of it stays the same (with its epsilon times the "
                  "square of the power, and at least 6e-8), of a length or a logarithm take the power back afterwards",
        .source = "guide chapter 3",
        .evidence = mark::measured,
        .silicon = "M1",
        .check = [](const subject& s) -> finding { return detail::refuted_above(detail::demand_of_parts(s)); }},
    rule_record{.id = rule::epsilon_becomes_zero,
                .fact = "R151",
                .level = severity::hazard,
                .ops = detail::stabilised,
                .sentence = "its epsilon is zero in fp16, which ends at 6e-8",
                .reject = "",
                .consequence = "elements that are all equal are divided by zero: infinities",
                .advice = "an epsilon of 1e-5 or more",
                .source = "IEEE 754",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const double epsilon = ane::detail::epsilon_of(s.n);
                    const bool meant = epsilon > 0 || !is_unary(s.n.kind);
                    return holds_if(!meant || ane::detail::stabilises(epsilon));
                }},
    rule_record{.id = rule::number_becomes_zero,
                .fact = "fp16",
                .level = severity::warn,
                .ops = {op::constant},
                .sentence = "{got} of its numbers are zero in fp16, which ends at 6e-8",
                .reject = "",
                .advice = "a number of at least 6e-8, or scale what it meets",
                .source = "IEEE 754",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    std::int64_t zeros = 0;
                    for (const float v : s.g.values(s.n)) {
                        zeros += v != 0 && half(v) == half(0.0F) ? 1 : 0;
                    }
                    return at_most(zeros, 0);
                }},
};

} // namespace ane::rules
