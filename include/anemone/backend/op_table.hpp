#pragma once

#include "../base/way.hpp"
#include "../graph/op_table.hpp"
#include "../weights/encode.hpp"
#include "../weights/fold_constants.hpp"

#include <initializer_list>

namespace ane::inline ANEMONE_WAY {

/// Whether an operation is one of several.
template <op Kind> constexpr bool is_one_of(std::initializer_list<op> kinds) {
    for (const op k : kinds) {
        if (k == Kind) {
            return true;
        }
    }
    return false;
}

/// The code for stored forms of weights, if a graph of these operations can contain any.
template <op_set Operations> constexpr weight_expansion expansion_for() {
    if constexpr (Operations.contains(op::compressed)) {
        return stored_values;
    } else {
        return nullptr;
    }
}

} // namespace ane::inline ANEMONE_WAY
