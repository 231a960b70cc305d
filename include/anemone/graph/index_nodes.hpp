#pragma once

#include "graph.hpp"
#include "op_set.hpp"

#include <cstddef>
#include <span>

/// Which numbers of a model say where others are: one that fp16 rounds is another index.
namespace ane {

/// The result of these has the elements of its operands, or is reckoned from them as indices are: a cast to integers, which
/// is sign x floor |x|, too.
inline constexpr op_set index_keepers = op_set::where([](op kind) {
    return signature(kind).group == op_group::movement || kind == op::select || kind == op::add || kind == op::sub ||
           kind == op::mul || kind == op::abs || kind == op::minimum || kind == op::maximum || kind == op::clamp ||
           kind == op::floor || kind == op::ceil || kind == op::round;
});

/// The second operand of these says where the elements of the first are.
inline constexpr op_set index_takers{op::gather, op::gather_along_axis, op::gather_nd, op::gather_hw,
                                     op::dynamic_slice};

/// For each node whether an operation takes its elements for indices.
constexpr sequence<char> index_nodes(const graph_view& g) {
    sequence<char> are(g.nodes.size(), 0);
    for (int i = g.size() - 1; i >= 0; --i) { // what reads a node stands behind it
        const op kind = g[i].kind;
        const bool passes = are[static_cast<std::size_t>(i)] != 0 && index_keepers.contains(kind);
        const std::span<const int> operands = g.operands(i);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const bool is_place = k == 1 && index_takers.contains(kind);
            const bool is_condition = k == 0 && kind == op::select;
            if (is_place || (passes && !is_condition)) {
                are[static_cast<std::size_t>(operands[k])] = 1;
            }
        }
    }
    return are;
}

/// Below this fp16 has every integer; from here on, each number of fp16 is also what an integer beside it is rounded to.
inline constexpr double first_shared_integer = 2048;

} // namespace ane
