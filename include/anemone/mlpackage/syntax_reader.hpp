#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../io/unicode.hpp"
#include "../readers/mil_parser.hpp"
#include "../readers/mil_syntax.hpp"
#include "messages.hpp"
#include "schema_numbers.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Messages as the statements that MIL text would have. Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

using readers::expression_form;
using readers::mil_expression;
using readers::mil_port;
using readers::mil_result;
using readers::mil_statement;
using readers::mil_type;
using readers::refused_statement;
using readers::text_place;
using readers::type_form;

inline constexpr std::size_t longest_name = 1000;
inline constexpr std::size_t most_numbers = readers::mil_parser::most_numbers; ///< of a constant, as in text

/// A text of a message, short and without what a terminal would act on.
ANEMONE_INLINE std::string shown(std::string_view text) { return ane::detail::printable(text.substr(0, 80)); }

/// A name that can stand in a sentence. Throws `refused_statement`.
ANEMONE_INLINE std::string_view readable(std::string_view called) {
    if (called.empty() || called.size() > longest_name) {
        throw refused_statement{
            formatted("has a name of {} bytes, the limits are 1 and {}", called.size(), longest_name)};
    }
    for (std::string_view left = called; !left.empty();) {
        const ane::detail::code_point c = ane::detail::next_code_point(left);
        if (!c.well_formed || ane::detail::is_control(c.value)) {
            throw refused_statement{
                formatted("has the name \"{}\", which is no UTF-8 or has control characters", shown(called))};
        }
        left.remove_prefix(c.size);
    }
    return called;
}

ANEMONE_INLINE void append_dimension(mil_type& t, const dimension& d) {
    if (t.shape.rank == extents::capacity) {
        throw refused_statement{formatted("has a tensor of more than {} dimensions", extents::capacity)};
    }
    const std::uint64_t size = d.constant ? d.constant->size : 1;
    if (size > std::uint64_t{1} << 40U) {
        throw refused_statement{formatted("has a dimension of {} elements", size)};
    }
    if (!d.constant) {
        t.unknown = "?";
        t.unknowns |= 1U << static_cast<unsigned>(t.shape.rank);
    }
    t.shape.append(static_cast<std::int64_t>(size));
}

/// Throws `refused_statement`.
ANEMONE_INLINE mil_type type_of(const value_type& message) {
    mil_type t;
    if (message.state) {
        t = type_of(message.state->wrapped);
        t.form = t.form == type_form::tensor ? type_form::state : type_form::other;
        t.written = "state";
        return t;
    }
    if (!message.tensor) {
        t.form = type_form::other;
        t.written = message.list.present         ? "list"
                    : message.tuple.present      ? "tuple"
                    : message.dictionary.present ? "dictionary"
                                                 : "none that is known";
        return t;
    }
    const tensor_type& tensor = *message.tensor;
    t.element = find_element(&element_facts::core_ml, tensor.data_type);
    if (t.element == element_type::undefined) {
        throw refused_statement{
            formatted("has elements of the type {}, which is none that is known", tensor.data_type)};
    }
    for (const dimension& d : tensor.dimensions) {
        append_dimension(t, d);
    }
    if (tensor.rank < 0) {
        t.unknown = "?";
    } else if (tensor.rank != t.shape.rank) {
        throw refused_statement{formatted("has rank {} and {} dimensions", tensor.rank, t.shape.rank)};
    }
    t.written = mil_name(t.element);
    return t;
}

