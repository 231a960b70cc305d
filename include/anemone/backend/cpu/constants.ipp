#pragma once

#include "../../passes/validate.hpp"
#include "constants.hpp"
#include "repertoire.hpp"

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY folded_constants fold_constants(const graph_view& g, const weight_store& store) {
    return fold_constants(validated(g), store, cpu::constant_arithmetic_of<every_op, every_constant>());
}

} // namespace ane::inline ANEMONE_WAY
