#pragma once

#include "append.hpp"
#include "elementwise.hpp"

#include <cstdint>
#include <limits>

/// Operations that move elements and compute nothing. Guide chapter 4.
namespace ane {

namespace detail {

inline constexpr std::int64_t largest_extent = std::numeric_limits<std::int64_t>::max();

/// Sums and products of extents, capped at the largest one instead of overflowing; -1 for a negative operand.
constexpr std::int64_t sum_of_extents(std::int64_t a, std::int64_t b) {
    return a < 0 || b < 0 ? -1 : (b > largest_extent - a ? largest_extent : a + b);
}
constexpr std::int64_t product_of_extents(std::int64_t a, std::int64_t b) {
    return a < 0 || b < 0 ? -1 : (a > 0 && b > largest_extent / a ? largest_extent : a * b);
}

/// An entry of a list of axes; a number that is no axis of any tensor stays one.
constexpr int axis_number(std::int64_t given) {
    return given < -1000 ? -1000 : (given > 1000 ? 1000 : static_cast<int>(given));
}

} // namespace detail

constexpr inferred reshape_rule(const extents& from, const extents& to) {
    inferred r;
    r.shape = to;
    for (int i = 0; i < to.rank; ++i) {
        r.require(to[i] > 0, fault::every_extent_must_be_at_least_1_R019, to[i], 1);
    }
    r.require(from.count() == to.count(), fault::reshape_must_keep_the_number_of_elements, to.count(), from.count());
    return r;
}

/// The axis of `to` that is `axis` of `from`, for two shapes of as many elements: as long, with as many elements before
/// it. -1 where a reshape splits that axis or joins it with another.
constexpr int axis_after_reshape(const extents& from, int axis, const extents& to) {
    std::int64_t before = 1;
    for (int k = 0; k < axis; ++k) {
        before = detail::product_of_extents(before, from[k]);
    }
    std::int64_t outer = 1;
    for (int k = 0; k < to.rank; ++k) {
        if (outer == before && to[k] == from[axis]) {
            return k;
        }
        outer = detail::product_of_extents(outer, to[k]);
    }
    return -1;
}

/// A shape in which one extent may be -1: that one is what the element count leaves.
constexpr extents resolve_reshape(const extents& x, extents wanted) {
    std::int64_t known = 1;
    int open = -1;
    for (int i = 0; i < wanted.rank; ++i) {
        if (wanted[i] == -1) {
            open = i;
        } else {
            known *= wanted[i];
        }
    }
    if (open >= 0) {
        wanted[open] = known > 0 ? x.count() / known : 0;
    }
    return wanted;
}

/// Axes counted from the front.
constexpr permutation resolve(permutation p, const extents& x) {
    for (int i = 0; i < p.order.rank; ++i) {
        p.order[i] = normalized_axis(detail::axis_number(p.order[i]), x.rank);
    }
    return p;
}

constexpr inferred shape_rule(const permutation& given, const extents& x) {
    const permutation p = resolve(given, x);
    inferred r;
    r.shape = x;
    r.require(p.order.rank == x.rank, fault::order_must_name_every_axis_once, p.order.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(p.order[i] >= 0 && p.order[i] < x.rank, fault::axis_must_be_one_of_the_tensor, given.order[i],
                  x.rank);
        for (int j = 0; j < i; ++j) {
            r.require(p.order[i] != p.order[j], fault::axis_must_not_be_given_twice, p.order[i], p.order[j]);
        }
    }
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.shape[i] = x[static_cast<int>(p.order[i])];
    }
    return r;
}

constexpr inferred shape_rule(const window& w, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(w.begin.rank == x.rank, fault::begin_must_have_one_number_for_each_axis, w.begin.rank, x.rank);
    r.require(w.size.rank == x.rank, fault::size_must_have_one_number_for_each_axis, w.size.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(w.begin[i] >= 0, fault::slice_must_begin_at_0_or_later_R094, w.begin[i], 0);
        r.require(w.size[i] >= 1, fault::every_extent_must_be_at_least_1_R019, w.size[i], 1);
        const std::int64_t end = detail::sum_of_extents(w.begin[i], w.size[i]);
        r.require(end <= x[i], fault::slice_must_end_within_the_tensor_R094, end, x[i]);
    }
    if (r.ok()) {
        r.shape = w.size;
    }
    return r;
}

constexpr inferred shape_rule(const pads& p, const extents& x) {
    inferred r;
    r.shape = x;
    r.require(p.before.rank == x.rank, fault::padding_must_have_one_number_for_each_axis, p.before.rank, x.rank);
    r.require(p.after.rank == x.rank, fault::padding_must_have_one_number_for_each_axis, p.after.rank, x.rank);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        r.require(p.before[i] >= 0, fault::padding_must_not_be_negative, p.before[i], 0);
        r.require(p.after[i] >= 0, fault::padding_must_not_be_negative, p.after[i], 0);
        r.shape[i] = detail::sum_of_extents(x[i], detail::sum_of_extents(p.before[i], p.after[i]));
    }
    return r;
}

