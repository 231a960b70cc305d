#pragma once

#include "../graph/constants.hpp"
#include "../graph/uses.hpp"
#include "record.hpp"

#include <array>

/// What single programs met on the device in 2026, on one chip and system each: told there, and of its generation alone.
namespace ane::rules {

namespace detail {

/// The generation of the chip that the field guide measured: M3.
constexpr bool is_of_the_field_guide(const target_description& t) { return t.tier == family::a15; }

/// Whether a value goes into operations, and not only to the host.
constexpr bool is_read_inside(const graph_view& g, int index) {
    return !every_reader(g, index, [](int, int) { return false; });
}

} // namespace detail

inline constexpr std::array field{
    rule_record{.id = rule::convolution_weight_is_computed,
                .fact = "field-2026",
                .level = severity::hazard,
                .ops = {op::conv2d, op::conv_transpose2d},
                .sentence =
                    "the weight, of {got} elements, is an input or computed from one: it compiles, and its data are "
                    "ignored",
                .reject = "",
                .consequence = "results of another weight",
                .advice = "a constant weight, or a product of matrices",
                .source = "apple-neural-engine-field-guide, 2026",
                .evidence = mark::measured,
                .silicon = "M3 Max",
                .check = [](const subject& s) -> finding {
                    if (!detail::is_of_the_field_guide(s.t)) {
                        return {};
                    }
                    return holds_if(is_known_when_compiled(s.g, s.g.operands(s.n)[1]), s.operand(1).shape.count(), 0);
                }},
    rule_record{.id = rule::tile_ends_the_process,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .ops = {op::tile},
                .sentence = "after one run of a program with a tile every program of the process failed until it ended",
                .reject = "0x1d",
                .advice = "join copies with concat, or repeat on the host",
                .source = "apple-neural-engine-field-guide, 2026",
                .evidence = mark::measured,
                .silicon = "M3 Max",
                .check = [](const subject& s) -> finding { return holds_if(!detail::is_of_the_field_guide(s.t)); }},
    rule_record{.id = rule::product_repeats_the_batch,
                .fact = "field-2026",
                .scope = rule_scope::advice,
                .level = severity::warn,
                .ops = {op::mul},
                .sentence =
                    "an operand is repeated {got} times along the batch, and other operations follow: wrong at times",
                .reject = "",
                .advice = "give both operands the whole batch, or fold the batch into another axis",
                .source = "apple-neural-engine-field-guide, 2026",
                .evidence = mark::measured,
                .silicon = "M3 Max",
                .check = [](const subject& s) -> finding {
                    const extents& y = s.n.shape;
                    if (!detail::is_of_the_field_guide(s.t) || y.rank != 4 || y[0] == 1 ||
                        !detail::is_read_inside(s.g, s.index)) {
                        return {};
                    }
                    for (int k = 0; k < 2; ++k) {
                        const extents& x = s.operand(k).shape;
                        if (x.rank == 4 && x[0] == 1 && !is_source(s.operand(k).kind)) {
                            return {true, y[0], 1};
                        }
                    }
                    return {};
                }},
    rule_record{.id = rule::surface_is_narrow,
                .fact = "field-2026",
                .scope = rule_scope::runtime,
                .level = severity::reject,
                .sentence = "a row of a surface has {got} elements, fewer than {limit} compile and return garbage",
                .reject = "",
                .advice = "rows of 64 bytes at least, as the layout of ports here has them",
                .source = "apple-neural-engine-field-guide, 2026",
                .evidence = mark::measured,
                .silicon = "M3 Max",
                .held_by = "backend/engine/objc/layout.hpp"},
};

} // namespace ane::rules
