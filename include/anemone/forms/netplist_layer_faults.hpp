#pragma once

#include "../graph/op_facet.hpp"
#include "form_fault.hpp"
#include "netplist_layout.hpp"
#include "netplist_subject.hpp"

#include <cstdint>

/// What keeps an operation that is one layer of the engine from being written.
namespace ane::forms {

/// The unit normalises its first KernelChannel channels, so the window has to be all of them.
constexpr form_fault response_fault(const netplist_subject& s) {
    const netplist_shape x = netplist_shape_of(s.n.shape);
    const std::int64_t channels = x[netplist_axis::channel];
    const std::int64_t size = s.n.get<response_norm_shape>().size;
    return size != channels || channels > 15 || x[netplist_axis::depth] != 1
               ? form_fault{form_reason::normalizes_over_part_of_the_channels, size, channels}
               : form_fault{};
}

/// The unit orders along Width by one key channel and moves the others with it: with one line it is ours.
constexpr form_fault order_fault(const netplist_subject& s) {
    const selection& a = s.n.get<selection>();
    const extents& x = s.at(0).shape;
    const std::int64_t lines = x.count() / x[a.axis];
    if (lines != 1) {
        return {form_reason::orders_several_lines, lines, 1};
    }
    const bool top = s.n.kind == op::top_k || s.n.kind == op::top_k_indices;
    return top && (a.k == 3 || a.k == 4) ? form_fault{form_reason::takes_three_or_four, a.k, 0} : form_fault{};
}

/// An image made larger by whole numbers whose pixels are repeated.
constexpr form_fault resize_fault(const netplist_subject& s) {
    const sampling& a = s.n.get<sampling>();
    const extents& x = s.at(0).shape;
    const bool repeats = a.method == sampling_method::nearest && a.grid == sampling_grid::half_pixel &&
                         a.extent.height % x[2] == 0 && a.extent.width % x[3] == 0;
    return repeats ? form_fault{} : form_fault{form_reason::sampling_has_no_form};
}

constexpr form_fault single_fault(std::int64_t batch) {
    return batch == 1 ? form_fault{} : form_fault{form_reason::has_a_batch, batch, 1};
}

/// The unit has the sequence on Channel, the heads on Height and one batch; it is reliable for sequences of up to 2048,
/// where that of queries or that of keys is below 512. Its mask is one plane for all heads.
constexpr form_fault attention_layer_fault(const netplist_subject& s) {
    const extents& query = s.at(0).shape;
    const std::int64_t keys = s.at(1).shape.height();
    const std::int64_t longest = query.height() > keys ? query.height() : keys;
    const std::int64_t shortest = query.height() > keys ? keys : query.height();
    const std::int64_t batch = query.rank == 5 ? query[0] * query[1] : query.rank == 4 ? query[0] : 1;
    if (batch != 1) {
        return single_fault(batch);
    }
    if (longest > 2048 || shortest >= 512) {
        return {form_reason::sequence_is_long, longest, 2048};
    }
    if (s.n.operands.count == 4) {
        const extents& mask = s.at(3).shape;
        const std::int64_t planes = mask.rank < 2 ? 1 : mask.count() / (mask.height() * mask.width());
        return planes == 1 ? form_fault{} : form_fault{form_reason::mask_has_planes, planes, 1};
    }
    return {};
}

constexpr form_fault minmax_fault(const netplist_subject& s) {
    const netplist_axis a = netplist_axis_of(s.n.get<stabilizer>().axis, s.n.shape.rank);
    return a == netplist_axis::width || a == netplist_axis::height ? form_fault{}
                                                                   : form_fault{form_reason::takes_width_or_height};
}

constexpr form_fault dropout_fault(const netplist_subject& s) {
    return s.n.get<drop_ratio>().ratio != 0 ? form_fault{form_reason::drops_elements} : form_fault{};
}
constexpr form_fault batch_fault(const netplist_subject& s) { return single_fault(s.n.shape[0]); }

/// What keeps layers of the engine from being written; nothing keeps the others.
inline constexpr op_facet<form_fault (*)(const netplist_subject&)> layer_fault_finders{
    {op::local_response_norm, response_fault},
    {op::top_k, order_fault},
    {op::top_k_indices, order_fault},
    {op::sort, order_fault},
    {op::arg_sort, order_fault},
    {op::resize, resize_fault},
    {op::attention, attention_layer_fault},
    {op::minmax_norm, minmax_fault},
    {op::dropout, dropout_fault},
    {op::cross_correlation, batch_fault},
    {op::cost_volume, batch_fault}};

constexpr form_fault layer_fault(const netplist_subject& s) {
    const auto finder = layer_fault_finders[s.n.kind];
    return finder != nullptr ? finder(s) : form_fault{};
}

} // namespace ane::forms
