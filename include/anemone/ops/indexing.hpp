#pragma once

#include "append.hpp"
#include "movement.hpp"

#include <cstdint>
#include <limits>

/// Operations that pick elements of a tensor: slices in steps, updates of slices, slices that start where another
/// tensor says, and gathers. Tensors of indices are fp16, as the engine encodes them: exact up to 2048 (R069). An index
/// must be a whole number inside its axis; on the CPU one below zero counts from the end, as in ONNX.
namespace ane {

/// As the end of an `index_range`: up to and with the last element.
inline constexpr std::int64_t to_end = std::numeric_limits<std::int64_t>::max();

/// The elements begin, begin + stride, ... before `end` of every axis. Negative begins and ends count from the end of
/// the axis, as in NumPy and in MIL's slice_by_index; no strides mean steps of 1.
struct index_range {
    indices begin{};
    indices end{};
    indices stride{};
    friend constexpr bool operator==(const index_range&, const index_range&) = default;
};

/// The window of an index range, with begins counted from the front and a stride for every axis.
constexpr strided_window resolve(const index_range& given, const extents& x) {
    strided_window w;
    for (int i = 0; i < given.begin.rank; ++i) {
        w.begin.append(given.begin[i] < 0 ? given.begin[i] + x[i] : given.begin[i]);
    }
    w.stride = given.stride;
    for (int i = 0; given.stride.rank == 0 && i < given.begin.rank; ++i) {
        w.stride.append(1);
    }
    return w;
}

/// The elements begin, begin + stride, ... of every axis, as many as `size` says, lie in the tensor.
constexpr inferred shape_rule(const strided_window& w, const extents& x, const extents& size) {
    inferred r;
    r.shape = x;
    r.require(w.begin.rank == x.rank, fault::begin_must_have_one_number_for_each_axis, w.begin.rank, x.rank);
    r.require(w.stride.rank == x.rank, fault::stride_must_have_one_number_for_each_axis, w.stride.rank, x.rank);
    r.require(size.rank == x.rank, fault::size_must_have_one_number_for_each_axis, size.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(w.begin[i] >= 0, fault::slice_must_begin_at_0_or_later_R094, w.begin[i], 0);
        r.require(w.stride[i] >= 1, fault::stride_must_be_at_least_1, w.stride[i], 1);
        r.require(size[i] >= 1, fault::every_extent_must_be_at_least_1_R019, size[i], 1);
        r.require(w.begin[i] < x[i], fault::slice_must_end_within_the_tensor_R094, w.begin[i], x[i] - 1);
        if (r.ok()) {
            const std::int64_t most = 1 + (x[i] - 1 - w.begin[i]) / w.stride[i];
            r.require(size[i] <= most, fault::slice_must_end_within_the_tensor_R094, size[i], most);
        }
    }
    if (r.ok()) {
        r.shape = size;
    }
    return r;
}

/// The same for an index range, whose ends say how many elements there are.
constexpr inferred shape_rule(const index_range& given, const extents& x) {
    inferred r;
    r.shape = x;
    const strided_window w = resolve(given, x);
    r.require(w.begin.rank == x.rank, fault::begin_must_have_one_number_for_each_axis, w.begin.rank, x.rank);
    r.require(w.stride.rank == x.rank, fault::stride_must_have_one_number_for_each_axis, w.stride.rank, x.rank);
    r.require(given.end.rank == x.rank, fault::end_must_have_one_number_for_each_axis, given.end.rank, x.rank);
    extents size = x;
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        const std::int64_t end = given.end[i] == to_end ? x[i] : given.end[i] < 0 ? given.end[i] + x[i] : given.end[i];
        r.require(w.begin[i] >= 0, fault::slice_must_begin_at_0_or_later_R094, w.begin[i], 0);
        r.require(w.stride[i] >= 1, fault::stride_must_be_at_least_1, w.stride[i], 1);
        r.require(end <= x[i], fault::slice_must_end_within_the_tensor_R094, end, x[i]);
        r.require(end > w.begin[i], fault::every_extent_must_be_at_least_1_R019, end - w.begin[i], 1);
        if (r.ok()) {
            size[i] = 1 + (end - w.begin[i] - 1) / w.stride[i];
        }
    }
    return r.ok() ? shape_rule(w, x, size) : r;
}

