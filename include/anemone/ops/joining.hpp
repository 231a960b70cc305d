#pragma once

#include "indexing.hpp"
#include "reduction.hpp"

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

/// Operations made of reshape, concat and slice: axes of extent 1, stacks, parts.
namespace ane {

/// The shape with axes of extent 1 put in, so that they are the given axes of the result.
constexpr inferred expand_dims_rule(const axes& given, const extents& x) {
    inferred r;
    r.shape = x;
    const int rank = x.rank + given.list.rank;
    r.require(rank <= extents::capacity, fault::rank_exceeds, rank, extents::capacity);
    if (!r.ok()) {
        return r;
    }
    extents wide;
    wide.rank = rank;
    for (int i = 0; r.ok() && i < given.list.rank; ++i) {
        const int at = normalized_axis(detail::axis_number(given.list[i]), rank);
        r.require(at >= 0 && at < rank, fault::axis_is_out_of_range, at, rank);
        if (r.ok()) {
            r.require(wide[at] == 0, fault::axis_is_repeated, at, at);
            wide[at] = 1;
        }
    }
    int next = 0;
    for (int i = 0; r.ok() && i < rank; ++i) {
        if (wide[i] == 0) {
            wide[i] = x[next++];
        }
    }
    if (r.ok()) {
        r.shape = wide;
    }
    return r;
}

/// The shape without the given axes, whose extents are 1; without all such axes where none is given.
constexpr inferred squeeze_rule(const axes& given, const extents& x) {
    inferred r = shape_rule(given, x);
    if (!r.ok()) {
        return r;
    }
    axes gone;
    for (int i = 0; i < x.rank; ++i) {
        bool named = given.list.rank == 0 && x[i] == 1;
        for (int j = 0; j < given.list.rank; ++j) {
            named = named || normalized_axis(detail::axis_number(given.list[j]), x.rank) == i;
        }
        r.require(!named || x[i] == 1, fault::squeezed_extent_is_not_one, x[i], 1);
        if (named) {
            gone.list.append(i);
        }
    }
    r.shape = detail::without(x, gone);
    return r;
}

namespace detail {

/// The shape of one of `count` equal parts along an axis.
constexpr inferred part_rule(axis along, std::int64_t count, const extents& x) {
    inferred r = axis_rule(along, x);
    r.require(count >= 1, fault::extent_is_not_positive, count, 1);
    if (r.ok()) {
        const int index = normalized_axis(along.index, x.rank);
        r.require(x[index] % count == 0, fault::split_is_not_even, x[index], count);
        r.shape[index] = x[index] / count;
    }
    return r;
}
/// The shape of part `part` of parts with the given sizes.
constexpr inferred part_rule(axis along, std::size_t part, std::initializer_list<std::int64_t> sizes,
                             const extents& x) {
    inferred r = axis_rule(along, x);
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) {
        r.require(size >= 1, fault::extent_is_not_positive, size, 1);
        sum += size;
    }
    if (r.ok()) {
        const int index = normalized_axis(along.index, x.rank);
        r.require(sum == x[index], fault::split_sizes_differ, sum, x[index]);
        r.shape[index] = sizes.begin()[part];
    }
    return r;
}
constexpr std::int64_t sum_before(std::size_t part, std::initializer_list<std::int64_t> sizes) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < part; ++i) {
        sum += sizes.begin()[i];
    }
    return sum;
}

template <inferred Part, axis Axis, class X, dtype TX>
constexpr auto part_at(tensor<X, TX> x, std::int64_t begin, site where) {
    constexpr int along = normalized_axis(Axis.index, X::value.rank);
    return append_arithmetic<Part>(op::slice, window_along(X::value, Axis, begin, Part.shape[along < 0 ? 0 : along]),
                                   where, x);
}
template <inferred Part, axis Axis, std::size_t... Index, class X, dtype TX>
constexpr auto even_parts(tensor<X, TX> x, site where, std::index_sequence<Index...>) {
    constexpr int along = normalized_axis(Axis.index, X::value.rank);
    constexpr std::int64_t size = Part.shape[along < 0 ? 0 : along];
    return std::array{part_at<Part, Axis>(x, static_cast<std::int64_t>(Index) * size, where)...};
}
template <axis Axis, std::int64_t... Sizes, std::size_t... Index, class X, dtype TX>
constexpr auto sized_parts(tensor<X, TX> x, site where, std::index_sequence<Index...>) {
    return std::tuple{
        part_at<part_rule(Axis, Index, {Sizes...}, X::value), Axis>(x, sum_before(Index, {Sizes...}), where)...};
}

} // namespace detail

