#pragma once

#include "../graph/constants.hpp"
#include "../graph/input_names.hpp"
#include "../graph/uses.hpp"
#include "../ops/convolution.hpp"
#include "../passes/fusion.hpp"
#include "for_lowering.hpp"
#include "form_fault.hpp"
#include "netplist_layer_faults.hpp"
#include "netplist_layout.hpp"
#include "netplist_movement_faults.hpp"
#include "netplist_subject.hpp"
#include "netplist_vocabulary.hpp"
#include "pool_padding.hpp"

#include <array>
#include <string_view>

/// What of a lowered graph cannot be written as a netplist.
namespace ane {

namespace forms {

/// Keys that every network has of its own: no port can have such a name.
inline constexpr std::array<std::string_view, 5> network_keys{"Units", "Weights", "Constants", "States", "InputParams"};

/// Whether an operand is a constant with one value, or with one for each channel of the result: what a GOC holds.
constexpr bool is_channel_vector(const extents& operand, const extents& result) {
    return detail::is_vector_along(operand, result, 2);
}

/// Depth and channels of a tensor that has both: the unit that reshapes it counts channels outside depth.
constexpr form_fault mixed_depth(const extents& shape) {
    const netplist_shape s = netplist_shape_of(shape);
    const bool mixed = s[netplist_axis::depth] != 1 && s[netplist_axis::channel] != 1;
    return mixed ? form_fault{form_reason::reshape_mixes_depth, s[netplist_axis::depth], s[netplist_axis::channel]}
                 : form_fault{};
}
constexpr form_fault reshape_fault(const extents& from, const extents& to) {
    if (netplist_shape_of(from) == netplist_shape_of(to)) {
        return {};
    }
    const form_fault first = mixed_depth(from);
    return first ? first : mixed_depth(to);
}

/// A tensor of rank 4 against one of rank 5 has its first axis on Batch, where the graph's rule matches it with Depth.
constexpr form_fault broadcast_fault(const extents& operand, const extents& result) {
    return result.rank == 5 && operand.rank == 4 && operand[0] != 1
               ? form_fault{form_reason::broadcast_meets_depth, operand[0], 1}
               : form_fault{};
}

/// The axis of a unit that takes Width, Height or Channel.
constexpr form_fault inner_axis_fault(int axis, int rank) {
    const netplist_axis a = netplist_axis_of(axis, rank);
    return a == netplist_axis::batch || a == netplist_axis::depth ? form_fault{form_reason::axis_is_outer}
                                                                  : form_fault{};
}

constexpr form_fault binary_fault(const netplist_subject& s) {
    for (int i = 0; i < s.n.operands.count; ++i) {
        if (const form_fault f = broadcast_fault(s.at(i).shape, s.n.shape)) {
            return f;
        }
    }
    return {};
}

/// The whole exponent that an operation raises to, where it is a number of the graph; 0 for others.
constexpr int whole_exponent(const graph_view& g, const node& exponent) {
    if (exponent.kind != op::constant) {
        return 0;
    }
    const auto values = g.values(exponent);
    for (const int whole : {1, 2, 3, -1}) {
        bool all = true;
        for (const float v : values) {
            all = all && v == static_cast<float>(whole);
        }
        if (all) {
            return whole;
        }
    }
    return 0;
}
constexpr form_fault power_fault(const netplist_subject& s) {
    return whole_exponent(s.g, s.at(1)) == 0 ? form_fault{form_reason::power_is_not_whole} : form_fault{};
}

constexpr form_fault select_fault(const netplist_subject& s) {
    for (int i = 1; i < 3; ++i) {
        if (s.at(i).kind == op::constant) {
            for (const float v : s.g.values(s.at(i))) {
                if (!(v <= 65504.0F && v >= -65504.0F)) {
                    return {form_reason::blends_what_is_not_finite};
                }
            }
        }
    }
    return binary_fault(s);
}

/// Which constant operand of a binary operation becomes the scale or bias of a GOC; -1 where none does.
constexpr int gain_or_offset(const netplist_subject& s) {
    if (s.n.kind != op::mul && s.n.kind != op::add && s.n.kind != op::sub) {
        return -1;
    }
    for (int i = 1; i >= 0; --i) {
        if (s.known(i) && is_channel_vector(s.at(i).shape, s.n.shape) && s.at(1 - i).shape == s.n.shape) {
            return i;
        }
    }
    return -1;
}

/// The pads of a DeConv unit, which act on the input with stride - 1 zeros behind every element.
constexpr padding2 pads_of_stuffed_input(const conv_transpose& a, size2 kernel) {
    return {kernel.height - 1 - a.padding.top, kernel.height - a.stride.height - a.padding.bottom,
            kernel.width - 1 - a.padding.left, kernel.width - a.stride.width - a.padding.right};
}

constexpr form_fault conv_transpose_fault(const netplist_subject& s) {
    const conv_transpose& a = s.n.get<conv_transpose>();
    if (a.dilation != size2(1)) {
        return {form_reason::transposed_dilation,
                a.dilation.height > a.dilation.width ? a.dilation.height : a.dilation.width, 1};
    }
    const padding2 pads = pads_of_stuffed_input(a, detail::kernel_of(s.at(1).shape));
    for (const int amount : {pads.top, pads.bottom, pads.left, pads.right}) {
        if (amount < 0) {
            return {form_reason::crops_the_stuffed_input, amount, 0};
        }
    }
    return {};
}

constexpr form_fault netplist_pool_fault(const netplist_subject& s) {
    const pool& p = s.n.get<pool>();
    const padding2 written = written_padding(p, s.at(0).shape, s.n.shape);
    if (written.bottom >= p.kernel.height) {
        return {form_reason::padding_reaches_the_kernel, written.bottom, p.kernel.height};
    }
    return written.right >= p.kernel.width
               ? form_fault{form_reason::padding_reaches_the_kernel, written.right, p.kernel.width}
               : form_fault{};
}

constexpr form_fault reduction_fault(const netplist_subject& s) {
    const extents& shape = s.at(0).shape;
    int reduced = 0;
    const indices& list = s.n.get<axes>().list;
    for (int i = 0; i < list.rank; ++i) {
        reduced += shape[static_cast<int>(list[i])] != 1 ? 1 : 0;
    }
    return reduced > 4 ? form_fault{form_reason::reduces_five_axes, reduced, 4} : form_fault{};
}

constexpr form_fault matmul_fault(const netplist_subject& s) {
    for (const extents* shape : {&s.at(0).shape, &s.at(1).shape, &s.n.shape}) {
        const std::int64_t depth = netplist_shape_of(*shape)[netplist_axis::depth];
        if (depth != 1) {
            return {form_reason::product_has_depth, depth, 1};
        }
    }
    return {};
}

constexpr form_fault pad_fault(const netplist_subject& s) {
    const pads& amounts = s.n.get<pads>();
    for (int i = 0; i < s.n.shape.rank; ++i) {
        const netplist_axis a = netplist_axis_of(i, s.n.shape.rank);
        const std::int64_t sum = amounts.before[i] + amounts.after[i];
        if (sum != 0 && a != netplist_axis::height && a != netplist_axis::width) {
            return {form_reason::pads_an_outer_axis, sum, 0};
        }
    }
    return {};
}

/// Whether all operands are constants: those of an output, which a unit reads as it would read an input.
constexpr bool reads_constants_alone(const netplist_subject& s) {
    for (int i = 0; i < s.n.operands.count; ++i) {
        if (!s.known(i)) {
            return false;
        }
    }
    return s.n.operands.count > 0;
}

/// A constant operand that becomes an entry of `Constants`, where only depth 1 is known.
constexpr form_fault constant_fault(const netplist_subject& s) {
    const op kind = s.n.kind;
    const bool stored_otherwise =
        is_convolution(kind) || kind == op::matmul || kind == op::pow || gain_or_offset(s) >= 0;
    if (stored_otherwise && !reads_constants_alone(s)) {
        return {};
    }
    for (int i = 0; i < s.n.operands.count; ++i) {
        const netplist_shape shape = netplist_shape_of(s.at(i).shape);
        if (s.known(i) && shape[netplist_axis::depth] != 1 && i != gain_or_offset(s)) {
            return {form_reason::constant_has_depth, shape[netplist_axis::depth], 1};
        }
    }
    return {};
}

/// What keeps an operation that has a form from being written with its shapes and attributes.
constexpr form_fault unit_fault(const netplist_subject& s) {
    const node& n = s.n;
    if (is_binary(n.kind) || is_comparison(n.kind)) {
        const form_fault f = binary_fault(s);
        return !f && n.kind == op::pow ? power_fault(s) : f;
    }
    if (n.kind == op::select) {
        return select_fault(s);
    }
    if (is_reduction(n.kind)) {
        return reduction_fault(s);
    }
    if (is_convolution(n.kind)) {
        if (!s.known(1)) {
            return {form_reason::kernel_is_computed};
        }
        return n.kind == op::conv2d ? form_fault{} : conv_transpose_fault(s);
    }
    if (n.attributes.kind() == attribute_kind::pool) {
        return netplist_pool_fault(s);
    }
    if (n.kind == op::softmax) {
        return inner_axis_fault(n.get<axis>().index, n.shape.rank);
    }
    if (n.kind == op::matmul) {
        return matmul_fault(s);
    }
    if (n.kind == op::reshape) {
        return reshape_fault(s.at(0).shape, n.shape);
    }
    if (n.kind == op::pad) {
        return pad_fault(s);
    }
    const form_fault moved = rearrangement_fault(s);
    return moved ? moved : layer_fault(s);
}

/// Whether a port has the name of a key that every network has.
constexpr bool is_network_key(std::string_view port) {
    for (const std::string_view key : network_keys) {
        if (key == port) {
            return true;
        }
    }
    return false;
}

/// Composed operations that have a unit of their own, where lowering keeps them.
constexpr bool is_whole_layer(op kind) { return is_composed(kind) && find_netplist_form(kind) != nullptr; }

constexpr form_fault netplist_node_fault(const netplist_subject& s) {
    if (s.n.shape.rank > max_rank) {
        return {form_reason::rank_exceeds, s.n.shape.rank, max_rank};
    }
    for (int i = 0; i < s.n.operands.count; ++i) { // a reshape or a reduction reads more axes than it leaves
        if (s.at(i).shape.rank > max_rank) {
            return {form_reason::rank_exceeds, s.at(i).shape.rank, max_rank};
        }
    }
    if (s.n.kind == op::input) {
        if (s.n.type == dtype::boolean) { // bytes that only a cast turns into the 1 and 0 that units read
            return {form_reason::no_unit_changes_the_element_type};
        }
        return is_network_key(s.g.name(s.index)) ? form_fault{form_reason::port_has_a_key_for_a_name} : form_fault{};
    }
    if (s.n.kind == op::cast && s.at(0).type != dtype::boolean) {
        return {form_reason::no_unit_changes_the_element_type};
    }
    if (is_for_lowering(s.n) && !is_whole_layer(s.n.kind)) {
        return {form_reason::is_not_lowered};
    }
    if (find_netplist_form(s.n.kind) == nullptr) {
        return {form_reason::no_netplist_form};
    }
    const form_fault own = unit_fault(s);
    return own ? own : constant_fault(s);
}

/// How many units read each node. An update that replaces everything leaves nothing of its first operand.
constexpr sequence<int> units_that_read(const graph_view& lowered) {
    sequence<int> readers = uses(lowered);
    for (const node& n : lowered.nodes) {
        if (n.kind == op::slice_update && lowered[lowered.operands(n)[1]].shape == n.shape) {
            --readers[static_cast<std::size_t>(lowered.operands(n)[0])];
        }
    }
    return readers;
}

} // namespace forms

/// Why each operation of a lowered graph cannot be written as a netplist. Operations on constants alone are not asked
/// about: they are computed when the graph is compiled.
constexpr sequence<form_fault> netplist_faults(const graph_view& lowered) {
    const sequence<char> known = constant_nodes(lowered);
    const sequence<int> readers = forms::units_that_read(lowered);
    sequence<form_fault> faults(lowered.nodes.size());
    for (int i = 0; i < lowered.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (known[at] == 0) {
            faults[at] = forms::netplist_node_fault({lowered, known, i, lowered[i]});
            if (!faults[at] && lowered[i].kind == op::input && readers[at] == 0) {
                faults[at] = {form_reason::input_is_not_read};
            }
        }
    }
    const input_names inputs(lowered);
    for (const output_port& port : lowered.outputs) {
        form_fault& fault = faults[static_cast<std::size_t>(port.node)];
        if (!fault && (forms::is_network_key(lowered.name(port)) || inputs.find(lowered.name(port)) >= 0)) {
            fault = {form_reason::port_has_a_key_for_a_name};
        }
    }
    return faults;
}

} // namespace ane
