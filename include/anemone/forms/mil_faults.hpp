#pragma once

#include "../graph/attributes.hpp"
#include "../graph/constants.hpp"
#include "../graph/op_facet.hpp"
#include "../values/half.hpp"
#include "for_lowering.hpp"
#include "form_fault.hpp"
#include "mil_resize.hpp"
#include "mil_vocabulary.hpp"

#include <cstdint>

/// What cannot be written as MIL text.
namespace ane {

namespace forms {

struct is_any_unwritable {
    static constexpr bool is_one(const float& number) { return !is_finite(half(number)); }
    static constexpr bool is_one(const auto&) { return false; }
    constexpr bool operator()(const auto&... each) const { return (is_one(each) || ...); }
};

/// Whether a number among the attributes, which becomes a literal of fp16, is infinite or not a number there.
constexpr bool has_unwritable_number(const attributes& values) {
    return values.visit_members<bool>(is_any_unwritable{});
}

/// Whether a constant of the graph holds a value that is infinite or not a number as fp16.
constexpr bool is_unwritable_constant(const graph_view& g, const node& n) {
    if (n.kind == op::constant && !ane::detail::all_lie_in(g.values(n), -65504.0F, 65504.0F)) {
        for (const float value : g.values(n)) {
            if (!is_finite(half(value))) {
                return true;
            }
        }
    }
    return false;
}

/// An operation of a graph, with what is known when the graph is compiled.
struct mil_subject {
    const graph_view& g;
    const sequence<char>& constant;
    int index;
    const node& n;

