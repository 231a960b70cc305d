#pragma once

#include "../base/way.hpp"
#include "mil_scope.hpp"
#include "mil_syntax.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// Which element types of a program are kept beside the graph, for the verdict (type_uses.hpp). Only bodies include this
/// header.
namespace ane::readers::inline ANEMONE_WAY {

/// Operations that carry any type from one place to another, or have types of their own.
inline constexpr std::string_view carriers[] = {"quantize",
                                                "dequantize",
                                                "identity",
                                                "read_state",
                                                "write_state",
                                                "coreml_update_state",
                                                "tensor_buffer_to_tensor",
                                                "tensor_to_tensor_buffer",
                                                "reshape",
                                                "reshape_like",
                                                "transpose",
                                                "squeeze",
                                                "expand_dims",
                                                "flatten2d",
                                                "slice_by_index",
                                                "slice_by_size",
                                                "slice_update",
                                                "crop",
                                                "concat",
                                                "stack",
                                                "split",
                                                "tile",
                                                "reverse",
                                                "pad",
                                                "pixel_shuffle",
                                                "pixel_unshuffle",
                                                "depth_to_space",
                                                "space_to_depth",
                                                "space_to_batch",
                                                "batch_to_space",
                                                "gather",
                                                "gather_along_axis",
                                                "gather_nd",
                                                "shape",
                                                "fill",
                                                "fill_like",
                                                "one_hot",
                                                "logical_and",
                                                "logical_or",
                                                "logical_xor",
                                                "logical_not",
                                                "range_1d",
                                                "cast"};
/// Those that give indices beside or instead of what they read.
inline constexpr std::string_view givers_of_indices[] = {"topk", "argsort", "reduce_argmax", "reduce_argmin"};
inline constexpr std::string_view comparisons[] = {"equal",         "not_equal", "greater",
                                                   "greater_equal", "less",      "less_equal"};
/// Whose constant operands have the type of the other one.
inline constexpr std::string_view pairings[] = {"add",     "sub",     "mul", "real_div", "floor_div",
                                                "maximum", "minimum", "pow", "mod"};
inline constexpr std::string_view weight_readers[] = {"conv", "conv_transpose", "linear", "matmul"};

template <std::size_t N> constexpr bool is_one_of(std::string_view name, const std::string_view (&all)[N]) {
    return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

/// The types that a statement reads: of values that are computed on the device, and of constants.
struct operand_types {
    std::vector<element_type> computed;
    std::vector<element_type> constants; ///< of what is data, not a parameter
};

ANEMONE_INLINE operand_types types_read_by(mil_scope& scope, const mil_statement& s) {
    // The boolean of a select and parameters such as axes have types of their own.
    constexpr std::string_view data[] = {"x", "y", "weight", "bias"};
    operand_types found;
    const auto add = [&](const mil_expression& e, bool is_data) {
        if (e.form == expression_form::name) {
            const mil_value* const v = scope.find(e.name);
            if (v != nullptr && v->form == value_form::tensor) {
                found.computed.push_back(v->element);
            } else if (v != nullptr && v->form == value_form::known && is_data && !v->bare) {
                found.constants.push_back(v->element);
            }
        } else if (e.form == expression_form::typed && is_data && e.type.form == type_form::tensor) {
            found.constants.push_back(e.type.element);
        }
    };
    for (const mil_argument& a : s.arguments) {
        if (s.operation == "select" && a.name == "cond") {
            continue;
        }
        if (a.value.form == expression_form::list) {
            for (const mil_expression& item : a.value.items) {
                add(item, is_one_of(a.name, data));
            }
        } else {
            add(a.value, is_one_of(a.name, data));
        }
    }
    return found;
}

/// The types of a statement that are not fp16: what it computes with, what it gives, and what it casts.
ANEMONE_INLINE void note_types(mil_scope& scope, const mil_statement& s, const std::string& what,
                               const std::vector<mil_value>& values) {
    const bool computes =
        std::any_of(values.begin(), values.end(), [](const mil_value& v) { return v.form == value_form::tensor; });
    if (!computes) {
        return;
    }
    std::vector<std::pair<type_use, element_type>> told; // once a statement
    const auto note = [&](type_use use, element_type e) {
        if (e != element_type::f16 && std::find(told.begin(), told.end(), std::pair(use, e)) == told.end()) {
            told.emplace_back(use, e);
            scope.type(s.at, what, use, e);
        }
    };
    const operand_types read = types_read_by(scope, s);
    for (const mil_result& r : s.results) {
        if (r.type.form == type_form::tensor) {
            note(type_use::value, r.type.element);
        }
    }
    if (s.operation == "cast") {
        // The indices of a top-k are int32 by default, and are cast where they are read (docs/conflicts.md, OC7).
        const bool of_indices =
            !s.arguments.empty() && std::any_of(s.arguments.begin(), s.arguments.end(), [&](auto& a) {
                const mil_value* const v = a.value.form == expression_form::name ? scope.find(a.value.name) : nullptr;
                return v != nullptr && v->are_indices;
            });
        if (!scope.converts_ports && !of_indices) {
            for (const element_type e : read.computed) {
                note(type_use::cast, e);
            }
        }
        if (!scope.converts_ports && !s.results.empty()) {
            note(type_use::cast, s.results[0].type.element);
        }
        return;
    }
    if (is_one_of(s.operation, carriers)) {
        return;
    }
    for (const element_type e : read.computed) {
        note(type_use::arithmetic, e);
    }
    const bool on_halves = !read.computed.empty() && std::all_of(read.computed.begin(), read.computed.end(),
                                                                 [](element_type e) { return e == element_type::f16; });
    if (!on_halves) {
        return;
    }
    const bool pairs = is_one_of(s.operation, pairings) || is_one_of(s.operation, comparisons);
    for (const element_type e : read.constants) {
        if (pairs) {
            note(type_use::beside_fp16, e);
        } else if (is_one_of(s.operation, weight_readers)) {
            note(type_use::weight, e);
        }
    }
    if (!is_one_of(s.operation, givers_of_indices)) {
        for (const mil_result& r : s.results) {
            note(type_use::result, r.type.element);
        }
    }
}

/// The type of a port of MIL text. Core ML hands over those of packages itself.
ANEMONE_INLINE void note_port(mil_scope& scope, std::string_view name, element_type e, text_place at) {
    if (e != element_type::f16) {
        scope.type(at, std::string(name), type_use::port, e);
    }
}

} // namespace ane::readers::inline ANEMONE_WAY