/// A pad that mirrors the tensor. Reflecting leaves out the border element, so an axis of n elements takes n - 1 on
/// each side; symmetric repeats it and takes n.
constexpr inferred mirror_rule(const pads& p, const extents& x, bool repeats_border) {
    inferred r = shape_rule(p, x);
    for (int i = 0; r.ok() && i < x.rank; ++i) {
        const std::int64_t most = repeats_border ? x[i] : x[i] - 1;
        r.require(p.before[i] <= most, fault::mirrored_padding_must_not_exceed_the_axis, p.before[i], most);
        r.require(p.after[i] <= most, fault::mirrored_padding_must_not_exceed_the_axis, p.after[i], most);
    }
    return r;
}

/// Two operands joined along an axis; folded over the operands.
constexpr inferred concat_rule(axis given, const extents& a, const extents& b) {
    inferred r;
    r.shape = a;
    const int along = normalized_axis(given.index, a.rank);
    r.require(a.rank == b.rank, fault::operands_must_have_the_same_rank, b.rank, a.rank);
    r.require(along >= 0 && along < a.rank, fault::axis_must_be_one_of_the_tensor, given.index, a.rank);
    for (int i = 0; r.ok() && i < a.rank; ++i) {
        r.require(i == along || a[i] == b[i], fault::extents_must_be_equal_but_on_the_joined_axis, b[i], a[i]);
    }
    if (r.ok()) {
        r.shape[along] += b[along];
    }
    return r;
}

namespace detail {
constexpr inferred concat_all(axis along, std::initializer_list<extents> operands) {
    inferred r;
    bool first = true;
    for (const extents& e : operands) {
        if (first) {
            r.shape = e;
            first = false;
        } else if (r.ok()) {
            r = concat_rule(along, r.shape, e);
        }
    }
    return r;
}
constexpr extents flattened(const extents& x, int axis) {
    const int split = normalized_axis(axis, x.rank);
    extents r{1, 1};
    for (int i = 0; i < x.rank; ++i) {
        r[i < split ? 0 : 1] *= x[i];
    }
    return r;
}
} // namespace detail

/// The shape of two axes: the extents before one of them together, and from it on together.
constexpr inferred flatten_rule(axis given, const extents& x) {
    const int split = normalized_axis(given.index, x.rank);
    return reshape_rule(x, detail::flattened(x, given.index))
        .require(split >= 0 && split <= x.rank, fault::axis_must_be_one_of_the_tensor, given.index, x.rank + 1);
}

namespace shapes {

/// Rules of what only moves elements: these may have any type.
template <auto Function, auto... Constants> struct moved_by {
    static constexpr inferred judge(const std::same_as<detail::operand> auto&... operands) {
        return Function(Constants..., operands.shape...);
    }
};
template <std::int64_t... Extents> struct reshape {
    static constexpr inferred judge(const detail::operand& x) {
        constexpr int left_open = (0 + ... + (Extents == -1 ? 1 : 0));
        inferred r{.shape = x.shape};
        r.require(left_open <= 1, fault::one_extent_may_be_minus_1_for_what_the_others_leave, left_open, 1);
        return r.ok() ? reshape_rule(x.shape, resolve_reshape(x.shape, extents{Extents...})) : r;
    }
};
template <axis Along> struct concat {
    static constexpr inferred judge(const std::same_as<extents> auto&... operands) {
        return detail::concat_all(Along, {operands...});
    }
};

template <pads Amounts, bool RepeatsBorder> struct mirror {
    static constexpr inferred judge(const extents& x) { return mirror_rule(Amounts, x, RepeatsBorder); }
};

} // namespace shapes

/// The same elements in row-major order under another shape; one extent may be -1. R011.
template <std::int64_t... Extents, class X>
    requires obeys<shapes::reshape<Extents...>, X>
constexpr auto reshape(X x, source_location where = here()) {
    return detail::append<shapes::reshape<Extents...>, X::element>(op::reshape, no_attributes{}, where, x);
}
template <std::int64_t... Extents, class X, class Broken = breach<op::reshape, shapes::reshape<Extents...>, X>>
Broken reshape(X, ...);

/// Two axes: the extents before `Axis` together, and from it on together.
template <axis Axis = axis{1}, class X>
    requires obeys<shapes::moved_by<flatten_rule, Axis>, X>
