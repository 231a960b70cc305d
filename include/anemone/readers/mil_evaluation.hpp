#pragma once

#include "mil_scope.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

/// What the expressions of arguments are: numbers with their types, strings, lists, entries of blobs. A name stays one, as a value
/// of form `absent`, until somebody asks for what it names.
class mil_evaluation {
public:
    explicit mil_evaluation(mil_scope& scope) : scope_(scope) {}

    /// The value of an expression. Throws `refused_statement` with the argument's name.
    ANEMONE_INLINE mil_value of(const mil_expression& e, std::string_view argument_name) const {
        mil_value v;
        switch (e.form) {
        case expression_form::name:
            v.form = value_form::absent;
            v.text = e.name;
            return v;
        case expression_form::text:
            v.form = value_form::text;
            v.text = e.text;
            return v;
        case expression_form::numbers: {
            const bool list = e.numbers.size() != 1;
            mil_value numbers = typed(list_type(e, list), e, argument_name);
            numbers.bare = true;
            return numbers;
        }
        case expression_form::typed: return typed(e.type, e.items[0], argument_name);
        case expression_form::list:
            v.form = value_form::list;
            for (const mil_expression& item : e.items) {
                v.items.push_back(of(item, argument_name));
            }
            return v;
        case expression_form::blob: refuse(formatted("the argument {} is a blob without a type", argument_name));
        case expression_form::dictionary: v.form = value_form::absent; return v;
        }
        return v;
    }

private:
    void refuse [[noreturn]] (std::string reason) const { throw refused_statement{std::move(reason)}; }

    /// Bare numbers: whole ones are integers.
    ANEMONE_INLINE static mil_type list_type(const mil_expression& e, bool list) {
        mil_type t;
        const bool whole = std::all_of(e.numbers.begin(), e.numbers.end(),
                                       [](double x) { return x == std::floor(x) && std::abs(x) < 2147483648.0; });
        t.element = whole ? element_type::int32 : element_type::f32;
        if (list) {
            t.shape.append(static_cast<std::int64_t>(e.numbers.size()));
        }
        return t;
    }
    ANEMONE_INLINE mil_value typed(const mil_type& type, const mil_expression& e,
                                   std::string_view argument_name) const {
        mil_value v;
        if (type.form == type_form::other) {
            v.form = value_form::list;
            return v;
        }
        v.element = type.element;
        if (!type.unknown.empty()) {
            refuse(formatted("a constant has the unknown dimension {}", type.unknown));
        }
        if (type.element == element_type::text) {
            const mil_expression& inner = e.form == expression_form::typed ? e.items[0] : e;
            v.form = inner.form == expression_form::text ? value_form::text : value_form::list;
            v.text = inner.text;
            return v;
        }
        if (e.form == expression_form::blob) {
            v.form = value_form::known;
            v.constant = scope_.blobs.entry(e.text, e.numbers[0], type.element, type.shape);
            v.blob = e.text;
            v.blob_offset = e.numbers[0];
            return v;
        }
        std::vector<double> numbers = e.form == expression_form::numbers ? e.numbers : numbers_of(e, argument_name);
        const std::int64_t count = element_count(type.shape);
        if (count != static_cast<std::int64_t>(numbers.size())) {
            refuse(formatted("a constant {} has {} values", print(type.shape), numbers.size()));
        }
        v.form = value_form::known;
        v.constant = folding::known(type.element, type.shape, numbers);
        return v;
    }
    /// A list of typed numbers, or a typed number inside a type: [fp16(1), fp16(2)].
    ANEMONE_INLINE std::vector<double> numbers_of(const mil_expression& e, std::string_view argument_name) const {
        std::vector<double> numbers;
        const auto& items = e.form == expression_form::list || e.form == expression_form::typed
                                ? e.items
                                : std::vector<mil_expression>();
        if (items.empty()) {
            refuse(formatted("the argument {} has a type of numbers, and other values", argument_name));
        }
        for (const mil_expression& item : items) {
            const std::vector<double> more =
                item.form == expression_form::numbers ? item.numbers : numbers_of(item, argument_name);
            numbers.insert(numbers.end(), more.begin(), more.end());
        }
        return numbers;
    }

    mil_scope& scope_;
};

} // namespace ane::readers::inline ANEMONE_WAY
