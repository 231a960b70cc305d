#pragma once

#include "../analysis/ranges.hpp"
#include "../graph/constants.hpp"
#include "../numerics/width_offset.hpp"
#include "../passes/rewriter.hpp"

/// Slices that begin inside the last axis, as those of a max pool's gradient do: on M1 and M2 they are infinite above 4094
/// (R090), and cotangents and what relu gives have no bound.
namespace ane::detail::training {

/// Takes columns from axes turned round, where they are rows, once for all slices that take the same.
class column_slices {
public:
    constexpr explicit column_slices(rewriter& r) : r_(r) {}

    /// What a slice of the source reads, by columns first, then along the other axes.
    constexpr int of(const node& n) {
        const int last = n.shape.rank - 1;
        strided_window part{};
        if (n.kind == op::slice) {
            part.begin = n.get<window>().begin;
            for (int axis = 0; axis <= last; ++axis) {
                part.stride.append(1);
            }
        } else {
            part = n.get<strided_window>();
        }
        const int whole = columns_of(r_.operand(n, 0), part.begin[last], part.stride[last], n.shape[last]);
        part.begin[last] = 0;
        part.stride[last] = 1;
        return cut(whole, part, n.shape);
    }

private:
    struct columns {
        int from;
        std::int64_t begin;
        std::int64_t stride;
        std::int64_t count;
        int value;
    };

    constexpr int columns_of(int from, std::int64_t begin, std::int64_t stride, std::int64_t count) {
        for (const columns& c : made_) {
            if (c.from == from && c.begin == begin && c.stride == stride && c.count == count) {
                return c.value;
            }
        }
        const int last = r_.shape(from).rank - 1;
        permutation turn;
        strided_window part;
        for (int axis = 0; axis <= last; ++axis) {
            turn.order.append(axis < last - 1 ? axis : 2 * last - 1 - axis);
            part.begin.append(axis == last - 1 ? begin : 0);
            part.stride.append(axis == last - 1 ? stride : 1);
        }
        const int turned = r_.emit(op::transpose, turn, {from});
        extents wanted = r_.shape(turned);
        wanted[last - 1] = count;
        const int value = r_.emit(op::transpose, turn, {cut(turned, part, wanted)});
        made_.push_back({from, begin, stride, count, value});
        return value;
    }
    /// A part of a value; the value itself where that is all of it.
    constexpr int cut(int value, const strided_window& part, const extents& wanted) {
        bool is_dense = true;
        for (int axis = 0; axis < wanted.rank; ++axis) {
            is_dense = is_dense && part.stride[axis] == 1;
        }
        if (is_dense && r_.shape(value) == wanted) {
            return value;
        }
        return is_dense ? r_.emit(op::slice, window{part.begin, wanted}, {value})
                        : r_.emit(op::strided_slice, part, {value}, wanted);
    }

    rewriter& r_;
    sequence<columns> made_;
};

/// A graph without slices that begin inside the last axis and whose values may pass 4094 by the declared ranges. The bits
/// are the same; inputs keep their places.
constexpr dynamic_graph turn_slices(const dynamic_graph& whole) {
    const graph_view g = whole;
    const auto begins_inside = [&g](const node& n) {
        return (n.kind == op::slice || n.kind == op::strided_slice) && n.shape.rank > 1 && reads_inside_width(g, n);
    };
    bool any = false;
    for (const node& n : g.nodes) {
        any = any || begins_inside(n);
    }
    if (!any) {
        return whole; // the ranges are not worth computing
    }
    const std::vector<interval> known = ranges(g);
    rewriter r(g);
    column_slices slices(r);
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        r.visit(i);
        const bool is_inside = begins_inside(n);
        const interval* const read = is_inside ? &known[static_cast<std::size_t>(g.operands(i)[0])] : nullptr;
        const bool saturates = read != nullptr && !(read->declared && read->magnitude() <= gain_ceiling);
        r.rename(i, saturates ? slices.of(n) : r.copy(i));
    }
    for (const output_port& port : g.outputs) {
        r.add_output(r.renamed(port.node), port);
    }
    return r.result();
}

} // namespace ane::detail::training
