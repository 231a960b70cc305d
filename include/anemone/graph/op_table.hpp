#pragma once

#include "op_set.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace ane {

namespace detail {

/// The operations of a set, in their order.
template <op_set Operations> struct listed_operations {
    static constexpr std::size_t count = [] {
        std::size_t members = 0;
        for (std::size_t i = 0; i < op_count; ++i) {
            members += Operations.contains(static_cast<op>(i)) ? 1U : 0U;
        }
        return members;
    }();
    static constexpr std::array<op, count> kinds = [] {
        std::array<op, count> all{};
        std::size_t next = 0;
        for (std::size_t i = 0; i < op_count; ++i) {
            if (Operations.contains(static_cast<op>(i))) {
                all[next++] = static_cast<op>(i);
            }
        }
        return all;
    }();
};

} // namespace detail

/// An entry for each operation of a set, from `facet.template operator()<Kind>()`; the others have an empty entry, and
/// their facets are not even instantiated: code that no program of this table reaches is not compiled.
template <class Entry, op_set Operations, class Facet>
constexpr std::array<Entry, op_count> op_table(const Facet& facet) {
    using listed = detail::listed_operations<Operations>;
    std::array<Entry, op_count> table{};
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((table[static_cast<std::size_t>(listed::kinds[I])] = facet.template operator()<listed::kinds[I]>()), ...);
    }
    (std::make_index_sequence<listed::count>());
    return table;
}

/// Calls `visitor.template operator()<kind>()`, if the operation is one of a set.
template <op_set Operations, class Visitor> constexpr void with_operation(op kind, const Visitor& visitor) {
    using listed = detail::listed_operations<Operations>;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (void)((kind == listed::kinds[I] ? (visitor.template operator()<listed::kinds[I]>(), true) : false) || ...);
    }
    (std::make_index_sequence<listed::count>());
}

} // namespace ane
