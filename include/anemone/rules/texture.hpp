#pragma once

#include "record.hpp"

#include <array>

/// Operations of the sampling unit, and what the targets without one make of them.
namespace ane::rules {

inline constexpr std::array texture{
    rule_record{.id = rule::padding_mode_needs_the_texture_engine,
                .fact = "R097",
                .level = severity::reject,
                .ops = {op::reflect_pad, op::symmetric_pad, op::replicate_pad},
                .sentence = "padding by reflection or replication needs the texture engine (A14 and later)",
                .reject = "Architecture does not support padding mode.",
                .advice = "join slices with concat (optimize does that), or pad with a constant",
                .source = "guide appendix B",
                .evidence = mark::decompiled,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return holds_if(s.t.has.texture_engine); }},
    // OC17: the floor of resize is A13 in one table, A14 in the other; on the M1 it was seen to run, decomposed.
    rule_record{.id = rule::resize_is_decomposed,
                .fact = "R131",
                .level = severity::warn,
                .ops = {op::resize},
                .sentence =
                    "has no sampling unit to run on: written as convolutions and transposes, which round otherwise",
                .reject = "failed to map resize layer on this arch",
                .advice = "choose A14 or later where the last bit counts",
                .source = "guide appendices A and B",
                .evidence = mark::measured,
                .silicon = "M1",
                .check = [](const subject& s) -> finding { return holds_if(s.t.has.texture_engine); }},
    // What the M1 does in software: one batch, one plane, coordinates of three components in the channel axis. A gather
    // along one axis has indices of one component.
    rule_record{
        .id = rule::gather_needs_one_batch_one_plane_and_3_components,
        .fact = "R095",
        .level = severity::reject,
        .ops = {op::gather, op::gather_along_axis, op::gather_nd},
        .sentence = "gathers with indices of {got} components; the software path takes one batch, one plane and "
                    "exactly {limit} components, no fewer",
        .reject = "Cannot decompose layer on this architecture",
        .consequence = "the compiler aborts, there is no other path",
        .advice = "multiply with a one-hot matrix, or join slices",
        .source = "guide appendix B",
        .evidence = mark::decompiled,
        .silicon = "M1",
        .check = [](const subject& s) -> finding {
            const extents& data = s.operand(0).shape;
            const std::int64_t components = s.n.kind == op::gather_nd ? s.operand(1).shape.width() : 1;
            return holds_if(s.t.has.texture_engine || (data.batch() == 1 && data.depth() == 1 && components == 3),
                            components, 3);
        }},
};

} // namespace ane::rules
