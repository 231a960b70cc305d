#pragma once

#include "../analysis/held_weights.hpp"
#include "form_fault.hpp"

#include <span>

namespace ane {

/// Why a file holds a compressed weight as fp16; nothing where it holds the stored form (analysis/held_weights.hpp).
constexpr form_fault weight_fault(const graph_view& g, int index, held_forms held, std::span<const int> read = {}) {
    const compression& c = g[index].get<compression>();
    if (is_held_as_stored(g, index, held, read)) {
        return {};
    }
    if (held == held_forms::none) {
        return {form_reason::netplist_weight_is_no_fp16, c.bits, 16};
    }
    if (was_run_as_a_weight(c)) {
        return {form_reason::weight_is_read_otherwise, c.bits};
    }
    switch (c.form) {
    case weight_form::palette:
        return c.vector > 1 ? form_fault{form_reason::palette_of_vectors, c.bits, c.vector}
                            : form_fault{form_reason::palette_of_other_bits, c.bits, 8};
    case weight_form::affine:
    case weight_form::blockwise:
        return c.block > 0    ? form_fault{form_reason::weight_has_blocks, c.bits, c.block}
               : c.zero_point ? form_fault{form_reason::weight_has_zero_points, c.bits}
                              : form_fault{form_reason::weight_of_other_integers, c.bits, 8};
    default: return {form_reason::sparse_weight_has_a_second_form, c.bits};
    }
}

} // namespace ane
