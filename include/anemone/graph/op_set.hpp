#pragma once

#include "../base/enum_set.hpp"
#include "op.hpp"

namespace ane {

/// A set of operations.
using op_set = enum_set<op, op_count>;

/// The operations of one group.
constexpr op_set ops_of(op_group group) {
    return op_set::where([group](op o) { return signature(o).group == group; });
}

/// Every operation; those that compute something; those with an activation as their value: inputs and computed ones.
inline constexpr op_set every_op = op_set::where([](op) { return true; });
inline constexpr op_set computed_ops = op_set::where([](op o) { return !is_source(o); });
inline constexpr op_set activation_ops =
    op_set::where([](op o) { return o != op::weight && o != op::constant && o != op::compressed; });

/// Products that are summed: those of the multiply-accumulate array, and with attention, which has two of them inside.
inline constexpr op_set contractions = ops_of(op_group::contraction);
inline constexpr op_set summed_products = op_set::where([](op o) { return is_contraction(o) || o == op::attention; });

/// The operations of a graph; `Graph` has `nodes`.
template <class Graph> constexpr op_set operations_of(const Graph& g) {
    op_set all;
    for (const auto& n : g.nodes) {
        all.insert(n.kind);
    }
    return all;
}

} // namespace ane