    constexpr const extents& shape(int position) const { return g.operand(n, position).shape; }
    constexpr bool known(int position) const {
        return constant[static_cast<std::size_t>(g.operands(index)[static_cast<std::size_t>(position)])] != 0;
    }
};

constexpr form_fault number_fault(const node& n) {
    return has_unwritable_number(n.attributes)
               ? form_fault{form_reason::number_is_not_finite, 0, static_cast<std::int64_t>(half_max)}
               : form_fault{};
}

/// The form takes constants for all operands but the first.
constexpr form_fault parameter_fault(const mil_subject& s) {
    for (int i = 1; i < s.n.operands.count; ++i) {
        if (!s.known(i)) {
            return {form_reason::parameter_is_computed, i};
        }
    }
    return {};
}

constexpr form_fault rank_fault(int rank, int least, int most) {
    return rank < least  ? form_fault{form_reason::rank_is_below, rank, least}
           : rank > most ? form_fault{form_reason::rank_exceeds, rank, most}
                         : form_fault{};
}

/// The list of a pad has the last four axes at most; that of one that mirrors or repeats, height and width.
constexpr form_fault pad_fault_in_mil(const node& n) {
    const pads& amounts = n.get<pads>();
    const bool mirrors = n.kind != op::pad;
    const int first = amounts.before.rank - (mirrors ? 2 : 4);
    for (int i = 0; i < first; ++i) {
        const std::int64_t amount = amounts.before[i] + amounts.after[i];
        if (amount > 0) {
            return mirrors ? form_fault{form_reason::pads_an_outer_axis, amount}
                           : form_fault{form_reason::pad_of_the_first_of_five, amount, 4};
        }
    }
    return {};
}

constexpr form_fault border_fault_in_mil(const mil_subject& s) {
    const form_fault f = rank_fault(s.n.shape.rank, 2, 5);
    return f ? f : pad_fault_in_mil(s.n);
}
constexpr form_fault image_norm_fault(const mil_subject& s) {
    const form_fault f = rank_fault(s.n.shape.rank, 4, 4);
    return f ? f : number_fault(s.n);
}

/// Blocks of pixels: into channels by one factor, into the batch of a single image.
constexpr form_fault block_fault(const mil_subject& s) {
    const size2 by = s.n.get<factors>().by;
    if (s.n.kind == op::space_to_batch || s.n.kind == op::batch_to_space) {
        const std::int64_t images = s.n.kind == op::space_to_batch ? s.shape(0)[0] : s.n.shape[0];
        return images != 1 ? form_fault{form_reason::order_of_blocks_in_a_batch, images, 1} : form_fault{};
    }
    return by.height != by.width ? form_fault{form_reason::factors_differ, by.height, by.width} : form_fault{};
}

constexpr form_fault sampling_fault(const mil_subject& s) {
    const sampling& how = s.n.get<sampling>();
    const bool written = s.n.kind == op::resize
                             ? mil_resize_of(how, s.shape(0)) != mil_resize::none
                             : how.method == sampling_method::bilinear && how.border == sampling_border::zero &&
                                   how.grid != sampling_grid::asymmetric;
    return written ? form_fault{} : form_fault{form_reason::sampling_has_no_form};
}

/// The form has the scale 1 / sqrt(D) built in; other scales differ from it as fp16 numbers.
constexpr form_fault attention_fault(const mil_subject& s) {
    const std::int64_t depth = s.shape(0).width();
    const auto scale = static_cast<double>(s.n.get<score_scaling>().scale);
    const double off = scale * scale * static_cast<double>(depth) - 1;
    const bool built_in = scale > 0 && off < 0x1p-10 && off > -0x1p-10;
    return built_in ? rank_fault(s.n.shape.rank, 3, 5) : form_fault{form_reason::scale_is_not_of_the_depth, depth};
}

/// Zero points are integers of the quantized type. (Those of weights are looked at when they are known.)
constexpr form_fault zero_point_fault(const mil_subject& s) {
    const dtype type = s.n.get<quantization>().type;
    const node* const zero = s.n.operands.count == 3 ? &s.g.operand(s.n, 2) : nullptr;
    if (zero != nullptr && zero->kind == op::constant) {
        const int low = type == dtype::uint8 ? 0 : -128;
        for (const float value : s.g.values(*zero)) {
            const bool inside = value >= static_cast<float>(low) && value <= static_cast<float>(low + 255);
            if (!inside || static_cast<float>(static_cast<int>(value)) != value) {
                return {form_reason::zero_point_is_no_integer, low, low + 255};
            }
        }
    }
    return {};
}

using mil_fault_finder = form_fault (*)(const mil_subject&);
/// What else keeps the operations with a row from being written than a number that is not finite, which keeps all others.
inline constexpr op_facet<mil_fault_finder> mil_fault_finders(
    {{op::reflect_pad, border_fault_in_mil},
     {op::replicate_pad, border_fault_in_mil},
     {op::pad, [](const mil_subject& s) { return pad_fault_in_mil(s.n); }},
     {op::pixel_shuffle, block_fault},
     {op::pixel_unshuffle, block_fault},
     {op::depth_to_space, block_fault},
     {op::space_to_depth, block_fault},
     {op::space_to_batch, block_fault},
     {op::batch_to_space, block_fault},
     {op::resize, sampling_fault},
     {op::affine, sampling_fault},
     {op::quantize, zero_point_fault},
     {op::dequantize, zero_point_fault},
     {op::attention, attention_fault},
     {op::reshape,
      [](const mil_subject& s) {
          return s.n.type != dtype::f16 ? form_fault{form_reason::moves_no_halves} : form_fault{};
      }},
     {op::local_response_norm, image_norm_fault},
     {op::instance_norm, image_norm_fault}},
    [](const mil_subject& s) { return number_fault(s.n); });

/// The operations whose form takes constants for all operands but the first.
inline constexpr op_set with_constant_parameters{
    op::prelu,      op::parametric_softplus, op::pad,        op::affine,    op::quantize,
    op::dequantize, op::instance_norm,       op::batch_norm, op::layer_norm};

/// What keeps an operation that has a form from being written with its operands and attributes.
constexpr form_fault mil_detail_fault(const mil_subject& s) {
    if (with_constant_parameters.contains(s.n.kind)) {
        if (const form_fault f = parameter_fault(s)) {
            return f;
        }
    }
    return mil_fault_finders[s.n.kind](s);
}

} // namespace forms

/// Why operation `index` of a graph cannot be written as MIL text as it is; `known` is constant_nodes(g).
constexpr form_fault mil_fault(const graph_view& g, int index, const sequence<char>& known) {
    const node& n = g[index];
    if (n.kind == op::weight || n.kind == op::constant || n.kind == op::compressed) {
        return {};
    }
    if (n.shape.rank == 0) {
        return {form_reason::rank_is_zero};
    }
    if (n.kind == op::input) {
        return {};
    }
    const bool has_form = find_mil_form(n.kind) != nullptr;
    if (forms::is_for_lowering(n) && (!has_form || !is_composed(n.kind))) {
        return {form_reason::is_not_lowered};
    }
    if (!has_form) {
        return {form_reason::no_mil_form};
    }
    for (const int operand : g.operands(index)) {
        if (forms::is_unwritable_constant(g, g[operand])) {
            return {form_reason::number_is_not_finite, 0, static_cast<std::int64_t>(half_max)};
        }
    }
    return forms::mil_detail_fault({g, known, index, n});
}

/// The same for each operation of a graph that is not known when the graph is compiled.
constexpr sequence<form_fault> mil_faults(const graph_view& g, const sequence<char>& known) {
    sequence<form_fault> faults(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        if (known[static_cast<std::size_t>(i)] == 0) {
            faults[static_cast<std::size_t>(i)] = mil_fault(g, i, known);
        }
    }
    return faults;
}
/// The same for each operation of a graph. Operations on constants alone are not asked about: they are computed when the
/// graph is compiled.
constexpr sequence<form_fault> mil_faults(const graph_view& g) { return mil_faults(g, constant_nodes(g)); }

} // namespace ane
