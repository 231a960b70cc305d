#pragma once

#include "../graph/graph.hpp"
#include "../graph/op_facet.hpp"

namespace ane {

/// 65504 / 16: the largest magnitude that survives a read from inside the width on A13 and A14, or as an activation
/// before int8 weights.
inline constexpr double gain_ceiling = 4094.0;

namespace detail {

using offset_test = bool (*)(const graph_view& g, const node& n);

/// The operations that may read from an offset on the last axis, and when they do.
inline constexpr op_facet<offset_test> width_offsets{
    {op::slice,
     [](const graph_view&, const node& n) {
         const indices& begin = n.get<window>().begin;
         return begin.rank > 0 && begin[begin.rank - 1] != 0;
     }},
    {op::strided_slice, // one that goes backwards is no view with an offset
     [](const graph_view&, const node& n) {
         const strided_window& w = n.get<strided_window>();
         const int last = w.begin.rank - 1;
         return last >= 0 && w.stride[last] > 0 && w.begin[last] != 0;
     }},
    {op::dynamic_slice,
     [](const graph_view& g, const node& n) { return n.shape.width() < g.operand(n, 0).shape.width(); }},
    {op::gather,
     [](const graph_view& g, const node& n) { return n.get<axis>().index + 1 == g.operand(n, 0).shape.rank; }},
    {op::gather_along_axis,
     [](const graph_view& g, const node& n) { return n.get<axis>().index + 1 == g.operand(n, 0).shape.rank; }},
    {op::gather_nd,
     [](const graph_view& g, const node& n) { return g.operand(n, 1).shape.width() == g.operand(n, 0).shape.rank; }}};

} // namespace detail

/// Whether a node reads its first operand from an offset on the last axis, where A13 and A14 store 16 times the value
/// (measured M1, M2: N060-N067 for slices; inferred for dynamic_slice and for gathers along that axis, which may).
constexpr bool reads_inside_width(const graph_view& g, const node& n) {
    const detail::offset_test reads = detail::width_offsets[n.kind];
    return reads != nullptr && reads(g, n);
}

} // namespace ane
