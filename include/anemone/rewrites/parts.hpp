#pragma once

#include "../catalogue/mixing.hpp"
#include "../graph/op_facet.hpp"
#include "rewrite.hpp"

#include <cstdint>
#include <optional>

/// What a part of a result along one of its axes needs of the operands: the condition under which work can be cut.
namespace ane::detail {

/// The elements begin, ..., end - 1 along an axis.
struct extent_range {
    std::int64_t begin = 0;
    std::int64_t end = 0;

    constexpr std::int64_t size() const { return end - begin; }
    constexpr extent_range joined(const extent_range& other) const {
        if (size() == 0) {
            return other;
        }
        return {other.begin < begin ? other.begin : begin, other.end > end ? other.end : end};
    }
    friend constexpr bool operator==(const extent_range&, const extent_range&) = default;
};

/// Element i of a result needs the elements i stride - before, ... of an operand along its `axis`, `reach` of them. What
/// lies outside the operand is padding.
struct part_need {
    int axis = -1; ///< of the operand; -1: all of it, for every part
    std::int64_t stride = 1;
    std::int64_t reach = 1;
    std::int64_t before = 0;

    constexpr bool is_window() const { return stride != 1 || reach != 1 || before != 0; }
    /// With the padding, which may lie outside the operand.
    constexpr extent_range padded(const extent_range& part) const {
        return {part.begin * stride - before, (part.end - 1) * stride - before + reach};
    }
    constexpr extent_range of(const extent_range& part, std::int64_t extent) const {
        const extent_range all = padded(part);
        return {all.begin < 0 ? 0 : all.begin, all.end > extent ? extent : all.end};
    }
};

/// Where `axis` of a result lies in an operand that is broadcast against it; all of an operand that has it not.
constexpr part_need broadcast_need(int axis, const extents& result, const extents& operand) {
    const int at = axis - (result.rank - operand.rank);
    return at < 0 || operand[at] != result[axis] ? part_need{} : part_need{at};
}

/// The axis of the operand of a reshape that is `axis` of its result; none where that axis is split or joined.
constexpr std::optional<part_need> reshaped_need(int axis, const extents& result, const extents& operand) {
    const int kept = axis_after_reshape(result, axis, operand);
    return kept < 0 ? std::nullopt : std::optional(part_need{kept});
}

constexpr part_need window_need(int axis, std::int64_t stride, std::int64_t reach, std::int64_t before) {
    return {axis, stride, reach, before};
}

constexpr std::optional<part_need> convolution_need(const graph_view& g, const node& n, int axis, int position) {
    if (axis == 1) {
        return std::nullopt; // every channel of an image counts for each result
    }
    if (position > 0) {
        return part_need{};
    }
    const conv& a = n.get<conv>();
    const extents& weight = g.operand(n, 1).shape;
    return axis == 2   ? window_need(2, a.stride.height, (weight[2] - 1) * a.dilation.height + 1, a.padding.top)
           : axis == 3 ? window_need(3, a.stride.width, (weight[3] - 1) * a.dilation.width + 1, a.padding.left)
                       : part_need{axis};
}

constexpr std::optional<part_need> pool_need(const node& n, int axis) {
    const pool& a = n.get<pool>();
    if (axis < 2) {
        return part_need{axis};
    }
    const int high = a.stride.height > 0 ? a.stride.height : a.kernel.height;
    const int wide = a.stride.width > 0 ? a.stride.width : a.kernel.width;
    if (a.ceil_mode) {
        return std::nullopt; // its last window may end outside of the padding
    }
    return axis == 2 ? window_need(2, high, a.kernel.height, a.padding.top)
                     : window_need(3, wide, a.kernel.width, a.padding.left);
}

constexpr std::optional<part_need> product_need(const graph_view& g, const node& n, int axis, int position) {
    const int rank = n.shape.rank;
    const extents& operand = g.operand(n, position).shape;
    if (axis < rank - 2) {
        return broadcast_need(axis, n.shape, operand);
    }
    const transposed how = n.get<transposed>();
    if (position == (axis == rank - 2 ? 1 : 0)) {
        return part_need{};
    }
    const bool turned = position == 0 ? how.a : how.b; // rows of the left one and columns of the right one are results
    const bool is_row = (axis == rank - 2) != turned;
    return part_need{operand.rank - (is_row ? 2 : 1)};
}

/// Cut along every axis but one, with all of the operands behind the first for each part.
constexpr std::optional<part_need> need_beside(int whole, int axis, int position) {
    return axis == whole ? std::nullopt : std::optional(position == 0 ? part_need{axis} : part_need{});
}
/// Statistics, where a norm is given them, and factors lie along the channels, else along the axis that it mixes.
constexpr std::optional<part_need> norm_need(const graph_view&, const node& n, int axis, int position) {
    const bool whole =
        ((mixed_axes(n) >> static_cast<unsigned>(axis)) & 1U) != 0 || (n.kind == op::batch_norm && axis == 1);
    return need_beside(whole ? axis : -1, axis, position);
}

using need_rule = std::optional<part_need> (*)(const graph_view& g, const node& n, int axis, int position);
inline constexpr op_facet<need_rule> need_rules{
    {op::conv2d, convolution_need},
    {op::max_pool, [](const graph_view&, const node& n, int axis, int) { return pool_need(n, axis); }},
    {op::avg_pool, [](const graph_view&, const node& n, int axis, int) { return pool_need(n, axis); }},
    {op::l2_pool, [](const graph_view&, const node& n, int axis, int) { return pool_need(n, axis); }},
    {op::matmul, product_need},
    {op::linear, [](const graph_view&, const node& n, int axis,
                    int position) { return need_beside(n.shape.rank - 1, axis, position); }},
    {op::softmax, norm_need},
    {op::layer_norm, norm_need},
    {op::rms_norm, norm_need},
    {op::batch_norm, norm_need},
    {op::reshape, [](const graph_view& g, const node& n, int axis,
                     int position) { return reshaped_need(axis, n.shape, g.operand(n, position).shape); }},
    {op::transpose, [](const graph_view&, const node& n, int axis,
                       int) { return std::optional(part_need{static_cast<int>(n.get<permutation>().order[axis])}); }},
    {op::concat, [](const graph_view&, const node& n, int axis, int) {
         return need_beside(normalized_axis(n.get<ane::axis>().index, n.shape.rank), axis, 0);
     }}};

/// What a part of node `n` along `axis` needs of operand `position`; none: the operation is not cut there.
constexpr std::optional<part_need> need_of(const graph_view& g, const node& n, int axis, int position) {
    if (is_unary(n.kind)) {
        return part_need{axis};
    }
    if (is_binary(n.kind)) {
        return broadcast_need(axis, n.shape, g.operand(n, position).shape);
    }
    const need_rule rule = need_rules[n.kind];
    return rule != nullptr ? rule(g, n, axis, position) : std::nullopt;
}

/// Appends the part `part` along `axis` of old node `n`, over new nodes that hold what it needs of the operands.
constexpr int emit_part(rewriter& w, const graph_view& g, const node& n, int axis, const extent_range& part,
                        std::span<const int> operands) {
    if (n.kind == op::reshape) {
        extents wanted = n.shape;
        wanted[axis] = part.size();
        return w.reshape(operands[0], wanted);
    }
    attributes how = n.attributes;
    if (n.kind == op::conv2d || is_pool(n.kind)) {
        const part_need need = *need_of(g, n, axis, 0);
        const extent_range reach = need.padded(part);
        const std::int64_t extent = g.operand(n, 0).shape[need.axis];
        const int before = reach.begin < 0 ? static_cast<int>(-reach.begin) : 0;
        const int after = reach.end > extent ? static_cast<int>(reach.end - extent) : 0;
        const auto pad = [&](padding2& p) {
            if (axis == 2) {
                p.top = before;
                p.bottom = after;
            } else if (axis == 3) {
                p.left = before;
                p.right = after;
            }
        };
        if (n.kind == op::conv2d) {
            conv a = n.get<conv>();
            pad(a.padding);
            how = a;
        } else {
            pool a = n.get<pool>();
            pad(a.padding);
            how = a;
        }
    }
    return w.emit(n.kind, how, operands);
}

} // namespace ane::detail
