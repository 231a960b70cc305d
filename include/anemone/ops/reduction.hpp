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
    r.require(index >= 0 && index < x.rank, fault::axis_must_be_one_of_the_tensor, index, x.rank);
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

template <axes Axes, bool KeepDims, class X> constexpr auto reduction(op kind, X x, site where) {
    const auto kept = append<shapes::of<Axes>>(kind, resolved_for<Axes, X>, where, x);
    if constexpr (KeepDims) {
        return kept;
    } else {
        return append<shapes::without<Axes>>(op::reshape, no_attributes{}, where, kept);
    }
}

} // namespace detail

/// The sum over the given axes (all where none is given); they stay as extents of 1 unless KeepDims is false. R070.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_sum(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_sum, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X, class Broken = breach<op::reduce_sum, shapes::of<Axes>, X>>
unknown_tensor reduce_sum(X, ...) = delete;

/// The mean over the given axes.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_mean(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_mean, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_mean, shapes::of<Axes>, X>>
unknown_tensor reduce_mean(X, ...) = delete;

/// The largest element over the given axes.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_max(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_max, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X, class Broken = breach<op::reduce_max, shapes::of<Axes>, X>>
unknown_tensor reduce_max(X, ...) = delete;

/// The smallest element over the given axes.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_min(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_min, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X, class Broken = breach<op::reduce_min, shapes::of<Axes>, X>>
unknown_tensor reduce_min(X, ...) = delete;

/// The sum of x^2 over the given axes. Elements from 256 on square to infinity (R151). R071.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_sum_square(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_sum_square, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_sum_square, shapes::of<Axes>, X>>
unknown_tensor reduce_sum_square(X, ...) = delete;

/// The sum of |x| over the given axes.
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_l1_norm(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_l1_norm, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_l1_norm, shapes::of<Axes>, X>>
unknown_tensor reduce_l1_norm(X, ...) = delete;

/// The square root of the sum of x^2 over the given axes. Lowered to products and a sum: infinite where an |x| is 256
/// or more (R151).
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_l2_norm(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_l2_norm, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_l2_norm, shapes::of<Axes>, X>>
unknown_tensor reduce_l2_norm(X, ...) = delete;

/// ln of the sum over the given axes, which is to be positive: ln(+0) is -45440 on the engine (R157).
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_log_sum(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_log_sum, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_log_sum, shapes::of<Axes>, X>>
unknown_tensor reduce_log_sum(X, ...) = delete;

/// ln of the sum of e^x over the given axes. Subtract the maximum first: e^x is infinite from 11.094 (R150).
template <axes Axes = axes{}, bool KeepDims = true, class X>
    requires obeys<shapes::of<Axes>, X>
constexpr auto reduce_log_sum_exp(X x, site where = here()) {
    return detail::reduction<Axes, KeepDims>(op::reduce_log_sum_exp, x, where);
}
template <axes Axes = axes{}, bool KeepDims = true, class X,
          class Broken = breach<op::reduce_log_sum_exp, shapes::of<Axes>, X>>
unknown_tensor reduce_log_sum_exp(X, ...) = delete;

/// The index of the largest element along an axis, as fp16; of equal ones the first. On the netplist route only (OC9).
template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto arg_max(X x, site where = here()) {
    return detail::append<shapes::by<arg_shape_rule, Axis>>(op::arg_max, detail::resolved_for<Axis, X>, where, x);
}
template <axis Axis = axis{}, class X, class Broken = breach<op::arg_max, shapes::by<arg_shape_rule, Axis>, X>>
unknown_tensor arg_max(X, ...) = delete;

/// The index of the smallest element along an axis, as fp16; of equal ones the first.
template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto arg_min(X x, site where = here()) {
    return detail::append<shapes::by<arg_shape_rule, Axis>>(op::arg_min, detail::resolved_for<Axis, X>, where, x);
}
template <axis Axis = axis{}, class X, class Broken = breach<op::arg_min, shapes::by<arg_shape_rule, Axis>, X>>
unknown_tensor arg_min(X, ...) = delete;

/// arg_max by the engine's layer for a whole dimension, on the netplist route (guide appendix B).
template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto global_arg_max(X x, site where = here()) {
    return detail::append<shapes::by<arg_shape_rule, Axis>>(op::global_arg_max, detail::resolved_for<Axis, X>, where,
                                                            x);
}
template <axis Axis = axis{}, class X, class Broken = breach<op::global_arg_max, shapes::by<arg_shape_rule, Axis>, X>>
unknown_tensor global_arg_max(X, ...) = delete;

/// arg_min by the engine's layer for a whole dimension, on the netplist route.
template <axis Axis = axis{}, class X>
    requires obeys<shapes::by<arg_shape_rule, Axis>, X>
constexpr auto global_arg_min(X x, site where = here()) {
    return detail::append<shapes::by<arg_shape_rule, Axis>>(op::global_arg_min, detail::resolved_for<Axis, X>, where,
                                                            x);
}
template <axis Axis = axis{}, class X, class Broken = breach<op::global_arg_min, shapes::by<arg_shape_rule, Axis>, X>>
unknown_tensor global_arg_min(X, ...) = delete;

constexpr cumulation resolve(cumulation given, const extents& x) {
    given.axis = normalized_axis(given.axis, x.rank);
    return given;
}

/// The sums of the elements up to each one along an axis; `exclusive` leaves the element itself out, `reverse` sums
/// from the end. No MIL form: a product with a triangle of ones along the last axis instead (R125, OC2).
template <cumulation Sum = cumulation{}, class X>
    requires obeys<shapes::by<axis_rule, axis{Sum.axis}>, X>
constexpr auto cumsum(X x, site where = here()) {
    return detail::append<shapes::by<axis_rule, axis{Sum.axis}>>(op::cumsum, detail::resolved_for<Sum, X>, where, x);
}
template <cumulation Sum = cumulation{}, class X,
          class Broken = breach<op::cumsum, shapes::by<axis_rule, axis{Sum.axis}>, X>>
unknown_tensor cumsum(X, ...) = delete;

} // namespace ane
