#pragma once

#include "../base/way.hpp"
#include "../graph/op_set.hpp"
#include "../weights/encode.hpp"
#include "../weights/materialize.hpp"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <utility>

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

/// An entry for each operation of a set, from `facet.template operator()<Kind>()`; the others have an empty entry, and
/// their facets are not even instantiated: code that no program of this table reaches is not compiled.
template <class Entry, op_set Operations, class Facet>
constexpr std::array<Entry, op_count> op_table(const Facet& facet) {
    std::array<Entry, op_count> table{};
    const auto fill = [&]<std::size_t I>() {
        if constexpr (Operations.contains(static_cast<op>(I))) {
            table[I] = facet.template operator()<static_cast<op>(I)>();
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (fill.template operator()<I>(), ...); }
    (std::make_index_sequence<op_count>());
    return table;
}

/// The code of the stored forms of weights, where a graph of these operations may have any.
template <op_set Operations> constexpr weight_expansion expansion_for() {
    if constexpr (Operations.contains(op::compressed)) {
        return stored_values;
    } else {
        return nullptr;
    }
}

} // namespace ane::inline ANEMONE_WAY
