#pragma once

#include "../analysis/vendor_guidance.hpp"
#include "attention.hpp"
#include "record.hpp"

#include <array>

/// What the vendor's own guidance asks of models for the engine (coreai-models, August 2026). Said by the vendor, not
/// measured by a source: asked for on request only (`check_profile::vendor`, `anemone check --profile vendor`). What it says
/// that is no rule of a graph is in docs/checks.md.
namespace ane::rules {

namespace detail {

/// The elements to which the last axis of a port is padded: a power of two, and 64 bytes at least.
constexpr std::int64_t padded_width(const node& n) {
    const std::int64_t element = bits(n.type) < 8 ? 8 : bits(n.type);
    std::int64_t padded = 512 / element;
    while (padded < n.shape.width()) {
        padded *= 2;
    }
    return padded;
}

} // namespace detail

inline constexpr std::array vendor{
    rule_record{.id = rule::port_width_is_padded,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = activation_ops,
                .of_vendor = true,
                .sentence = "the last axis of a port has {got} elements and is padded to {limit}",
                .reject = "",
                .consequence = "memory and copies for the padding: a last axis of 1 takes 32 times its own in fp16, 64 "
                               "times in int8",
                .advice = "put a longer axis last, at best a power of two from 32 elements of fp16 on",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    const bool is_port = s.n.kind == op::input ? s.next() < 0 : s.is_output(s.index);
                    if (!is_port || s.n.shape.rank == 0) {
                        return {};
                    }
                    const std::int64_t padded = detail::padded_width(s.n);
                    return holds_if(s.n.shape.width() == padded, s.n.shape.width(), padded);
                }},
    rule_record{.id = rule::product_is_no_convolution,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::linear, op::matmul},
                .of_vendor = true,
                .sentence = "multiplies with a weight as a product of matrices, rank {got}",
                .reject = "",
                .advice = "a 1x1 convolution of [batch, channels, 1, sequence] (anemone optimize --vendor: "
                          "transformer_for_engine)",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    return holds_if(!is_product_with_weight(s.g, s.n), s.n.shape.rank, 4);
                }},
    rule_record{.id = rule::transpose_moves_the_width,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::transpose},
                .of_vendor = true,
                .sentence = "puts axis {got} last, in place of axis {limit}: every element is written anew",
                .reject = "",
                .advice = "keep the last axis in its place (anemone optimize: channels_first, cancel_transposes)",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    const indices& moved = s.n.get<permutation>().order;
                    const bool moves = moves_the_width(s.g, s.n);
                    return holds_if(!moves, moves ? moved[moved.rank - 1] : 0, moved.rank - 1);
                }},
    rule_record{.id = rule::norm_is_written_in_parts,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::reduce_mean},
                .of_vendor = true,
                .sentence = "takes the mean of squares: a norm in its parts",
                .reject = "",
                .advice = "layer_norm or rms_norm as one operation (anemone optimize: whole_norms)",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding { return holds_if(!is_mean_of_squares(s.g, s.n)); }},
    rule_record{.id = rule::softmax_is_not_over_channels,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::softmax},
                .of_vendor = true,
                .sentence = "goes over axis {got}, axis {limit} has the channels",
                .reject = "",
                .advice = "scores with the keys as channels: bchq,bkhc->bkhq (anemone optimize --vendor)",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    const int rank = s.n.shape.rank;
                    const int over = normalized_axis(s.n.get<axis>().index, rank);
                    return holds_if(!is_softmax_beside_channels(s.n), over, rank < 3 ? 0 : rank - 3);
                }},
    rule_record{.id = rule::pool_stride_is_not_two_or_four,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::max_pool, op::avg_pool, op::l2_pool},
                .of_vendor = true,
                .sentence = "pools with a stride of {got}, not 2 or {limit}",
                .reject = "",
                .advice = "strides of 2 and 4, one pool after another where more is meant",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    const size2 stride = s.n.get<pool>().stride;
                    const auto fits = [](std::int64_t by) { return by == 1 || by == 2 || by == 4; };
                    return both(holds_if(fits(stride.height), stride.height, 4),
                                holds_if(fits(stride.width), stride.width, 4));
                }},
    rule_record{
        .id = rule::heads_are_attended_together,
        .fact = "field-2026",
        .scope = rule_scope::advice,
        .level = severity::note,
        .ops = {op::attention, op::matmul},
        .of_vendor = true,
        .sentence = "attends with {got} heads in one operation, not with {limit} at a time",
        .reject = "",
        .advice =
            "a product, a softmax and a product for each head, in [batch, channels, 1, sequence] (anemone optimize "
            "--vendor)",
        .source = "coreai-models, 2026, said by the vendor",
        .evidence = mark::predicted,
        .check = [](const subject& s) -> finding { return at_most(heads_at_once(s.g, s.n), 1); }},
    rule_record{.id = rule::cache_is_written_by_the_program,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::input},
                .of_vendor = true,
                .sentence = "a state of {got} elements that the program writes",
                .reject = "",
                .advice =
                    "caches as inputs, [layers, batch, heads x size, 1, length], which the program only reads; new "
                    "keys, rotated, and values as outputs, which the host writes there",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding { return holds_if(s.next() < 0, s.n.shape.count(), 0); }},
    rule_record{.id = rule::table_is_gathered_inside,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::gather},
                .of_vendor = true,
                .sentence = "gathers from a table of {got} elements inside the program",
                .reject = "",
                .advice = "rotary tables as inputs, [1, head size, 1, length]; an embedding apart, quantized by itself",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding {
                    return holds_if(!is_stored_weight(s.operand(0).kind), s.operand(0).shape.count(), 0);
                }},
    rule_record{.id = rule::prompt_exceeds_a_chunk,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::note,
                .ops = {op::attention, op::softmax},
                .of_vendor = true,
                .sentence = "attends with {got} queries at once, a chunk of a prompt has {limit}",
                .reject = "",
                .advice = "prompts in chunks of 64",
                .source = "coreai-models, 2026, said by the vendor",
                .evidence = mark::predicted,
                .check = [](const subject& s) -> finding { return at_most(detail::queries_of(s), 64); }},
};

} // namespace ane::rules