/// x with the elements of the window replaced by those of `update`.
constexpr inferred slice_update_rule(const strided_window& w, const extents& x, const extents& update) {
    inferred r = shape_rule(w, x, update);
    r.shape = x;
    return r;
}

/// A window that spans every axis but one, and moves along that one by the number in `start`.
constexpr inferred dynamic_slice_rule(const window& w, const extents& x, const extents& start) {
    inferred r = shape_rule(w, x);
    r.require(start.count() == 1, fault::start_must_have_one_element, start.count(), 1);
    int moving = 0;
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        moving += w.size[i] < x[i] ? 1 : 0;
    }
    r.require(moving <= 1, fault::window_must_move_along_one_axis, moving, 1);
    return r;
}

/// The axis of x is replaced by the axes of the indices.
constexpr inferred gather_rule(axis given, const extents& x, const extents& index) {
    inferred r;
    r.shape = x;
    const int along = normalized_axis(given.index, x.rank);
    r.require(along >= 0 && along < x.rank, fault::axis_must_be_one_of_the_tensor, given.index, x.rank);
    r.require(x.rank - 1 + index.rank <= extents::capacity, fault::tensor_must_not_have_more_than_8_axes,
              x.rank - 1 + index.rank, extents::capacity);
    if (!r.ok()) {
        return r;
    }
    r.shape = {};
    for (int i = 0; i < x.rank; ++i) {
        if (i != along) {
            r.shape.append(x[i]);
            continue;
        }
        for (int j = 0; j < index.rank; ++j) {
            r.shape.append(index[j]);
        }
    }
    return r;
}

/// An index for each element of the result.
constexpr inferred gather_along_axis_rule(axis given, const extents& x, const extents& index) {
    inferred r;
    r.shape = x;
    const int along = normalized_axis(given.index, x.rank);
    r.require(along >= 0 && along < x.rank, fault::axis_must_be_one_of_the_tensor, given.index, x.rank);
    r.require(index.rank == x.rank, fault::indices_must_have_the_rank_of_the_tensor, index.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(i == along || index[i] == x[i], fault::indices_must_have_the_extents_of_every_other_axis, index[i],
                  x[i]);
    }
    if (r.ok()) {
        r.shape = index;
    }
    return r;
}

/// The last axis of the indices addresses the first axes of x; the other axes of both make the result.
constexpr inferred gather_nd_rule(const extents& x, const extents& index) {
    inferred r;
    r.shape = x;
    r.require(index.rank >= 1, fault::operand_must_have_an_axis, index.rank, 1);
    const std::int64_t depth = index.width();
    r.require(depth >= 1 && depth <= x.rank, fault::indices_must_have_a_number_for_each_gathered_axis, depth, x.rank);
    const std::int64_t rank = index.rank - 1 + x.rank - depth;
    r.require(!r.ok() || rank <= extents::capacity, fault::tensor_must_not_have_more_than_8_axes, rank,
              extents::capacity);
    if (!r.ok()) {
        return r;
    }
    r.shape = {};
    for (int i = 0; i + 1 < index.rank; ++i) {
        r.shape.append(index[i]);
    }
    for (int i = static_cast<int>(depth); i < x.rank; ++i) {
        r.shape.append(x[i]);
    }
    return r;
}

