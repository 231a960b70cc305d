#pragma once

#include "indexing.hpp"
#include "reduction.hpp"

#include <array>
#include <concepts>
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
    r.require(rank <= extents::capacity, fault::tensor_must_not_have_more_than_8_axes, rank, extents::capacity);
    if (!r.ok()) {
        return r;
    }
    extents wide;
    wide.rank = rank;
    for (int i = 0; r.ok() && i < given.list.rank; ++i) {
        const int at = normalized_axis(detail::axis_number(given.list[i]), rank);
        r.require(at >= 0 && at < rank, fault::axis_must_be_one_of_the_tensor, given.list[i], rank);
        if (r.ok()) {
            r.require(wide[at] == 0, fault::axis_must_not_be_given_twice, at, at);
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
        r.require(!named || x[i] == 1, fault::squeezed_axis_must_have_extent_1_R128, x[i], 1);
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
    r.require(count >= 1, fault::every_extent_must_be_at_least_1_R019, count, 1);
    if (r.ok()) {
        const int index = normalized_axis(along.index, x.rank);
        r.require(x[index] % count == 0, fault::number_of_parts_must_divide_the_extent, x[index], count);
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
        r.require(size >= 1, fault::every_extent_must_be_at_least_1_R019, size, 1);
        sum += size;
    }
    if (r.ok()) {
        const int index = normalized_axis(along.index, x.rank);
        r.require(sum == x[index], fault::sizes_of_the_parts_must_add_up_to_the_extent, sum, x[index]);
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

} // namespace detail

namespace shapes {

/// `Size` elements of an axis.
template <axis Axis, std::int64_t Size> struct part {
    static constexpr inferred judge(const extents& x) { return {.shape = detail::window_along(x, Axis, 0, Size).size}; }
};
template <axis Axis, std::int64_t Count> struct even_parts {
    static constexpr inferred judge(const extents& x) { return detail::part_rule(Axis, Count, x); }
};
template <axis Axis, std::int64_t... Sizes> struct sized_parts {
    static constexpr inferred judge(const extents& x) { return detail::part_rule(Axis, 0, {Sizes...}, x); }
};
/// Axes of extent 1 are put into every operand, then they are joined.
template <axis Axis> struct stack {
    static constexpr inferred judge(const extents& x, const std::same_as<extents> auto&... rest) {
        const auto wide = [](const extents& e) { return expand_dims_rule(axes{Axis.index}, e); };
        const inferred first = wide(x);
        if (!first.ok() || sizeof...(rest) == 0) {
            return first;
        }
        return detail::concat_all({normalized_axis(Axis.index, x.rank + 1)}, {first.shape, wide(rest).shape...});
    }
};

} // namespace shapes

namespace detail {

template <axis Axis, std::int64_t Size, class X>
constexpr auto part_at(X x, std::int64_t begin, source_location where) {
    return append<shapes::part<Axis, Size>>(op::slice, window_along(X::extent, Axis, begin, Size), where, x);
}
template <axis Axis, std::int64_t Size, std::size_t... Index, class X>
constexpr auto even_parts(X x, source_location where, std::index_sequence<Index...>) {
    return std::array{part_at<Axis, Size>(x, static_cast<std::int64_t>(Index) * Size, where)...};
}
template <axis Axis, std::int64_t... Sizes, std::size_t... Index, class X>
constexpr auto sized_parts(X x, source_location where, std::index_sequence<Index...>) {
    return std::tuple{part_at<Axis, Sizes>(x, sum_before(Index, {Sizes...}), where)...};
}

} // namespace detail

/// A reshape that puts axes of extent 1 in; `Axes` counts in the result.
template <axes Axes, class X>
    requires obeys<shapes::by<expand_dims_rule, Axes>, X>
constexpr auto expand_dims(X x, source_location where = here()) {
    return detail::append<shapes::by<expand_dims_rule, Axes>>(op::reshape, no_attributes{}, where, x);
}
template <axes Axes, class X, class Broken = breach<op::reshape, shapes::by<expand_dims_rule, Axes>, X>>
Broken expand_dims(X, ...);

/// A reshape that leaves axes of extent 1 out: the given ones, or all. R128.
template <axes Axes = axes{}, class X>
    requires obeys<shapes::by<squeeze_rule, Axes>, X>
constexpr auto squeeze(X x, source_location where = here()) {
    return detail::append<shapes::by<squeeze_rule, Axes>>(op::reshape, no_attributes{}, where, x);
}
template <axes Axes = axes{}, class X, class Broken = breach<op::reshape, shapes::by<squeeze_rule, Axes>, X>>
Broken squeeze(X, ...);

/// Two axes: MIL's name of `flatten`.
template <axis Axis = axis{1}, class X>
    requires obeys<shapes::moved_by<flatten_rule, Axis>, X>
constexpr auto flatten2d(X x, source_location where = here()) { return flatten<Axis>(x, where); }
template <axis Axis = axis{1}, class X, class Broken = breach<op::reshape, shapes::moved_by<flatten_rule, Axis>, X>>
Broken flatten2d(X, ...);

/// The elements of x under the shape of another tensor, which is not read: a reshape. R011.
template <class X, class L>
    requires obeys<shapes::moved_by<reshape_rule>, X, L>
constexpr auto reshape_like(X x, L, source_location where = here()) {
    return detail::append_as<typename L::shape_type, X::element>(op::reshape, no_attributes{}, where, x);
}
template <class X, class L, class Broken = breach<op::reshape, shapes::moved_by<reshape_rule>, X, L>>
Broken reshape_like(X, L, ...);

/// Tensors of one shape along a new axis, which is axis `Axis` of the result. R024.
template <axis Axis = axis{0}, class X, class... Rest>
    requires obeys<shapes::stack<Axis>, X, Rest...>
constexpr auto stack(X x, Rest... rest) {
    const source_location where = detail::site_of(x);
    if constexpr (sizeof...(Rest) == 0) {
        return expand_dims<axes{Axis.index}>(x, where);
    } else {
        return concat<axis{normalized_axis(Axis.index, X::extent.rank + 1)}>(
            expand_dims<axes{Axis.index}>(x, where), expand_dims<axes{Axis.index}>(rest, where)...);
    }
}
template <axis Axis = axis{0}, class X, class... Rest,
          class Broken = breach<op::concat, shapes::stack<Axis>, X, Rest...>>
Broken stack(X, Rest...);

/// `Count` equal parts along an axis, as an array of handles. On the last axis every part but the first begins above 0
/// (R090), and two of them joined again are the hazard of R092.
template <std::int64_t Count, axis Axis = axis{1}, class X>
    requires obeys<shapes::even_parts<Axis, Count>, X>
constexpr auto split(X x, source_location where = here()) {
    constexpr std::int64_t size = X::extent[normalized_axis(Axis.index, X::extent.rank)] / Count;
    return detail::even_parts<Axis, size>(x, where, std::make_index_sequence<static_cast<std::size_t>(Count)>());
}
template <std::int64_t Count, axis Axis = axis{1}, class X,
          class Broken = breach<op::slice, shapes::even_parts<Axis, Count>, X>>
Broken split(X, ...);

/// Parts of the given sizes along an axis, as a tuple of handles.
template <std::same_as<axis> auto Axis, std::int64_t First, std::int64_t... Sizes, class X>
    requires obeys<shapes::sized_parts<Axis, First, Sizes...>, X>
constexpr auto split(X x, source_location where = here()) {
    return detail::sized_parts<Axis, First, Sizes...>(x, where, std::make_index_sequence<1 + sizeof...(Sizes)>());
}
template <std::same_as<axis> auto Axis, std::int64_t First, std::int64_t... Sizes, class X,
          class Broken = breach<op::slice, shapes::sized_parts<Axis, First, Sizes...>, X>>
Broken split(X, ...);

/// The slices of an axis without that axis, as an array of handles: the inverse of `stack`.
template <axis Axis = axis{0}, class X>
    requires obeys<shapes::by<axis_rule, Axis>, X>
constexpr auto unstack(X x, source_location where = here()) {
    constexpr int index = normalized_axis(Axis.index, X::extent.rank);
    const auto parts = split<X::extent[index], axis{index}>(x, where);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array{squeeze<axes{index}>(parts[I], where)...};
    }
    (std::make_index_sequence<static_cast<std::size_t>(X::extent[index])>());
}
template <axis Axis = axis{0}, class X, class Broken = breach<op::slice, shapes::by<axis_rule, Axis>, X>>
Broken unstack(X, ...);

} // namespace ane
