#pragma once

#include "../analysis/kernel_memory.hpp"
#include "record.hpp"

#include <array>

namespace ane::rules {

namespace detail {

/// Whether an operand is an input that weighs scores from 0 to 1, as a mask of truth values does.
constexpr bool is_mask_of_ones(const subject& s, int index) {
    while (signature(s.g[index].kind).group == op_group::movement && s.g[index].operands.count == 1) {
        index = s.g.operands(index)[0];
    }
    const interval& range = s.value_ranges[static_cast<std::size_t>(index)];
    return s.g[index].kind == op::input && s.g[index].type != dtype::boolean && range.declared && range.low == 0 &&
           range.high > 0 && range.high <= 1;
}

/// Whether what is added to the scores of an attention, or of a softmax, is such a mask.
constexpr bool adds_mask_of_ones(const subject& s) {
    if (s.n.kind == op::attention) {
        return s.operand_count() == 4 && is_mask_of_ones(s, s.g.operands(s.n)[3]);
    }
    if (s.operand(0).kind != op::add) {
        return false;
    }
    const std::span<const int> summands = s.g.operands(s.operand(0));
    return is_mask_of_ones(s, summands[0]) || is_mask_of_ones(s, summands[1]);
}

/// The lengths of the two sequences of attention, of queries and of keys.
constexpr std::int64_t longer_sequence(const subject& s) {
    const std::int64_t queries = s.operand(0).shape.height();
    const std::int64_t keys = s.operand(1).shape.height();
    return queries > keys ? queries : keys;
}
constexpr std::int64_t shorter_sequence(const subject& s) {
    return s.operand(0).shape.height() + s.operand(1).shape.height() - longer_sequence(s);
}

/// The product of queries and keys that a softmax over the last axis makes weights of; null where there is none.
constexpr const node* scores_of(const subject& s) {
    if (normalized_axis(s.n.get<axis>().index, s.n.shape.rank) != s.n.shape.rank - 1) {
        return nullptr;
    }
    const node* n = &s.operand(0);
    for (int steps = 0; steps < 3 && signature(n->kind).group == op_group::binary; ++steps) { // a scale and two masks
        n = &s.g.operand(*n, is_source(s.g.operand(*n, 0).kind) ? 1 : 0);
    }
    const bool is_product = signature(n->kind).group == op_group::contraction && !is_convolution(n->kind);
    return is_product && !is_stored_weight(s.g.operand(*n, 0).kind) && !is_stored_weight(s.g.operand(*n, 1).kind)
               ? n
               : nullptr;
}

/// How many rows attention weighs at once, whole or in parts; 0 where a softmax is none of attention's.
constexpr std::int64_t queries_of(const subject& s) {
    if (s.n.kind == op::attention) {
        return s.operand(0).shape.height();
    }
    const node* const scores = scores_of(s);
    return scores != nullptr && scores->shape.rank >= 2 ? scores->shape.height() : 0;
}

} // namespace detail

// R083 to R085 are hazards of the fused unit (measured). Lowering never emits that unit: it writes attention as two
// products around a softmax, so here they only warn that the unit's speed is not available.
inline constexpr std::array attention{
    rule_record{.id = rule::attention_rank_exceeds_four,
                .fact = "ops",
                .level = severity::reject,
                .ops = {op::attention},
                .sentence = "attention of rank {got} exceeds {limit}",
                .reject = "",
                .advice = "fold the leading axes",
                .source = "string catalogue of the compiler",
                .evidence = mark::decompiled,
                .check = [](const subject& s) -> finding { return at_most(s.operand(0).shape.rank, 4); }},
    rule_record{
        .id = rule::attention_value_shape_differs,
        .fact = "R086",
        .level = severity::reject,
        .ops = {op::attention},
        .sentence = "key and value must have the same shape",
        .reject = "Key and value must be the same shape",
        .advice = "",
        .source = "guide appendix B",
        .evidence = mark::decompiled,
        .check = [](const subject& s) -> finding { return holds_if(s.operand(1).shape == s.operand(2).shape); }},
    rule_record{.id = rule::attention_mask_type_differs,
                .fact = "R081",
                .level = severity::reject,
                .ops = {op::attention},
                .sentence = "the mask has type code {got}, query, key and value have {limit}",
                .reject = "Mask format must be same as Q, K and V",
                .advice = "use an fp16 mask that is added: 0 where a key counts, -10000 where not",
                .source = "guide chapter 22",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding {
                    const dtype query = s.operand(0).type;
                    const dtype mask = s.operand_count() > 3 ? s.operand(3).type : query;
                    return holds_if(mask == query, static_cast<int>(mask), static_cast<int>(query));
                }},
    rule_record{.id = rule::attention_sequence_exceeds,
                .fact = "R083",
                .level = severity::warn,
                .ops = {op::attention},
                .sentence = "a sequence of {got} exceeds {limit}: too long for the fused unit, written as two products",
                .reject = "",
                .advice = "",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding { return at_most(detail::longer_sequence(s), 2048); }},
    rule_record{.id = rule::attention_is_too_square,
                .fact = "R084",
                .level = severity::warn,
                .ops = {op::attention},
                .sentence =
                    "both sequences reach {got}, one must stay at or below {limit} for the fused unit: written as "
                    "two products",
                .reject = "",
                .advice = "",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding { return at_most(detail::shorter_sequence(s), 511); }},
    rule_record{.id = rule::mask_hides_nothing,
                .fact = "softmax",
                .level = severity::note,
                .ops = {op::attention, op::softmax},
                .sentence = "a mask of 0 to {got} is added to the scores: it weighs them and hides nothing",
                .reject = "",
                .consequence = "keys that are to be left out take part",
                .advice = "select 0 where a key counts and -30000 where not, or add (mask - 1) * 30000",
                .source = "the definition of softmax",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding { return holds_if(!detail::adds_mask_of_ones(s), 1, 0); }},
    rule_record{.id = rule::attention_mask_is_not_shared,
                .fact = "R085",
                .level = severity::warn,
                .ops = {op::attention},
                .sentence =
                    "the fused unit wants a mask of [1, 1, queries, keys], axis {got} is not: written as two products",
                .reject = "",
                .advice = "",
                .source = "ANEForge",
                .evidence = mark::measured,
                .silicon = "M5",
                .check = [](const subject& s) -> finding {
                    if (s.operand_count() < 4) {
                        return {};
                    }
                    const extents& mask = s.operand(3).shape;
                    const extents wanted{1, 1, s.operand(0).shape.height(), s.operand(1).shape.height()};
                    for (int i = 0; i < 4; ++i) {
                        if (mask.rank != 4 || mask[i] != wanted[i]) {
                            return {true, i, 4};
                        }
                    }
                    return {};
                }},
    // One exporter's graphs, of which the source names no reason: a warning, on every route.
    rule_record{.id = rule::attention_has_few_queries,
                .fact = "field-2026",
                .level = severity::warn,
                .ops = {op::attention, op::softmax},
                .sentence =
                    "attends with {got} queries: graphs with 1 or 2 failed at their first request, with {limit} and 8 "
                    "they ran",
                .reject = "0xe00002c2",
                .advice = "pad the queries to 4, which took the same time, and leave the other results out",
                .source = "llms-on-apple-neural-engine, 2026",
                .evidence = mark::measured,
                .silicon = "M5 Pro",
                .check = [](const subject& s) -> finding {
                    const std::int64_t queries = detail::queries_of(s);
                    return holds_if(queries == 0 || queries > 2, queries, 4);
                }},
};

} // namespace ane::rules
