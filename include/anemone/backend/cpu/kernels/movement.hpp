#pragma once

#include "loop_nest.hpp"
#include "slab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

/// Operations that move elements of any type and compute nothing.
namespace ane::cpu {

/// Copies `count` dense elements (reshape).
template <class T> void copy(const T* x, T* out, std::int64_t count) { std::copy_n(x, count, out); }

/// to[sum i_a * to_strides_a] = from[sum i_a * from_strides_a] for all indices of `shape`.
template <class T>
void strided_copy(const extents& shape, const T* from, const extents& from_strides, T* to, const extents& to_strides) {
    const auto nest = loop_nest<2>{shape, {from_strides, to_strides}}.collapsed();
    const std::int64_t from_step = nest.row_stride(0);
    const std::int64_t to_step = nest.row_stride(1);
    nest.for_each_row([&](const auto& offsets) {
        const T* const source = from + offsets[0];
        T* const target = to + offsets[1];
        if (from_step == 1 && to_step == 1) {
            std::copy_n(source, nest.row_count(), target);
            return;
        }
        for (std::int64_t i = 0; i < nest.row_count(); ++i) {
            target[i * to_step] = source[i * from_step];
        }
    });
}

/// Axis i of the result is axis permutation[i] of x. Throws errc::argument unless it is a permutation of all axes.
template <class T> void transpose(const T* x, const extents& shape, std::span<const int> permutation, T* out) {
    detail::require(permutation.size() == static_cast<std::size_t>(shape.rank), "transpose",
                    fmt::format("the permutation has {} entries, the rank is {}", permutation.size(), shape.rank));
    const extents strides = row_major_strides(shape);
    extents result;
    extents from;
    unsigned seen = 0;
    for (const int entry : permutation) {
        const int axis = normalized_axis(entry, shape.rank);
        detail::require(axis >= 0 && axis < shape.rank && (seen >> static_cast<unsigned>(axis) & 1U) == 0, "transpose",
                        fmt::format("axis {} is not there or comes twice in the permutation", entry));
        seen |= 1U << static_cast<unsigned>(axis);
        result.append(shape[axis]);
        from.append(strides[axis]);
    }
    strided_copy(result, x, from, out, row_major_strides(result));
}

/// One operand of concat: its data and its shape.
template <class T> struct piece {
    const T* data;
    extents shape;
};

/// Joins pieces along one axis. Throws errc::argument when there is none, no such axis, or other extents differ.
template <class T> void concat(std::span<const piece<T>> pieces, int axis, T* out) {
    detail::require(!pieces.empty(), "concat", "there is nothing to join");
    extents shape = pieces.front().shape;
    const int own = normalized_axis(axis, shape.rank);
    detail::require(own >= 0 && own < shape.rank, "concat",
                    fmt::format("{} is not an axis of rank {}", axis, shape.rank));
    shape[own] = 0;
    for (const piece<T>& part : pieces) {
        extents others = part.shape;
        detail::require(others.rank == shape.rank, "concat",
                        fmt::format("ranks {} and {} differ", shape.rank, others.rank));
        others[own] = shape[own];
        detail::require(others == shape, "concat", fmt::format("extents differ along an axis other than {}", own));
        shape[own] += part.shape[own];
    }
    const extents strides = row_major_strides(shape);
    std::int64_t at = 0;
    for (const piece<T>& part : pieces) {
        strided_copy(part.shape, part.data, row_major_strides(part.shape), out + at, strides);
        at += part.shape[own] * strides[own];
    }
}

/// out[i] = x[begin + i * step] on every axis; steps may be negative. Throws errc::argument when an index leaves x.
template <class T>
void slice(const T* x, const extents& shape, const extents& begin, const extents& step, const extents& out_shape,
           T* out) {
    detail::require(begin.rank == shape.rank && step.rank == shape.rank && out_shape.rank == shape.rank, "slice",
                    fmt::format("begin, step and result must have rank {}", shape.rank));
    const extents strides = row_major_strides(shape);
    extents from = strides;
    std::int64_t first = 0;
    for (int axis = 0; axis < shape.rank; ++axis) {
        const std::int64_t last = begin[axis] + (out_shape[axis] - 1) * step[axis];
        const bool inside = begin[axis] >= 0 && begin[axis] < shape[axis] && last >= 0 && last < shape[axis];
        detail::require(
            out_shape[axis] == 0 || (out_shape[axis] > 0 && inside), "slice",
            fmt::format("indices {} to {} of axis {} leave its extent {}", begin[axis], last, axis, shape[axis]));
        first += begin[axis] * strides[axis];
        from[axis] = strides[axis] * step[axis];
    }
    if (out_shape.count() != 0) {
        strided_copy(out_shape, x + first, from, out, row_major_strides(out_shape));
    }
}

/// Surrounds x with `value`: before[i] and after[i] elements along axis i. Throws errc::argument on a negative amount.
template <class T>
void pad(const T* x, const extents& shape, const extents& before, const extents& after, T value, T* out) {
    detail::require(before.rank == shape.rank && after.rank == shape.rank, "pad",
                    fmt::format("amounts must be given for {} axes", shape.rank));
    extents padded = shape;
    for (int axis = 0; axis < shape.rank; ++axis) {
        detail::require(
            before[axis] >= 0 && after[axis] >= 0, "pad",
            fmt::format("amounts {} and {} of axis {} must not be negative", before[axis], after[axis], axis));
        padded[axis] += before[axis] + after[axis];
    }
    const extents strides = row_major_strides(padded);
    std::int64_t first = 0;
    for (int axis = 0; axis < shape.rank; ++axis) {
        first += before[axis] * strides[axis];
    }
    std::fill_n(out, padded.count(), value);
    if (shape.count() != 0) {
        strided_copy(shape, x, row_major_strides(shape), out + first, strides);
    }
}

} // namespace ane::cpu
