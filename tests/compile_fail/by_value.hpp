#pragma once

#include "../rules/one_node.hpp"
#include <anemone/rules/conforms.hpp>

/// Graphs made by value at compile time, for files that hold many models against the rules. One choice tells the model
/// that breaks a rule from its twin that keeps it.
namespace by_value {

#ifdef OK
inline constexpr bool keeps = true;
#else
inline constexpr bool keeps = false;
#endif

/// The first side of a limit, or in the twin the second.
template <class T> constexpr T pick(T broken, T kept) { return keeps ? kept : broken; }

template <class Make> struct frozen_graph {
    static constexpr ane::graph_size size = ane::size_of(Make{}());
    static constexpr ane::static_graph<size> value{Make{}()};
};
/// What a function without captures returns, as a constant.
template <class Make> consteval auto frozen(Make) { return frozen_graph<Make>::value; }

} // namespace by_value
