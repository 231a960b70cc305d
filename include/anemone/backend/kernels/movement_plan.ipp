#pragma once

#include "../../base/error.hpp"
#include "../../graph/border_source.hpp"
#include "../../graph/graph.hpp"
#include "../../graph/op_facet.hpp"
#include "../../values/half.hpp"
#include "movement_plan.hpp"
#include "moves.hpp"

#include <string>
#include <utility>

namespace ane::kernels::detail::inline ANEMONE_WAY {

/// `shape` whole, from a dense operand of that shape into a result with the given steps.
ANEMONE_INLINE element_move dense_move(int operand, const extents& shape, const indices& to,
                                       std::int64_t to_first = 0) {
    return {operand, shape, to_first, to, 0, row_major_strides(shape), {}};
}

ANEMONE_INLINE spaced_elements spaced(const extents& tensor, const indices& begin, const indices& stride) {
    spaced_elements r{0, row_major_strides(tensor)};
    for (int i = 0; i < tensor.rank; ++i) {
        r.first += begin[i] * r.steps[i];
        r.steps[i] *= stride[i];
    }
    return r;
}

ANEMONE_INLINE indices ones(int rank) {
    indices r;
    for (int i = 0; i < rank; ++i) {
        r.append(1);
    }
    return r;
}

/// A slice: result of `size`.
ANEMONE_INLINE element_move slice_move(const extents& x, const indices& begin, const indices& stride,
                                       const extents& size) {
    const spaced_elements from = spaced(x, begin, stride);
    return {0, size, 0, row_major_strides(size), from.first, from.steps, {}};
}

/// The operand's elements at begin, begin + stride, ... of the result.
ANEMONE_INLINE element_move placed_move(int operand, const extents& x, const extents& result, const indices& begin,
                                        const indices& stride) {
    const spaced_elements to = spaced(result, begin, stride);
    return dense_move(operand, x, to.steps, to.first);
}

ANEMONE_INLINE element_move transpose_move(const extents& x, const permutation& p, const extents& result) {
    const indices steps = row_major_strides(x);
    element_move m{0, result, 0, row_major_strides(result), 0, {}, {}};
    for (int i = 0; i < x.rank; ++i) {
        m.from.append(steps[static_cast<int>(p.order[i])]);
    }
    return m;
}

ANEMONE_INLINE element_move reverse_move(const extents& x, const axes& reversed) {
    element_move m = dense_move(0, x, row_major_strides(x));
    for (int i = 0; i < reversed.list.rank; ++i) {
        const int axis = static_cast<int>(reversed.list[i]);
        m.from_first += (x[axis] - 1) * m.from[axis];
        m.from[axis] = -m.from[axis];
    }
    return m;
}

/// Blocks of fy fx pixels between an image [N, C, H fy, W fx] and its packed form, which is [N, C, fy, fx, H, W] where
/// the channels stand before the pixels of a block, else [N, fy, fx, C, H, W].
ANEMONE_INLINE element_move block_move(const extents& image, const factors& f, bool channels_first, bool into_image) {
    const std::int64_t fy = f.by.height;
    const std::int64_t fx = f.by.width;
    const std::int64_t height = image[2] / fy;
    const std::int64_t width = image[3] / fx;
    const std::int64_t row = image[3];
    const std::int64_t plane = image[2] * row;
    const std::int64_t all = image[1] * plane;
    const extents packed = channels_first ? extents{image[0], image[1], fy, fx, height, width}
                                          : extents{image[0], fy, fx, image[1], height, width};
    const indices spread =
        channels_first ? indices{all, plane, row, 1, fy * row, fx} : indices{all, row, 1, plane, fy * row, fx};
    const indices dense = row_major_strides(packed);
    return {0, packed, 0, into_image ? spread : dense, 0, into_image ? dense : spread, {}};
}

ANEMONE_INLINE std::vector<element_move> concat_moves(const graph_view& g, const node& n) {
    const int along = n.get<axis>().index;
    indices begin = ones(n.shape.rank);
    for (int i = 0; i < begin.rank; ++i) {
        begin[i] = 0;
    }
    std::vector<element_move> moves;
    for (int k = 0; k < n.operands.count; ++k) {
        const extents& x = g.operand(n, k).shape;
        moves.push_back(placed_move(k, x, n.shape, begin, ones(x.rank)));
        begin[along] += x[along];
    }
    return moves;
}

ANEMONE_INLINE movement_plan one_move(element_move m) {
    movement_plan plan;
    plan.moves.push_back(std::move(m));
    return plan;
}

/// Borders of the tensor's own elements.
ANEMONE_INLINE movement_plan border_plan(const extents& x, const graph_view& /*g*/, const node& n) {
    return one_move(indexed_move(x, n.shape, [&](int axis, std::int64_t i) {
        return border_source(n.kind, x[axis], i - n.get<pads>().before[axis]);
    }));
}

using movement_planner = movement_plan (*)(const extents& x, const graph_view& g, const node& n);

/// (Within a function, because a table would compile all planners wherever it is seen.)
ANEMONE_INLINE movement_planner movement_planner_of(op kind) {
    static constexpr op_facet<movement_planner> planners{
        {op::identity, [](const extents& x, const graph_view&,
                          const node&) { return one_move(dense_move(0, x, row_major_strides(x))); }},
        {op::transpose, [](const extents& x, const graph_view&,
                           const node& n) { return one_move(transpose_move(x, n.get<permutation>(), n.shape)); }},
        {op::concat,
         [](const extents&, const graph_view& g, const node& n) {
             return movement_plan{-1, concat_moves(g, n)};
         }},
        {op::slice,
         [](const extents& x, const graph_view&, const node& n) {
             return one_move(slice_move(x, n.get<window>().begin, ones(x.rank), n.shape));
         }},
        {op::strided_slice,
         [](const extents& x, const graph_view&, const node& n) {
             const strided_window& w = n.get<strided_window>();
             return one_move(slice_move(x, w.begin, w.stride, n.shape));
         }},
        {op::slice_update,
         [](const extents& x, const graph_view& g, const node& n) {
             const strided_window& w = n.get<strided_window>();
             movement_plan plan = one_move(dense_move(0, x, row_major_strides(x)));
             plan.moves.push_back(placed_move(1, g.operand(n, 1).shape, n.shape, w.begin, w.stride));
             return plan;
         }},
        {op::pad,
         [](const extents& x, const graph_view&, const node& n) {
             movement_plan plan = one_move(placed_move(0, x, n.shape, n.get<pads>().before, ones(x.rank)));
             plan.fill = 1;
             return plan;
         }},
        {op::reflect_pad, border_plan},
        {op::symmetric_pad, border_plan},
        {op::replicate_pad, border_plan},
        {op::tile,
         [](const extents& x, const graph_view&, const node& n) {
             return one_move(indexed_move(x, n.shape, [&x](int axis, std::int64_t i) { return i % x[axis]; }));
         }},
        {op::reverse,
         [](const extents& x, const graph_view&, const node& n) { return one_move(reverse_move(x, n.get<axes>())); }},
        {op::pixel_shuffle, [](const extents&, const graph_view&,
                               const node& n) { return one_move(block_move(n.shape, n.get<factors>(), true, true)); }},
        {op::pixel_unshuffle, [](const extents& x, const graph_view&,
                                 const node& n) { return one_move(block_move(x, n.get<factors>(), true, false)); }},
        {op::depth_to_space,
         [](const extents&, const graph_view&, const node& n) {
             return one_move(block_move(n.shape, n.get<factors>(), false, true));
         }},
        {op::batch_to_space,
         [](const extents&, const graph_view&, const node& n) {
             return one_move(block_move(n.shape, n.get<factors>(), false, true));
         }},
        {op::space_to_depth, [](const extents& x, const graph_view&,
                                const node& n) { return one_move(block_move(x, n.get<factors>(), false, false)); }},
        {op::space_to_batch, [](const extents& x, const graph_view&, const node& n) {
             return one_move(block_move(x, n.get<factors>(), false, false));
         }}};
    return planners[kind];
}

} // namespace ane::kernels::detail::inline ANEMONE_WAY

namespace ane::kernels::inline ANEMONE_WAY {

ANEMONE_BODY movement_plan plan_movement(const graph_view& g, const node& n) {
    const detail::movement_planner plan = detail::movement_planner_of(n.kind);
    if (plan == nullptr) {
        throw error(errc::lowering, std::string(name(n.kind)), "does not move elements to fixed places");
    }
    return plan(g.operand(n, 0).shape, g, n);
}

} // namespace ane::kernels::inline ANEMONE_WAY
