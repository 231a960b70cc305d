#pragma once

#include "record.hpp"

#include <array>

/// Sorting, selection and the indices that they and gathers carry.
namespace ane::rules {

namespace detail {

inline constexpr op_set indexing_ops{op::top_k_indices,  op::arg_sort,       op::arg_max, op::arg_min,
                                     op::global_arg_max, op::global_arg_min, op::gather,  op::gather_along_axis};

/// The number of values that an index may take: the axis's elements, or what the declared range of a gather's indices
/// leaves of them.
constexpr std::int64_t indexed_extent(const subject& s) {
    const extents& x = s.operand(0).shape;
    const bool selects = s.n.kind == op::top_k_indices || s.n.kind == op::arg_sort;
    const int index = selects ? s.n.get<selection>().axis : s.n.get<axis>().index;
    const int along = normalized_axis(index, x.rank);
    const std::int64_t extent = along >= 0 && along < x.rank ? x[along] : 1;
    if (s.n.kind != op::gather && s.n.kind != op::gather_along_axis) {
        return extent;
    }
    const interval& given = s.operand_range(1);
    const bool is_told = given.declared && given.low >= 0 && given.high < static_cast<double>(extent);
    return is_told ? static_cast<std::int64_t>(given.high) + 1 : extent;
}

} // namespace detail

inline constexpr std::array order{
    rule_record{
        .id = rule::index_exceeds_half_precision,
        .fact = "R069",
        .level = severity::hazard,
        .ops = detail::indexing_ops,
        .sentence = "indices into {got} elements are fp16, exact up to {limit}",
        .reject = "",
        .consequence = "an index above 2048 names a neighbour",
        .advice = "work on parts of at most 2048 elements, or promise the range of the indices of a gather if they are "
                  "an input or a weight",
        .source = "guide appendix B",
        .evidence = mark::measured,
        .silicon = "M1",
        .check = [](const subject& s) -> finding { return at_most(detail::indexed_extent(s), 2048); }},
    // L008: refused by the compiler for h16g, placed by an M4's runtime, native from A14 on by the guide. A refusal may
    // concern only the form that was tried, a placement proves that the operation exists: so a warning, on that
    // generation alone.
    rule_record{.id = rule::top_k_over_width_is_in_dispute,
                .fact = "L008",
                .level = severity::warn,
                .ops = {op::top_k, op::top_k_indices},
                .sentence = "selects along the width, which one source saw refused on this generation and one placed",
                .reject = "",
                .advice = "compile it there before you count on it; M6 takes it",
                .source = "study M4, M6",
                .evidence = mark::measured,
                .silicon = "M4",
                .check = [](const subject& s) -> finding {
                    const int rank = s.operand(0).shape.rank;
                    const bool over_width = normalized_axis(s.n.get<selection>().axis, rank) == rank - 1;
                    return holds_if(s.t.tier != family::a16 || !over_width);
                }},
    rule_record{.id = rule::top_k_is_three_or_four,
                .fact = "R135",
                .level = severity::reject,
                .ops = {op::top_k, op::top_k_indices},
                .sentence = "selects {got}; no code is generated for 3 and {limit}, at any width",
                .reject = "(passes validation, code-generation reject)",
                .advice = "select 5 and drop the rest",
                .source = "guide chapters 17 and 26",
                .evidence = mark::measured,
                .silicon = "M1, M5",
                .check = [](const subject& s) -> finding {
                    const int k = s.n.get<selection>().k;
                    return holds_if(k != 3 && k != 4, k, 4);
                }},
};

} // namespace ane::rules
