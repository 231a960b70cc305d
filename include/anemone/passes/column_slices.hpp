#pragma once

#include "rewriter.hpp"

#include <cstdint>

/// Slices of the last axis as slices of another: those that begin inside the last axis are infinite above 4094 on M1 and M2
/// (R090).
namespace ane::detail {

constexpr bool is_slice(op kind) noexcept { return kind == op::slice || kind == op::strided_slice; }

/// What a slice takes, with strides or without.
constexpr strided_window window_of(const node& n) {
    if (n.kind == op::strided_slice) {
        return n.get<strided_window>();
    }
    strided_window part;
    part.begin = n.get<window>().begin;
    for (int axis = 0; axis < n.shape.rank; ++axis) {
        part.stride.append(1);
    }
    return part;
}

/// A part of a value; the value itself where that is all of it.
constexpr int cut(rewriter& r, int value, const strided_window& part, const extents& wanted) {
    bool is_dense = true;
    for (int axis = 0; axis < wanted.rank; ++axis) {
        is_dense = is_dense && part.stride[axis] == 1;
    }
    if (is_dense && r.shape(value) == wanted) {
        return value;
    }
    return is_dense ? r.emit(op::slice, window{part.begin, wanted}, {value})
                    : r.emit(op::strided_slice, part, {value}, wanted);
}

/// Takes columns from axes turned round, where they are rows, once for all slices that take the same.
class column_slices {
public:
    constexpr explicit column_slices(rewriter& r) : r_(r) {}

    /// What a slice of the source reads, by columns first, then along the other axes.
    constexpr int of(const node& n) {
        const int last = n.shape.rank - 1;
        strided_window part = window_of(n);
        const int whole = columns(r_.operand(n, 0), part.begin[last], part.stride[last], n.shape[last]);
        part.begin[last] = 0;
        part.stride[last] = 1;
        return cut(r_, whole, part, n.shape);
    }

    /// So many columns of a value from one on.
    constexpr int columns(int from, std::int64_t begin, std::int64_t stride, std::int64_t count) {
        for (const taken& c : made_) {
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
        const int value = r_.emit(op::transpose, turn, {cut(r_, turned, part, wanted)});
        made_.push_back({from, begin, stride, count, value});
        return value;
    }

private:
    struct taken {
        int from;
        std::int64_t begin;
        std::int64_t stride;
        std::int64_t count;
        int value;
    };

    rewriter& r_;
    sequence<taken> made_;
};

} // namespace ane::detail
