#pragma once

#include "../base/text.hpp"
#include "../values/shape.hpp"
#include "graph.hpp"

#include <cstddef>
#include <cstdint>

namespace ane {

/// What `graph` refuses, as compilers print it: the rule, the name, the line, what there is to compare, and
/// the file. Not a literal type: the constant that would hold it is the error, so both compilers name this type and the
/// constant's line first, and g++ does not print the whole function.
template <model_rule Why, class... Details> class refused_model {
public:
    refused_model();
    operator graph_view() const; // NOLINT(google-explicit-constructor): what takes a model says nothing of this one
};
template <class T> inline constexpr bool is_refused_model = false;
template <model_rule Why, class... Details>
inline constexpr bool is_refused_model<refused_model<Why, Details...>> = true;
template <model_rule Why, class... Details>
inline constexpr bool is_refused_model<const refused_model<Why, Details...>&> = true;

/// Details of a `refused_model`.
template <int> struct in_line {};
template <class Name> struct in_file {};
template <class Text> struct write_instead {};
template <std::int64_t> struct found_value {};
template <std::int64_t> struct wanted_value {};
template <class Shape> struct asked_for {};
template <class Shape> struct known_as {};

namespace detail {

/// A string as a constant, truncated if it is too long to print.
struct short_text {
    static constexpr std::size_t capacity = 64;
    char characters[capacity]{};
    std::size_t size = 0;

    constexpr short_text() = default;
    constexpr explicit short_text(std::string_view text) : size(text.size() < capacity ? text.size() : capacity) {
        for (std::size_t i = 0; i < size; ++i) {
            characters[i] = text.data()[i];
        }
    }
};

} // namespace detail

} // namespace ane
