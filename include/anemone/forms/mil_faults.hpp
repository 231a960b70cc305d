#pragma once

#include "../graph/attributes.hpp"
#include "../passes/constants.hpp"
#include "../values/half.hpp"
#include "for_lowering.hpp"
#include "form_fault.hpp"
#include "mil_vocabulary.hpp"
#include "pool_padding.hpp"

#include <cstdint>

/// What cannot be written as MIL text.
namespace ane {

namespace forms {

/// Whether a number that becomes a literal of fp16 is infinite or not a number there. (Listed by hand: reflection would
/// cost every file that checks a model half a second.)
constexpr bool has_unwritable_number(const attributes& values) {
    const auto any = [](const auto&... numbers) { return (!is_finite(half(numbers)) || ...); };
    switch (values.kind()) {
    case attribute_kind::leakage: return any(values.get<leakage>().alpha);
    case attribute_kind::clip_range: return any(values.get<clip_range>().min, values.get<clip_range>().max);
    case attribute_kind::cutoff: return any(values.get<cutoff>().alpha);
    case attribute_kind::clamped_leakage:
        return any(values.get<clamped_leakage>().alpha, values.get<clamped_leakage>().beta);
    case attribute_kind::saturation: return any(values.get<saturation>().alpha);
    case attribute_kind::clamped_line: return any(values.get<clamped_line>().alpha, values.get<clamped_line>().beta);
    case attribute_kind::tanh_scaling: return any(values.get<tanh_scaling>().alpha, values.get<tanh_scaling>().beta);
    case attribute_kind::stabilizer: return any(values.get<stabilizer>().epsilon);
    case attribute_kind::response:
        return any(values.get<response>().alpha, values.get<response>().beta, values.get<response>().k);
    default: return false;
    }
}

/// Whether a constant of the graph holds a value that is infinite or not a number as fp16.
constexpr bool is_unwritable_constant(const graph_view& g, const node& n) {
    if (n.kind == op::constant) {
        for (const float value : g.values(n)) {
            if (!is_finite(half(value))) {
                return true;
            }
        }
    }
    return false;
}

constexpr form_fault pad_fault_in_mil(const node& n) {
    const pads& amounts = n.get<pads>();
    const bool first_of_five = amounts.before.rank > 4 && amounts.before[0] + amounts.after[0] > 0;
    return first_of_five ? form_fault{form_reason::pad_of_the_first_of_five, amounts.before[0] + amounts.after[0], 4}
                         : form_fault{};
}

constexpr form_fault pool_fault(const graph_view& g, const node& n) {
    const pool& p = n.get<pool>();
    const padding2 written = written_padding(p, g.operand(n, 0).shape, n.shape);
    return counts_added_windows(n.kind, p, written) ? form_fault{form_reason::mean_over_added_windows} : form_fault{};
}

constexpr form_fault number_fault(const node& n) {
    return has_unwritable_number(n.attributes)
               ? form_fault{form_reason::number_is_not_finite, 0, static_cast<std::int64_t>(half_max)}
               : form_fault{};
}

/// What keeps an operation that has a form from being written with its attributes.
constexpr form_fault mil_attribute_fault(const graph_view& g, const node& n) {
    switch (n.attributes.kind()) {
    case attribute_kind::pads: return n.kind == op::pad ? pad_fault_in_mil(n) : form_fault{};
    case attribute_kind::pool: return pool_fault(g, n);
    default: return number_fault(n);
    }
}

} // namespace forms

/// Why operation `index` of a lowered graph cannot be written as MIL text.
constexpr form_fault mil_fault(const graph_view& g, int index) {
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
    if (forms::is_for_lowering(n)) {
        return {form_reason::is_not_lowered};
    }
    if (find_mil_form(n.kind) == nullptr) {
        return {form_reason::no_mil_form};
    }
    for (const int operand : g.operands(index)) {
        if (forms::is_unwritable_constant(g, g[operand])) {
            return {form_reason::number_is_not_finite, 0, static_cast<std::int64_t>(half_max)};
        }
    }
    return forms::mil_attribute_fault(g, n);
}

/// The same for each operation of a lowered graph. Operations on constants alone are not asked about: they are computed
/// when the graph is compiled.
constexpr sequence<form_fault> mil_faults(const graph_view& lowered) {
    const sequence<char> known = constant_nodes(lowered);
    sequence<form_fault> faults(lowered.nodes.size());
    for (int i = 0; i < lowered.size(); ++i) {
        if (known[static_cast<std::size_t>(i)] == 0) {
            faults[static_cast<std::size_t>(i)] = mil_fault(lowered, i);
        }
    }
    return faults;
}

} // namespace ane
