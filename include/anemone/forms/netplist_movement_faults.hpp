#pragma once

#include "../graph/op_facet.hpp"
#include "../ops/rearrange.hpp"
#include "form_fault.hpp"
#include "netplist_layout.hpp"
#include "netplist_subject.hpp"

#include <cstdint>

/// What of a movement cannot be written as views that are joined.
namespace ane::forms {

/// So many views of one operand are joined at most, which is our own limit: nothing is known of the compiler's.
inline constexpr std::int64_t most_views = 256;

constexpr form_fault views_fault(std::int64_t views) {
    return views > most_views ? form_fault{form_reason::needs_many_views, views, most_views} : form_fault{};
}

/// Mirrored borders are taken element by element.
constexpr form_fault border_fault(const netplist_subject& s) {
    const pads& amounts = s.n.get<pads>();
    for (int i = 0; i < s.n.shape.rank; ++i) {
        if (const form_fault f = views_fault(amounts.before[i] + amounts.after[i] + 1)) {
            return f;
        }
    }
    return {};
}

constexpr form_fault strided_slice_fault(const netplist_subject& s) {
    const strided_window& w = s.n.get<strided_window>();
    for (int i = 0; i < s.n.shape.rank; ++i) {
        if (const form_fault f = views_fault(w.stride[i] == 1 ? 1 : s.n.shape[i])) {
            return f;
        }
    }
    return {};
}

constexpr form_fault slice_update_fault(const netplist_subject& s) {
    const strided_window& w = s.n.get<strided_window>();
    for (int i = 0; i < s.n.shape.rank; ++i) {
        if (w.stride[i] != 1 && s.at(1).shape[i] != 1) {
            return {form_reason::writes_every_other_element, w.stride[i], 1};
        }
    }
    return s.at(1).shape == s.n.shape ? form_fault{form_reason::replaces_all} : form_fault{};
}

constexpr form_fault tile_fault(const netplist_subject& s) {
    const indices& count = s.n.get<repeats>().count;
    for (int i = 0; i < s.n.shape.rank; ++i) {
        if (const form_fault f = views_fault(s.at(0).shape[i] == 1 ? 1 : count[i])) {
            return f;
        }
    }
    return {};
}

constexpr form_fault reverse_fault(const netplist_subject& s) {
    const indices& list = s.n.get<axes>().list;
    for (int i = 0; i < list.rank; ++i) {
        if (const form_fault f = views_fault(s.n.shape[static_cast<int>(list[i])])) {
            return f;
        }
    }
    return {};
}

/// A gather along an axis at positions that are known: any others no unit of every generation reads. The unit for more
/// positions than views is known along Width, of one batch at depth 1.
constexpr form_fault gather_fault(const netplist_subject& s) {
    if (!s.known(1)) {
        return {form_reason::parameter_is_computed, 1, 0};
    }
    if (s.at(1).shape.rank > 1 || s.at(1).type != dtype::f16) {
        return {form_reason::no_netplist_form};
    }
    const extents& x = s.at(0).shape;
    const netplist_shape shape = netplist_shape_of(x);
    const bool has_unit = netplist_axis_of(s.n.get<axis>().index, x.rank) == netplist_axis::width &&
                          shape[netplist_axis::batch] == 1 && shape[netplist_axis::depth] == 1;
    return has_unit ? form_fault{} : views_fault(s.at(1).shape.count());
}

/// The validator of A13 takes any window, its code generator none; of those that ran, two elements of four from a
/// constant on is the only one that is known.
constexpr form_fault dynamic_slice_fault(const netplist_subject& s) {
    if (!s.known(1)) {
        return {form_reason::parameter_is_computed, 1, 0};
    }
    const extents& x = s.at(0).shape;
    const extents& size = s.n.shape;
    for (int i = 0; i < x.rank; ++i) {
        const bool moves = netplist_axis_of(i, x.rank) == netplist_axis::width;
        if (moves ? size[i] != 2 || x[i] != 4 : size[i] != x[i]) {
            return {form_reason::window_is_not_two_of_four, size[i], x[i]};
        }
    }
    return {};
}

/// Blocks of pixels by what the units take, which the rules ask of the engine too.
constexpr form_fault blocks_fault(const netplist_subject& s) {
    const size2 by = s.n.get<factors>().by;
    const bool to_batch = s.n.kind == op::space_to_batch || s.n.kind == op::batch_to_space;
    for (const int factor : {by.height, by.width}) {
        if (!(to_batch ? ane::detail::is_native_batch_factor(factor) : ane::detail::is_native_factor(factor))) {
            return {form_reason::factor_has_no_unit, factor, 8};
        }
    }
    if (to_batch || s.n.shape.rank < 4 || s.n.shape[0] == 1) {
        return {};
    }
    return {form_reason::has_a_batch, s.n.shape[0], 1};
}

/// What keeps a rearrangement of elements from being written; those of blocks are known by their attributes, and nothing
/// keeps the others.
inline constexpr op_facet<form_fault (*)(const netplist_subject&)> rearrangement_fault_finders{
    {op::reflect_pad, border_fault},
    {op::symmetric_pad, border_fault},
    {op::replicate_pad, border_fault},
    {op::strided_slice, strided_slice_fault},
    {op::slice_update, slice_update_fault},
    {op::tile, tile_fault},
    {op::reverse, reverse_fault},
    {op::gather, gather_fault},
    {op::dynamic_slice, dynamic_slice_fault}};

constexpr form_fault rearrangement_fault(const netplist_subject& s) {
    if (s.n.attributes.kind() == attribute_kind::factors) {
        return blocks_fault(s);
    }
    const auto finder = rearrangement_fault_finders[s.n.kind];
    return finder != nullptr ? finder(s) : form_fault{};
}

} // namespace ane::forms
