#pragma once

#include "../base/way.hpp"
#include "../values/shape.hpp"
#include "attributes.hpp"

#include <cstdint>
#include <vector>

/// Walks over row-major tensors: each calls back with element positions and performs no arithmetic.
namespace ane::detail::inline ANEMONE_WAY {

/// Strides with which an operand is read along the axes of a result that it broadcasts to (0 on broadcast axes).
constexpr indices broadcast_strides(const extents& result, const extents& operand) {
    const indices own = row_major_strides(operand);
    indices strides;
    strides.rank = result.rank;
    for (int i = 0; i < result.rank; ++i) {
        const int axis = operand.rank - (result.rank - i);
        strides[i] = axis >= 0 && operand[axis] != 1 ? own[axis] : 0;
    }
    return strides;
}

/// Counts through all positions of a shape and keeps two running offsets with the given strides.
template <class Visit>
void walk(const extents& shape, const indices& strides_a, const indices& strides_b, const Visit& visit) {
    const std::int64_t count = shape.count();
    indices position;
    position.rank = shape.rank;
    std::int64_t a = 0;
    std::int64_t b = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        visit(i, a, b);
        for (int k = shape.rank - 1; k >= 0; --k) {
            a += strides_a[k];
            b += strides_b[k];
            if (++position[k] < shape[k]) {
                break;
            }
            a -= strides_a[k] * shape[k];
            b -= strides_b[k] * shape[k];
            position[k] = 0;
        }
    }
}

/// For each element of the result: its position and those of the two operands that broadcast to it.
template <class Visit>
void for_each_pair(const extents& result, const extents& a, const extents& b, const Visit& visit) {
    walk(result, broadcast_strides(result, a), broadcast_strides(result, b), visit);
}

/// For each matrix of a batched product: its number and the offsets of the operands' matrices.
template <class Visit>
void for_each_batch(const extents& result, const extents& a, const extents& b, const Visit& visit) {
    const auto leading = [](extents e) {
        e.rank -= 2;
        return e;
    };
    const auto scaled = [](indices strides, std::int64_t matrix) {
        for (int i = 0; i < strides.rank; ++i) {
            strides[i] *= matrix;
        }
        return strides;
    };
    const extents batch = leading(result);
    walk(batch, scaled(broadcast_strides(batch, leading(a)), a.height() * a.width()),
         scaled(broadcast_strides(batch, leading(b)), b.height() * b.width()), visit);
}

/// For each row along one axis: its number in the result where that axis is 1, its first element, length and stride.
template <class Visit> void for_each_row(const extents& shape, int along, const Visit& visit) {
    const indices strides = row_major_strides(shape);
    extents outer = shape;
    outer[along] = 1;
    walk(outer, strides, indices{0, 0, 0, 0, 0, 0, 0, 0},
         [&](std::int64_t row, std::int64_t begin, std::int64_t) { visit(row, begin, shape[along], strides[along]); });
}

/// For each element of a reduction's result: its position and the positions that reduce to it, in row-major order.
template <class Visit> void for_each_reduction(const extents& shape, const axes& removed, const Visit& visit) {
    extents outer = shape;
    extents inner = shape;
    for (int i = 0; i < shape.rank; ++i) {
        inner[i] = 1;
    }
    for (int i = 0; i < removed.list.rank; ++i) {
        const int axis = static_cast<int>(removed.list[i]);
        outer[axis] = 1;
        inner[axis] = shape[axis];
    }
    const indices strides = row_major_strides(shape);
    const indices none{0, 0, 0, 0, 0, 0, 0, 0};
    std::vector<std::int64_t> sources;
    walk(outer, strides, none, [&](std::int64_t out, std::int64_t begin, std::int64_t) {
        sources.clear();
        walk(inner, strides, none,
             [&](std::int64_t, std::int64_t offset, std::int64_t) { sources.push_back(begin + offset); });
        visit(out, sources);
    });
}

/// For each element of a transposition's result: its position and that of its source.
template <class Visit> void for_each_transposed(const extents& from, const permutation& order, const Visit& visit) {
    const indices strides = row_major_strides(from);
    extents to = from;
    indices source;
    source.rank = from.rank;
    for (int i = 0; i < from.rank; ++i) {
        to[i] = from[static_cast<int>(order.order[i])];
        source[i] = strides[static_cast<int>(order.order[i])];
    }
    walk(to, source, indices{0, 0, 0, 0, 0, 0, 0, 0},
         [&](std::int64_t position, std::int64_t from_position, std::int64_t) { visit(position, from_position); });
}

} // namespace ane::detail::inline ANEMONE_WAY
