#pragma once

#include "append.hpp"
#include "movement.hpp"

namespace ane {

/// Reductions keep their axes as extents of one: the attribute lists them counted from the front.
constexpr axes resolve(const axes& given, const extents& x) {
    axes r;
    if (given.list.rank == 0) {
        for (int i = 0; i < x.rank; ++i) {
            r.list.append(i);
        }
        return r;
    }
    for (int i = 0; i < given.list.rank; ++i) {
        r.list.append(normalized_axis(detail::axis_number(given.list[i]), x.rank));
    }
    return r;
}
constexpr axis resolve(axis given, const extents& x) { return {normalized_axis(given.index, x.rank)}; }

/// An axis of the tensor.
constexpr inferred axis_rule(axis given, const extents& x) {
    inferred r;
    r.shape = x;
    const int index = normalized_axis(given.index, x.rank);
    r.require(index >= 0 && index < x.rank, fault::axis_must_be_one_of_the_tensor, given.index, x.rank);
    return r;
}

constexpr inferred shape_rule(const axes& given, const extents& x) {
    inferred r;
    r.shape = x;
    for (int i = 0; i < given.list.rank; ++i) {
        const inferred one = axis_rule({detail::axis_number(given.list[i])}, x);
        r.require(one.ok(), one.broken, one.got, one.want);
    }
    if (!r.ok()) {
        return r;
    }
    const axes a = resolve(given, x);
    for (int i = 0; i < a.list.rank; ++i) {
        for (int j = 0; j < i; ++j) {
            r.require(a.list[i] != a.list[j], fault::axis_must_not_be_given_twice, a.list[i], a.list[j]);
        }
        r.shape[static_cast<int>(a.list[i])] = 1;
    }
    return r;
}

/// The index of the largest or smallest element along one axis, as fp16 (exact to 2048, R067).
constexpr inferred arg_shape_rule(axis given, const extents& x) {
    inferred r = axis_rule(given, x);
    if (r.ok()) {
        r.shape[normalized_axis(given.index, x.rank)] = 1;
    }
    return r;
}

namespace detail {

constexpr extents without(const extents& kept, const axes& removed) {
    extents r;
    for (int i = 0; i < kept.rank; ++i) {
        bool gone = false;
        for (int j = 0; j < removed.list.rank; ++j) {
            gone = gone || removed.list[j] == i;
        }
        if (!gone) {
            r.append(kept[i]);
        }
    }
    return r;
}

} // namespace detail

namespace shapes {
/// What is left when axes go.
template <axes Axes> struct without {
    static constexpr inferred judge(const extents& x) { return {.shape = detail::without(x, resolve(Axes, x))}; }
};
} // namespace shapes

namespace detail {

template <axes Axes, bool KeepDims, class X> constexpr auto reduction(op kind, X x, source_location where) {
    const auto kept = append<shapes::of<Axes>>(kind, resolved_for<Axes, X>, where, x);
    if constexpr (KeepDims) {
        return kept;
    } else {
        return append<shapes::without<Axes>>(op::reshape, no_attributes{}, where, kept);
    }
}

} // namespace detail

// By their rows in graph/operations.def. Axes: all where none is given; they stay as extents of 1 unless KeepDims is false.
#define ANEMONE_REDUCTION(name, ...)                                                                                   \
    template <axes Axes = axes{}, bool KeepDims = true, class X>                                                       \
        requires obeys<shapes::of<Axes>, X>                                                                            \
    constexpr auto name(X x, source_location where = here()) {                                                         \
        return detail::reduction<Axes, KeepDims>(op::name, x, where);                                                  \
    }                                                                                                                  \
    template <axes Axes = axes{}, bool KeepDims = true, class X, class Broken = breach<op::name, shapes::of<Axes>, X>> \
    Broken name(X, ...);
#define ANEMONE_EXTREME_INDEX(name, ...)                                                                               \
    template <axis Axis = axis{}, class X>                                                                             \
        requires obeys<shapes::by<arg_shape_rule, Axis>, X>                                                            \
    constexpr auto name(X x, source_location where = here()) {                                                         \
        return detail::append<shapes::by<arg_shape_rule, Axis>>(op::name, detail::resolved_for<Axis, X>, where, x);    \
    }                                                                                                                  \
    template <axis Axis = axis{}, class X, class Broken = breach<op::name, shapes::by<arg_shape_rule, Axis>, X>>       \
    Broken name(X, ...);
#include "../graph/operations.def"

constexpr cumulation resolve(cumulation given, const extents& x) {
    given.axis = normalized_axis(given.axis, x.rank);
    return given;
}

/// The sums of the elements up to each one along an axis; `exclusive` leaves the element itself out, `reverse` sums
/// from the end. No MIL form: a product with a triangle of ones along the last axis instead (R125, OC2).
template <cumulation Sum = cumulation{}, class X>
    requires obeys<shapes::by<axis_rule, axis{Sum.axis}>, X>
constexpr auto cumsum(X x, source_location where = here()) {
    return detail::append<shapes::by<axis_rule, axis{Sum.axis}>>(op::cumsum, detail::resolved_for<Sum, X>, where, x);
}
template <cumulation Sum = cumulation{}, class X,
          class Broken = breach<op::cumsum, shapes::by<axis_rule, axis{Sum.axis}>, X>>
Broken cumsum(X, ...);

} // namespace ane