constexpr auto flatten(X x, source_location where = here()) {
    return detail::append<shapes::moved_by<flatten_rule, Axis>, X::element>(op::reshape, no_attributes{}, where, x);
}
template <axis Axis = axis{1}, class X, class Broken = breach<op::reshape, shapes::moved_by<flatten_rule, Axis>, X>>
Broken flatten(X, ...);

/// Output axis i is input axis Order[i]. R021, R189.
template <permutation Order, class X>
    requires obeys<shapes::of<Order>, X>
constexpr auto transpose(X x, source_location where = here()) {
    return detail::append<shapes::of<Order>>(op::transpose, detail::resolved_for<Order, X>, where, x);
}
template <permutation Order, class X, class Broken = breach<op::transpose, shapes::of<Order>, X>>
Broken transpose(X, ...);

/// The operands one after another along an axis. R023, R024.
template <axis Axis = axis{1}, class X, class... Rest>
    requires(sizeof...(Rest) >= 1 && obeys<shapes::concat<Axis>, X, Rest...>)
constexpr auto concat(X x, Rest... rest) {
    return detail::append<shapes::concat<Axis>>(op::concat, detail::resolved_for<Axis, X>, detail::site_of(x), x,
                                                rest...);
}
template <axis Axis = axis{1}, class X, class... Rest,
          class Broken = breach<op::concat, shapes::concat<Axis>, X, Rest...>>
Broken concat(X, Rest...);

/// The window [begin, begin + size) of every axis. On A13 and A14 a begin above 0 on the last axis stores through a
/// fixed-point format: magnitudes above 4094 become infinity (R090).
template <window Window, class X>
    requires obeys<shapes::of<Window>, X>
constexpr auto slice(X x, source_location where = here()) {
    return detail::append<shapes::of<Window>>(op::slice, Window, where, x);
}
template <window Window, class X, class Broken = breach<op::slice, shapes::of<Window>, X>> Broken slice(X, ...);

/// Elements of one value around the tensor. The engine pads height and width (R096), from M4 on channels too (L012).
template <pads Amounts, class X>
    requires obeys<shapes::of<Amounts>, X>
constexpr auto pad(X x, double value = 0, source_location where = here()) {
    // The value travels as a scalar operand, because an attribute that decides the shape is not mixed with data.
    return detail::append_as<detail::judged_shape<shapes::of<Amounts>, X>>(op::pad, Amounts, where, x,
                                                                           detail::scalar(x, value, where));
}
template <pads Amounts, class X, class Broken = breach<op::pad, shapes::of<Amounts>, X>> Broken pad(X, ...);

/// Mirrors the tensor at its borders without repeating the border: [a b c] padded by 2 gives [c b a b c b a]. Height
/// and width only (R096). The texture unit does it from A14 on; A13's validator refuses it (R097, decompiled).
template <pads Amounts, class X>
    requires obeys<shapes::mirror<Amounts, false>, X>
constexpr auto reflect_pad(X x, source_location where = here()) {
    return detail::append<shapes::mirror<Amounts, false>>(op::reflect_pad, Amounts, where, x);
}
template <pads Amounts, class X, class Broken = breach<op::reflect_pad, shapes::mirror<Amounts, false>, X>>
Broken reflect_pad(X, ...);

/// Mirrors the tensor at its borders with the border repeated: [a b c] padded by 2 gives [b a a b c c b]. R096, R097.
template <pads Amounts, class X>
    requires obeys<shapes::mirror<Amounts, true>, X>
constexpr auto symmetric_pad(X x, source_location where = here()) {
    return detail::append<shapes::mirror<Amounts, true>>(op::symmetric_pad, Amounts, where, x);
}
template <pads Amounts, class X, class Broken = breach<op::symmetric_pad, shapes::mirror<Amounts, true>, X>>
Broken symmetric_pad(X, ...);

/// Repeats the border of the tensor: [a b c] padded by 2 gives [a a a b c c c]. R096, R097; Core ML places it on the
/// engine of the M4 (measured).
template <pads Amounts, class X>
    requires obeys<shapes::of<Amounts>, X>
constexpr auto replicate_pad(X x, source_location where = here()) {
    return detail::append<shapes::of<Amounts>>(op::replicate_pad, Amounts, where, x);
}
template <pads Amounts, class X, class Broken = breach<op::replicate_pad, shapes::of<Amounts>, X>>
Broken replicate_pad(X, ...);

/// The same value under another node. MIL's own `identity` does not compile on the M5 (measured); the netplist has
/// aliases.
template <class X>
    requires obeys<shapes::same, X>
constexpr auto identity(X x, source_location where = here()) {
    return detail::append<shapes::same>(op::identity, no_attributes{}, where, x);
}
template <class X, class Broken = breach<op::identity, shapes::same, X>> Broken identity(X, ...);

} // namespace ane
