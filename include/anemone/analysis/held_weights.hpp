#pragma once

#include "../graph/uses.hpp"
#include "../numerics/integer_products.hpp"
#include "../passes/lowering.hpp"
#include "../targets/description.hpp"
#include "../targets/operation_support.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

/// Which compressed weights a file holds as they are stored. It holds the others as the fp16 values that they stand for:
/// for the engine these are plain weights, which the writers, the cost model and the rules have to agree on.
namespace ane {

/// Whether a node stands for a weight in a stored form.
constexpr bool is_stored_form(const node& n) noexcept { return n.kind == op::compressed; }

enum class held_forms : std::uint8_t {
    run,   ///< MIL text by default: in the forms that a source has run, where one has run them
    every, ///< MIL text with `mil_options::every_stored_form`, as ML packages have it
    none   ///< netplists
};

/// The forms in files of a route; targets without MIL text have netplists alone.
constexpr held_forms held_forms_on(compile_route route, const target_description& t) noexcept {
    return route == compile_route::netplist || !t.mil_supported ? held_forms::none : held_forms::run;
}

/// Whether a form was run as a weight by a source, or is one of a width that was: int8 without a zero point, palettes
/// of single elements of 4 and 8 bits, plain sparse. A weight in blocks is refused by the compiler ("Not implemented",
/// M5).
constexpr bool was_run_as_a_weight(const compression& c) {
    switch (c.form) {
    case weight_form::affine: return is_int8_by_channel(c);
    case weight_form::palette: return (c.bits == 4 || c.bits == 8) && c.vector == 1;
    case weight_form::sparse: return true;
    default: return false;
    }
}

/// Integers with a scale for each block: also those of one scale for a row, where they are not of 8 bits.
constexpr bool has_blocks(const compression& c) {
    return c.form == weight_form::blockwise || (c.form == weight_form::affine && (c.bits != 8 || c.block != 0));
}

/// Whether an operation of a model takes a stored weight as its operand `position`, itself or, where lowering takes it
/// apart, in a product that it becomes.
constexpr bool takes_stored_weight(op kind, std::size_t position) {
    return reads_stored_weight(kind, position) || is_composed(kind);
}

/// Whether every operation that reads a compressed weight takes it as it is stored. `read`: `uses(g)`, where that is known
/// (`every_reader`).
constexpr bool is_read_as_stored(const graph_view& g, int index, std::span<const int> read = {}) {
    return every_reader(g, index, read, [&g](int reader, int position) {
        return takes_stored_weight(g[reader].kind, static_cast<std::size_t>(position));
    });
}

/// Whether the engine gets a compressed weight in its stored form. With every form written, one in blocks still reaches
/// products as a sum with zero, which is fp16. `read` as above.
constexpr bool is_held_as_stored(const graph_view& g, int index, held_forms held, std::span<const int> read = {}) {
    const compression& c = g[index].get<compression>();
    switch (held) {
    case held_forms::run: return was_run_as_a_weight(c) && is_read_as_stored(g, index, read);
    case held_forms::every: return !has_blocks(c);
    case held_forms::none: break;
    }
    return false;
}

} // namespace ane