namespace detail {

/// The whole tensor but for one axis.
constexpr window window_along(const extents& x, axis along, std::int64_t begin, std::int64_t size) {
    window w;
    const int index = normalized_axis(along.index, x.rank);
    for (int i = 0; i < x.rank; ++i) {
        w.begin.append(i == index ? begin : 0);
        w.size.append(i == index ? size : x[i]);
    }
    return w;
}
constexpr inferred window_along_rule(const extents& x, axis along, std::int64_t begin, std::int64_t size) {
    inferred r = shape_rule(window_along(x, along, begin, size), x);
    const int index = normalized_axis(along.index, x.rank);
    if (index < 0 || index >= x.rank) {
        r = inferred{.shape = x}.require(false, fault::axis_must_be_one_of_the_tensor, along.index, x.rank);
    }
    return r;
}
/// The window that is left when rows and columns are cut off.
constexpr window cropped(const extents& x, int top, int bottom, int left, int right) {
    window w;
    for (int i = 0; i < x.rank; ++i) {
        const int before = i == x.rank - 1 ? left : i == x.rank - 2 ? top : 0;
        const int after = i == x.rank - 1 ? right : i == x.rank - 2 ? bottom : 0;
        w.begin.append(before);
        w.size.append(x[i] - before - after);
    }
    return w;
}
constexpr inferred crop_rule(const extents& x, int top, int bottom, int left, int right) {
    inferred r;
    r.shape = x;
    r.require(x.rank >= 2, fault::operand_must_have_rows_and_columns, x.rank, 2);
    for (const int cut : {top, bottom, left, right}) {
        r.require(cut >= 0, fault::padding_must_not_be_negative, cut, 0);
    }
    return r.ok() ? shape_rule(cropped(x, top, bottom, left, right), x) : r;
}

/// A window along one axis that moves: its size and the start are judged.
constexpr inferred moving_window_rule(axis along, std::int64_t size, const extents& x, const extents& start) {
    const inferred shown = window_along_rule(x, along, 0, size);
    return shown.ok() ? dynamic_slice_rule(window_along(x, along, 0, size), x, start) : shown;
}

} // namespace detail

namespace shapes {
template <indices Begin> struct update_from {
    static constexpr inferred judge(const extents& x, const extents& update) {
        return slice_update_rule(resolve(index_range{.begin = Begin}, x), x, update);
    }
};
template <axis Axis, std::int64_t Offset, std::int64_t Size> struct view {
    static constexpr inferred judge(const extents& x) { return detail::window_along_rule(x, Axis, Offset, Size); }
};
template <int Top, int Bottom, int Left, int Right> struct crop {
    static constexpr inferred judge(const extents& x) { return detail::crop_rule(x, Top, Bottom, Left, Right); }
};
} // namespace shapes

/// Every stride-th element of a range of every axis: MIL's slice_by_index with constant bounds and positive strides,
/// which folds into the descriptor (guide appendix A; measured on M5). For a begin above 0 on the last axis see R090.
template <index_range Range, class X>
    requires obeys<shapes::of<Range>, X>
constexpr auto strided_slice(X x, source_location where = here()) {
    return detail::append<shapes::of<Range>>(op::strided_slice, detail::resolved_for<Range, X>, where, x);
}
template <index_range Range, class X, class Broken = breach<op::strided_slice, shapes::of<Range>, X>>
Broken strided_slice(X, ...);

/// x with the elements begin, begin + stride, ... replaced by `update`. The M5 refuses MIL's slice_update (measured);
/// appendix A calls it native (decompiled): the sources disagree.
template <strided_window Window, class X, class U>
    requires obeys<shapes::by<slice_update_rule, Window>, X, U>
constexpr auto slice_update(X x, U update, source_location where = here()) {
    return detail::append<shapes::by<slice_update_rule, Window>>(op::slice_update, Window, where, x, update);
}
template <strided_window Window, class X, class U,
          class Broken = breach<op::slice_update, shapes::by<slice_update_rule, Window>, X, U>>
Broken slice_update(X, U, ...);

/// The same in steps of 1 from `Begin`.
template <indices Begin, class X, class U>
    requires obeys<shapes::update_from<Begin>, X, U>
constexpr auto slice_update(X x, U update, source_location where = here()) {
    return detail::append<shapes::update_from<Begin>>(
        op::slice_update, detail::resolved_for<index_range{.begin = Begin}, X>, where, x, update);
}
template <indices Begin, class X, class U, class Broken = breach<op::slice_update, shapes::update_from<Begin>, X, U>>
Broken slice_update(X, U, ...);

/// `Size` elements of one axis from the index in `start`, a tensor of one element; 0 where they lie outside. The
/// validator passes on A13 and its code generator refuses (decompiled); ANEForge runs extents of 4 with a size of 2
/// (measured).
template <axis Axis, std::int64_t Size, class X, class S>
    requires obeys<shapes::by<detail::moving_window_rule, Axis, Size>, X, S>
