#pragma once

#include "op_set.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace ane {

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

/// Calls `visitor.template operator()<kind>()`, if the operation is one of a set.
template <op_set Operations, class Visitor> constexpr void with_operation(op kind, const Visitor& visitor) {
    const auto visit = [&]<std::size_t I>() {
        if constexpr (Operations.contains(static_cast<op>(I))) {
            if (kind == static_cast<op>(I)) {
                visitor.template operator()<static_cast<op>(I)>();
            }
        }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) { (visit.template operator()<I>(), ...); }
    (std::make_index_sequence<op_count>());
}

} // namespace ane
