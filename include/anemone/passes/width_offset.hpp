#pragma once

#include "../graph/graph.hpp"

namespace ane {

/// 65504 / 16: the largest magnitude that survives a read from inside the width on A13 and A14, or as an activation
/// before int8 weights.
inline constexpr double gain_ceiling = 4094.0;

/// Whether a node reads its first operand from an offset on the last axis, where A13 and A14 store 16 times the value
/// (measured M1, M2: N060-N067 for slices; inferred for dynamic_slice and for gathers along that axis, which may).
constexpr bool reads_inside_width(const graph_view& g, const node& n) {
    const auto last = [](const indices& list) { return list.rank > 0 ? list[list.rank - 1] : 0; };
    switch (n.kind) {
    case op::slice: return last(n.get<window>().begin) != 0;
    case op::strided_slice: // one that goes backwards is no view with an offset
        return last(n.get<strided_window>().stride) > 0 && last(n.get<strided_window>().begin) != 0;
    case op::dynamic_slice: return n.shape.width() < g.operand(n, 0).shape.width();
    case op::gather:
    case op::gather_along_axis: return n.get<axis>().index + 1 == g.operand(n, 0).shape.rank;
    case op::gather_nd: return g.operand(n, 1).shape.width() == g.operand(n, 0).shape.rank;
    default: return false;
    }
}

} // namespace ane