/// Elements of a type as numbers, out of the list that has them.
ANEMONE_INLINE std::vector<double> element_values(const tensor_value& v, const mil_type& type) {
    const auto require_few = [](std::size_t count) {
        if (count > most_numbers) {
            throw refused_statement{
                formatted("has a constant of {} numbers that is not in a blob, the limit is {}", count, most_numbers)};
        }
    };
    const auto all = [&](const auto& list) {
        require_few(list.values.size());
        return std::vector<double>(list.values.begin(), list.values.end());
    };
    if (v.floats) {
        return all(*v.floats);
    }
    if (v.ints || v.bools || v.long_ints) {
        return all(v.ints ? *v.ints : v.bools ? *v.bools : *v.long_ints);
    }
    if (v.doubles) {
        return all(*v.doubles);
    }
    const std::int64_t count = readers::element_count(type.shape);
    const std::string_view bytes = v.bytes ? v.bytes->values : std::string_view();
    const std::int64_t needed = count < 0 ? -1 : weight_formats::packed_bytes(count, facts_of(type.element).bits);
    if (needed != static_cast<std::int64_t>(bytes.size())) {
        throw refused_statement{formatted("has a constant {} of {} with {} bytes", print(type.shape),
                                          mil_name(type.element), bytes.size())};
    }
    require_few(static_cast<std::size_t>(count));
    folding::known_tensor packed;
    packed.type = type.element;
    packed.shape = type.shape;
    packed.bytes = std::as_bytes(std::span(bytes));
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(packed.at(i));
    }
    return numbers;
}

ANEMONE_INLINE mil_expression text_expression(std::string_view text, text_place at) {
    mil_expression e;
    e.form = expression_form::text;
    e.at = at;
    e.text = ane::detail::printable(text.substr(0, longest_name));
    return e;
}

ANEMONE_INLINE mil_expression expression_of(const tensor_value& v, const mil_type& type, text_place at) {
    mil_expression e;
    e.at = at;
    if (type.element != element_type::text) {
        e.form = expression_form::numbers;
        e.numbers = element_values(v, type);
    } else if (v.strings && v.strings->values.size() == 1) {
        e = text_expression(v.strings->values[0], at);
    } else {
        e.form = expression_form::list;
        for (const std::string_view each : v.strings ? v.strings->values : std::vector<std::string_view>()) {
            e.items.push_back(text_expression(each, at));
        }
    }
    return e;
}

ANEMONE_INLINE mil_expression expression_of(const value& v, text_place at) {
    mil_expression e;
    e.at = at;
    const bool nothing = !v.immediate && !v.blob;
    if (nothing || (v.immediate && !v.immediate->tensor)) { // lists and dictionaries: nothing that computes has one
        e.form = expression_form::dictionary;
        return e;
    }
    e.form = expression_form::typed;
    e.type = type_of(v.type);
    mil_expression& inner = e.items.emplace_back();
    if (v.immediate) {
        inner = expression_of(*v.immediate->tensor, e.type, at);
        return e;
    }
    inner.at = at;
    inner.form = expression_form::blob;
    inner.text = readable(v.blob->file);
    inner.numbers.push_back(static_cast<double>(v.blob->offset));
    return e;
}

ANEMONE_INLINE mil_expression expression_of(const binding& b, text_place at) {
    if (b.given) {
        return expression_of(*b.given, at);
    }
    mil_expression e;
    e.form = expression_form::name;
    e.at = at;
    e.name = readable(b.variable ? *b.variable : std::string_view());
    return e;
}

/// Throws `refused_statement`.
ANEMONE_INLINE mil_statement statement_of(const operation& o, text_place at) {
    mil_statement s;
    s.at = at;
    s.operation = readable(o.type);
    s.has_blocks = o.blocks.present;
    for (const named_value_type& each : o.outputs) {
        s.results.push_back({type_of(each.type), readable(each.called), at});
    }
    for (const map_entry<argument>& each : o.inputs) {
        const std::vector<binding>& bindings = each.value.bindings;
        readers::mil_argument a{readable(each.key), at, {}};
        if (bindings.size() == 1) {
            a.value = expression_of(bindings[0], at);
        } else {
            a.value.form = expression_form::list;
            a.value.at = at;
            for (const binding& b : bindings) {
                a.value.items.push_back(expression_of(b, at));
            }
        }
        s.arguments.push_back(std::move(a));
    }
    for (const map_entry<value>& each : o.attributes) {
        s.attributes.push_back({readable(each.key), at, expression_of(each.value, at)});
    }
    return s;
}

ANEMONE_INLINE std::vector<mil_port> ports_of(const std::vector<named_value_type>& inputs) {
    std::vector<mil_port> ports;
    ports.reserve(inputs.size());
    for (const named_value_type& each : inputs) {
        ports.push_back({type_of(each.type), readable(each.called), {0, 0}});
    }
    return ports;
}

} // namespace ane::mlpackage::inline ANEMONE_WAY
