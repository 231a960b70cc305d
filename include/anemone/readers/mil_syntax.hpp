#pragma once

#include "../values/element_type.hpp"
#include "../values/shape.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What MIL text says, before it means anything. Views point into the text.
namespace ane::readers {

/// From 1 on.
struct text_place {
    int line = 1;
    int column = 1;
};

enum class type_form : std::uint8_t { tensor, state, other };

/// `fp16`, `tensor<fp16, [1, 4]>`, `state<tensor<...>>`, `tensor_buffer<...>`; of lists and dictionaries only the text.
struct mil_type {
    type_form form = type_form::tensor;
    element_type element = element_type::f16;
    extents shape;
    std::string_view unknown;   ///< the first dimension that is no number: `?` or a symbol
    std::uint32_t unknowns = 0; ///< a bit for each such axis
    std::string_view written;   ///< as it stands in the text
    bool is_buffer = false;     ///< a tensor_buffer, which may say its layout:
    extents strides;            ///< in elements; rank 0: not said
    extents interleave;         ///< the factor of each axis

    bool is_unknown(int axis) const { return (unknowns >> static_cast<unsigned>(axis) & 1U) != 0; }
};

struct mil_argument;

enum class expression_form : std::uint8_t {
    name,       ///< a variable
    text,       ///< a string
    numbers,    ///< numbers and truth values, nested lists of them flattened
    list,       ///< anything else between brackets
    typed,      ///< a type and one expression: tensor<int32, [2]>([1, 1])
    blob,       ///< BLOBFILE(path = ..., offset = ...)
    dictionary, ///< skipped: nothing that computes has one
};

struct mil_expression {
    expression_form form = expression_form::numbers;
    text_place at;
    std::string_view name;
    std::string text; ///< a string, or a blob's path
    mil_type type;
    std::vector<double> numbers; ///< of a blob its offset
    std::vector<mil_expression> items;
};

struct mil_argument {
    std::string_view name;
    text_place at;
    mil_expression value;
    std::string_view written = {}; ///< the value as it stands in the text
};

struct mil_result {
    mil_type type;
    std::string_view name;
    text_place at;
};

/// `results = operation(arguments)[attributes];`
struct mil_statement {
    text_place at;
    std::vector<mil_result> results;
    std::string_view operation;
    std::vector<mil_argument> arguments;
    std::vector<mil_argument> attributes;
    bool has_bracketed_results = false;
    bool has_blocks = false; ///< bodies of a branch or a loop followed, and were skipped
};

struct mil_port {
    mil_type type;
    std::string_view name;
    text_place at;
};

} // namespace ane::readers
