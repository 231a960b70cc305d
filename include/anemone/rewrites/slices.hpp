#pragma once

#include "../analysis/envelope.hpp"
#include "../numerics/datapath.hpp"
#include "../passes/column_slices.hpp"
#include "layouts.hpp"

/// Rewrites for slices.
namespace ane::detail {

constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

/// The slices of a graph that a target refuses for the values that the declared ranges let them read (R090), with a 1 each.
constexpr sequence<char> refused_slices_of(const graph_view& g, const target_description& t) {
    sequence<char> refused(g.nodes.size(), 0);
    bool any = false;
    for (int i = 0; i < g.size() && numerics::datapath_of(t.tier).width_slice_gain != 1; ++i) {
        refused[static_cast<std::size_t>(i)] = is_slice(g[i].kind) && reads_inside_width(g, g[i]) ? 1 : 0;
        any = any || refused[static_cast<std::size_t>(i)] != 0;
    }
    if (!any) {
        return refused; // the ranges are not worth computing
    }
    const std::vector<interval> known = ranges(g);
    for (int i = 0; i < g.size(); ++i) {
        char& mark = refused[static_cast<std::size_t>(i)];
        mark = mark != 0 && slice_demand({g, g[i], known}, true).refuted() ? 1 : 0;
    }
    return refused;
}
constexpr int refused_slices(const graph_view& g, const target_description& t) {
    int refused = 0;
    for (const char mark : refused_slices_of(g, t)) {
        refused += mark;
    }
    return refused;
}

/// A slice that begins inside the last axis, where A13 and A14 store 16 times the value (R090, N060 to N067), as one of
/// another axis: of blocks of elements, if the window consists of whole blocks, else of the axes turned round.
constexpr rewritten slices_off_width(const graph_view& g, const target_description& t) {
    if (numerics::datapath_of(t.tier).width_slice_gain == 1) {
        return {};
    }
    const sequence<char> refused = refused_slices_of(g, t);
    return rewrite_each(g, [&](rewriter& w, int i) {
        const node& n = g[i];
        if (refused[static_cast<std::size_t>(i)] == 0) {
            return -1;
        }
        const int last = n.shape.rank - 1;
        const strided_window part = window_of(n);
        const int x = w.operand(n, 0);
        const std::int64_t width = w.shape(x)[last];
        const std::int64_t begin = part.begin[last];
        const std::int64_t size = n.shape[last];
        strided_window others = part; // which may stay
        others.begin[last] = 0;
        others.stride[last] = 1;
        extents rows = n.shape;
        rows[last] = width;
        const int inner = cut(w, x, others, rows);
        const std::int64_t block =
            part.stride[last] == 1 ? common_divisor(common_divisor(width, begin), size) : std::int64_t{1};
        if (last < 4 && (block > 1 || last == 0)) { // no tensor has six axes
            extents blocks;
            extents wanted;
            strided_window whole;
            for (int axis = 0; axis <= last; ++axis) {
                const bool is_last = axis == last;
                blocks.append(is_last ? width / block : rows[axis]);
                wanted.append(is_last ? size / block : rows[axis]);
                whole.begin.append(is_last ? begin / block : 0);
                whole.stride.append(is_last ? part.stride[last] : 1);
            }
            blocks.append(block);
            wanted.append(block);
            whole.begin.append(0);
            whole.stride.append(1);
            return w.reshape(cut(w, w.reshape(inner, blocks), whole, wanted), n.shape);
        }
        return column_slices(w).columns(inner, begin, part.stride[last], size);
    });
}

} // namespace ane::detail