/// A reshape that puts axes of extent 1 in; `Axes` counts in the result.
template <axes Axes, class X, dtype TX> constexpr auto expand_dims(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = expand_dims_rule(Axes, X::value);
    return detail::append_arithmetic<r>(op::reshape, no_attributes{}, where, x);
}

/// A reshape that leaves axes of extent 1 out: the given ones, or all. R128.
template <axes Axes = axes{}, class X, dtype TX> constexpr auto squeeze(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = squeeze_rule(Axes, X::value);
    return detail::append_arithmetic<r>(op::reshape, no_attributes{}, where, x);
}

/// Two axes: MIL's name of `flatten`.
template <axis Axis = axis{1}, class X, dtype TX> constexpr auto flatten2d(tensor<X, TX> x, site where = here()) {
    return flatten<Axis>(x, where);
}

/// The elements of x under the shape of another tensor, which is not read: a reshape. R011.
template <class X, dtype TX, class L, dtype TL>
constexpr auto reshape_like(tensor<X, TX> x, tensor<L, TL>, site where = here()) {
    constexpr inferred r = reshape_rule(X::value, L::value);
    return detail::append<r, TX>(op::reshape, no_attributes{}, where, x);
}

/// Tensors of one shape along a new axis, which is axis `Axis` of the result. R024.
template <axis Axis = axis{0}, class X, dtype TX, class... Rest>
constexpr auto stack(tensor<X, TX> x, tensor<Rest>... rest) {
    const site where = detail::site_of(x);
    if constexpr (sizeof...(Rest) == 0) {
        return expand_dims<axes{Axis.index}>(x, where);
    } else {
        return concat<axis{normalized_axis(Axis.index, X::value.rank + 1)}>(
            expand_dims<axes{Axis.index}>(x, where), expand_dims<axes{Axis.index}>(rest, where)...);
    }
}

/// `Count` equal parts along an axis, as an array of handles. On the last axis every part but the first begins above 0
/// (R090), and two of them joined again are the hazard of R092.
template <std::int64_t Count, axis Axis = axis{1}, class X, dtype TX>
constexpr auto split(tensor<X, TX> x, site where = here()) {
    constexpr inferred r = detail::part_rule(Axis, Count, X::value);
    detail::require_shape_rule<r.broken, r.got, r.want>();
    return detail::even_parts<r, Axis>(x, where,
                                       std::make_index_sequence<static_cast<std::size_t>(Count < 1 ? 1 : Count)>());
}
/// Parts of the given sizes along an axis, as a tuple of handles.
template <axis Axis, std::int64_t... Sizes, class X, dtype TX>
constexpr auto split(tensor<X, TX> x, site where = here()) {
    static_assert(sizeof...(Sizes) >= 1, "split needs the size of at least one part");
    return detail::sized_parts<Axis, Sizes...>(x, where, std::make_index_sequence<sizeof...(Sizes)>());
}

/// The slices of an axis without that axis, as an array of handles: the inverse of `stack`.
template <axis Axis = axis{0}, class X, dtype TX> constexpr auto unstack(tensor<X, TX> x, site where = here()) {
    constexpr inferred along = axis_rule(Axis, X::value);
    detail::require_shape_rule<along.broken, along.got, along.want>();
    constexpr int index = along.ok() ? normalized_axis(Axis.index, X::value.rank) : 0;
    const auto parts = split<X::value[index], axis{index}>(x, where);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array{squeeze<axes{index}>(parts[I], where)...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(X::value[index])>());
}

} // namespace ane
