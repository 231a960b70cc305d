#pragma once

#include "append.hpp"

/// Order along one axis. On A14 and later: A13's validator passes these and its code generator refuses them (R134,
/// measured on M1). Indices are fp16, exact up to 2048 (R069). The netplist sorts the last axis only. Equal elements
/// keep their order, ascending and descending (as in ONNX; inferred for the engine). NaN is the largest number on the
/// CPU, and +infinity on the engine (N080).
namespace ane {

/// The k first elements in order: the axis becomes k.
constexpr inferred top_k_rule(const selection& s, const extents& x) {
    inferred r;
    r.shape = x;
    const int along = normalized_axis(s.axis, x.rank);
    r.require(along >= 0 && along < x.rank, fault::axis_must_be_one_of_the_tensor, s.axis, x.rank);
    if (r.ok()) {
        r.require(s.k >= 1 && s.k <= x[along], fault::k_must_lie_between_1_and_the_extent, s.k, x[along]);
        r.shape[along] = s.k;
    }
    return r;
}
/// All elements in order.
constexpr inferred sort_rule(const selection& s, const extents& x) {
    inferred r = top_k_rule(s, x);
    if (r.ok()) {
        const std::int64_t all = x[normalized_axis(s.axis, x.rank)];
        r.require(s.k == all, fault::sort_must_order_the_whole_axis, s.k, all);
    }
    return r;
}

/// What top_k returns: the elements, and their indices.
template <class Values, class Indices> struct ranked {
    Values values;
    Indices indices;
};

namespace detail {

/// Every element of an axis, in order.
constexpr selection whole_axis(axis given, bool ascending, const extents& x) {
    const int along = normalized_axis(given.index, x.rank);
    return {.k = along >= 0 && along < x.rank ? static_cast<int>(x[along]) : 1,
            .axis = along < 0 ? given.index : along,
            .ascending = ascending};
}

/// The first `k` of an axis, in order.
constexpr selection first_of_axis(int k, axis given, bool ascending, const extents& x) {
    const int along = normalized_axis(given.index, x.rank);
    return {.k = k, .axis = along < 0 ? given.index : along, .ascending = ascending};
}

} // namespace detail

namespace shapes {
template <int K, axis Axis> struct top_k {
    static constexpr inferred judge(const extents& x) {
        return top_k_rule(detail::first_of_axis(K, Axis, false, x), x);
    }
};
template <axis Axis> struct sort {
    static constexpr inferred judge(const extents& x) { return sort_rule(detail::whole_axis(Axis, false, x), x); }
};
} // namespace shapes

/// The K largest elements along an axis, the largest first (the smallest first where `Ascending`), and their indices:
/// `auto [largest, places] = top_k<5>(x);` Any K but 3 and 4 (R135).
template <int K, axis Axis = axis{}, bool Ascending = false, class X>
    requires obeys<shapes::top_k<K, Axis>, X>
constexpr auto top_k(X x, source_location where = here()) {
    constexpr selection wanted = detail::first_of_axis(K, Axis, Ascending, X::extent);
    const auto values = detail::append<shapes::top_k<K, Axis>>(op::top_k, wanted, where, x);
    const auto places = detail::append<shapes::top_k<K, Axis>>(op::top_k_indices, wanted, where, x);
    return ranked<decltype(values), decltype(places)>{values, places};
}
template <int K, axis Axis = axis{}, bool Ascending = false, class X,
          class Broken = breach<op::top_k, shapes::top_k<K, Axis>, X>>
Broken top_k(X, ...);

/// The elements along an axis in order. 57 to 137 ms on M5 through the bridge (measured).
template <axis Axis = axis{}, bool Ascending = true, class X>
    requires obeys<shapes::sort<Axis>, X>
constexpr auto sort(X x, source_location where = here()) {
    constexpr selection wanted = detail::whole_axis(Axis, Ascending, X::extent);
    return detail::append<shapes::sort<Axis>>(op::sort, wanted, where, x);
}
template <axis Axis = axis{}, bool Ascending = true, class X, class Broken = breach<op::sort, shapes::sort<Axis>, X>>
Broken sort(X, ...);

/// The indices of the elements in the order in which `sort` puts them.
template <axis Axis = axis{}, bool Ascending = true, class X>
    requires obeys<shapes::sort<Axis>, X>
constexpr auto arg_sort(X x, source_location where = here()) {
    constexpr selection wanted = detail::whole_axis(Axis, Ascending, X::extent);
    return detail::append<shapes::sort<Axis>>(op::arg_sort, wanted, where, x);
}
template <axis Axis = axis{}, bool Ascending = true, class X,
          class Broken = breach<op::arg_sort, shapes::sort<Axis>, X>>
Broken arg_sort(X, ...);

} // namespace ane