constexpr auto dynamic_slice(X x, S start, source_location where = here()) {
    return detail::append<shapes::by<detail::moving_window_rule, Axis, Size>>(
        op::dynamic_slice, detail::window_along(X::extent, Axis, 0, Size), where, x, start);
}
template <axis Axis, std::int64_t Size, class X, class S,
          class Broken = breach<op::dynamic_slice, shapes::by<detail::moving_window_rule, Axis, Size>, X, S>>
Broken dynamic_slice(X, S, ...);

/// `Size` elements of one axis from `Offset`: a slice, which the netplist has as a view without a copy (InputView).
/// R090.
template <axis Axis, std::int64_t Offset, std::int64_t Size, class X>
    requires obeys<shapes::view<Axis, Offset, Size>, X>
constexpr auto input_view(X x, source_location where = here()) {
    return detail::append<shapes::view<Axis, Offset, Size>>(
        op::slice, detail::window_along(X::extent, Axis, Offset, Size), where, x);
}
template <axis Axis, std::int64_t Offset, std::int64_t Size, class X,
          class Broken = breach<op::slice, shapes::view<Axis, Offset, Size>, X>>
Broken input_view(X, ...);

/// The image without rows at the top and the bottom and columns at the left and the right: a slice. A left cut is a
/// begin above 0 on the last axis (R090).
template <int Top, int Bottom, int Left, int Right, class X>
    requires obeys<shapes::crop<Top, Bottom, Left, Right>, X>
constexpr auto crop(X x, source_location where = here()) {
    return detail::append<shapes::crop<Top, Bottom, Left, Right>>(
        op::slice, detail::cropped(X::extent, Top, Bottom, Left, Right), where, x);
}
template <int Top, int Bottom, int Left, int Right, class X,
          class Broken = breach<op::slice, shapes::crop<Top, Bottom, Left, Right>, X>>
Broken crop(X, ...);

/// y[.., i.., ..] = x[.., index[i..], ..]: the axis is replaced by the axes of the indices. On A13 only within the
/// envelope of R095 (decompiled), natively from A14 (F3); the M5 refuses the MIL form (measured).
template <axis Axis = axis{0}, class X, class I>
    requires obeys<shapes::by<gather_rule, Axis>, X, I>
constexpr auto gather(X x, I index, source_location where = here()) {
    return detail::append<shapes::by<gather_rule, Axis>>(op::gather, detail::resolved_for<Axis, X>, where, x, index);
}
template <axis Axis = axis{0}, class X, class I, class Broken = breach<op::gather, shapes::by<gather_rule, Axis>, X, I>>
Broken gather(X, I, ...);

/// y[.., i, ..] = x[.., index[.., i, ..], ..]: an index for each element of the result. R095.
template <axis Axis = axis{0}, class X, class I>
    requires obeys<shapes::by<gather_along_axis_rule, Axis>, X, I>
constexpr auto gather_along_axis(X x, I index, source_location where = here()) {
    return detail::append<shapes::by<gather_along_axis_rule, Axis>>(op::gather_along_axis,
                                                                    detail::resolved_for<Axis, X>, where, x, index);
}
template <axis Axis = axis{0}, class X, class I,
          class Broken = breach<op::gather_along_axis, shapes::by<gather_along_axis_rule, Axis>, X, I>>
Broken gather_along_axis(X, I, ...);

/// y[i.., ..] = x[index[i.., 0], index[i.., 1], .., ..]: the last axis of the indices addresses the first axes of x.
/// R095.
template <class X, class I>
    requires obeys<shapes::by<gather_nd_rule>, X, I>
constexpr auto gather_nd(X x, I index, source_location where = here()) {
    return detail::append<shapes::by<gather_nd_rule>>(op::gather_nd, no_attributes{}, where, x, index);
}
template <class X, class I, class Broken = breach<op::gather_nd, shapes::by<gather_nd_rule>, X, I>>
Broken gather_nd(X, I, ...);

} // namespace ane
