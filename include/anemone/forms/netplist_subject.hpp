#pragma once

#include "../graph/graph.hpp"
#include "../graph/op.hpp"

#include <cstddef>

namespace ane::forms {

/// A lowered graph with what is known of its nodes.
struct netplist_subject {
    const graph_view& g;
    const sequence<char>& constant;
    int index;
    const node& n;

    constexpr int operand(int position) const { return g.operands(index)[static_cast<std::size_t>(position)]; }
    constexpr const node& at(int position) const { return g[operand(position)]; }
    constexpr bool known(int position) const { return constant[static_cast<std::size_t>(operand(position))] != 0; }
};

} // namespace ane::forms
