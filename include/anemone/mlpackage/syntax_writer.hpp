#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../folding/known_tensor.hpp"
#include "../passes/print.hpp"
#include "../readers/mil_lexer.hpp"
#include "../readers/mil_syntax.hpp"
#include "messages.hpp"
#include "schema_numbers.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What MIL text says as messages. Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

using readers::expression_form;
using readers::mil_expression;
using readers::mil_type;
using readers::syntax_fault;
using readers::type_form;

/// Where our MIL text has its weights, and where a package has them.
inline constexpr std::string_view blob_in_text = "@model_path/weights.bin";
inline constexpr std::string_view blob_in_package = "@model_path/weights/weight.bin";

/// Texts and bytes that messages point to while they are written.
using text_pool = std::deque<std::string>;

/// Throws `syntax_fault` for what a message cannot say.
ANEMONE_INLINE value_type message_of(const mil_type& type, readers::text_place at) {
    if (type.form == type_form::other || !type.unknown.empty()) {
        throw syntax_fault{at, formatted("{} is no type of a tensor with known extents", type.written.substr(0, 80))};
    }
    value_type message;
    tensor_type& tensor = message.tensor.emplace();
    tensor.data_type = facts_of(type.element).core_ml;
    tensor.rank = type.shape.rank;
    for (int i = 0; i < type.shape.rank; ++i) {
        tensor.dimensions.emplace_back().constant.emplace().size = static_cast<std::uint64_t>(type.shape[i]);
    }
    if (type.form == type_form::state) {
        value_type state;
        state.state = std::make_unique<state_type>();
        state.state->wrapped = std::move(message);
        return state;
    }
    return message;
}

/// The numbers of an expression, however they are nested.
ANEMONE_INLINE void append_numbers(const mil_expression& e, std::vector<double>& numbers) {
    numbers.insert(numbers.end(), e.numbers.begin(), e.numbers.end());
    for (const mil_expression& item : e.items) {
        append_numbers(item, numbers);
    }
}

/// Elements in the list that the schema has for their type, or as bytes.
ANEMONE_INLINE tensor_value elements(element_type type, const std::vector<double>& numbers, text_pool& pool) {
    const auto integers = [&] { return std::vector<std::int64_t>(numbers.begin(), numbers.end()); };
    tensor_value v;
    switch (type) {
    case element_type::f32: v.floats.emplace().values.assign(numbers.begin(), numbers.end()); break;
    case element_type::f64: v.doubles.emplace().values = numbers; break;
    case element_type::int32: v.ints.emplace().values = integers(); break;
    case element_type::int64:
    case element_type::uint64: v.long_ints.emplace().values = integers(); break;
    case element_type::boolean: v.bools.emplace().values = integers(); break;
    default: {
        const std::vector<std::byte> packed = weight_formats::pack_elements(type, std::span<const double>(numbers));
        v.bytes.emplace().values = pool.emplace_back(reinterpret_cast<const char*>(packed.data()), packed.size());
    }
    }
    return v;
}

/// A constant that stands in the text, or a reference to the blob.
ANEMONE_INLINE value message_of(const mil_expression& e, text_pool& pool) {
    if (e.form == expression_form::text) {
        mil_expression typed;
        typed.form = expression_form::typed;
        typed.at = e.at;
        typed.type.element = element_type::text;
        typed.items.push_back(e);
        return message_of(typed, pool);
    }
    if (e.form != expression_form::typed) {
        throw syntax_fault{e.at, "a value without a type cannot stand in a package"};
    }
    value v;
    v.type = message_of(e.type, e.at);
    const mil_expression& inner = e.items.at(0);
    if (inner.form == expression_form::blob) {
        if (inner.text != blob_in_text) {
            throw syntax_fault{e.at, formatted("the weights are expected in {}", blob_in_text)};
        }
        v.blob.emplace().file = blob_in_package;
        v.blob->offset = static_cast<std::uint64_t>(inner.numbers.at(0));
        return v;
    }
    tensor_value& tensor = v.immediate.emplace().tensor.emplace();
    std::size_t count = 0;
    if (e.type.element == element_type::text) {
        std::vector<std::string_view>& strings = tensor.strings.emplace().values;
        const auto keep = [&](const mil_expression& each) { strings.push_back(pool.emplace_back(each.text)); };
        if (inner.form == expression_form::text) {
            keep(inner);
        }
        for (const mil_expression& item : inner.items) {
            keep(item);
        }
        count = strings.size();
    } else {
        std::vector<double> numbers;
        append_numbers(inner, numbers);
        for (const double number : numbers) {
            try {
                folding::require_element(e.type.element, number);
            } catch (const folding::refused& refused) {
                throw syntax_fault{e.at, refused.reason};
            }
        }
        tensor = elements(e.type.element, numbers, pool);
        count = numbers.size();
    }
    if (readers::element_count(e.type.shape) != static_cast<std::int64_t>(count)) {
        throw syntax_fault{e.at, formatted("a constant {} has {} values", print(e.type.shape), count)};
    }
    return v;
}

/// What a port is in the model's description. The sources of the numbers know no other types of elements.
ANEMONE_INLINE feature_description feature_of(std::string_view name, const mil_type& type, readers::text_place at) {
    array_feature_type array;
    array.data_type = std::max(facts_of(type.element).core_ml_array, 0);
    if (array.data_type == 0 || type.form == type_form::other) {
        throw syntax_fault{
            at, formatted("the port {} is {}, which no port of Core ML is", name, type.written.substr(0, 80))};
    }
    if (type.form == type_form::state && type.element != element_type::f16) {
        throw syntax_fault{
            at, formatted("the state {} is {}, states of Core ML are fp16", name, type.written.substr(0, 80))};
    }
    if (type.shape.rank == 0) {
        throw syntax_fault{at, formatted("the port {} is a single number, ports of Core ML have an axis", name)};
    }
    array.shape.assign(type.shape.extent, type.shape.extent + type.shape.rank);
    feature_description feature;
    feature.called = name;
    if (type.form == type_form::state) {
        feature.type.state.emplace().array = std::move(array);
    } else {
        feature.type.array = std::move(array);
    }
    return feature;
}

} // namespace ane::mlpackage::inline ANEMONE_WAY
