#pragma once

#include <anemone/base/error.hpp>
#include <anemone/graph/attributes.hpp>
#include <anemone/values/shape.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The values of attributes as text: numbers, lists, names. Whatever is malformed is an error.
namespace graph_text {

using namespace ane;

[[noreturn]] inline void refuse(std::string_view what, std::string_view word) {
    throw error(errc::file, "graph text", fmt::format("{}: '{}'", what, word));
}

/// The parts of a text between separators; empty ones are kept, and an empty text has none.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            break;
        }
        text.remove_prefix(end + 1);
        if (text.empty()) {
            parts.push_back(text);
        }
    }
    return parts;
}

template <class Integer> Integer integer(std::string_view word) {
    Integer value{};
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc() || end != word.data() + word.size()) {
        refuse("is not an integer in range", word);
    }
    return value;
}

/// A finite number, decimal or hexadecimal ("0x1.8p-3"), that a float holds.
inline double number(std::string_view word) {
    const std::string text(word);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || end != text.c_str() + text.size() ||
        !(std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
        refuse("is no number in the range of float", word);
    }
    return value;
}

inline extents list(std::string_view text) {
    extents result;
    for (const std::string_view word : split(text, ',')) {
        if (result.rank == extents::capacity) {
            refuse("has more than eight entries", text);
        }
        result.append(integer<std::int64_t>(word));
    }
    return result;
}

/// The enumerator up to `last` that has this name; a blank in a name is written as an underscore.
template <class Enumeration> Enumeration enumerator(std::string_view word, Enumeration last) {
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        const auto candidate = static_cast<Enumeration>(i);
        std::string spelt;
        if constexpr (std::is_same_v<Enumeration, dtype>) {
            spelt = mil_name(candidate);
        } else {
            spelt = name(candidate);
        }
        for (char& c : spelt) {
            c = c == ' ' ? '_' : c;
        }
        if (spelt == word) {
            return candidate;
        }
    }
    refuse("is no such name", word);
}

// One overload for each type that a member of an attribute struct has.
inline void assign(bool& to, std::string_view text) {
    if (text != "true" && text != "false") {
        refuse("is neither true nor false", text);
    }
    to = text == "true";
}
inline void assign(int& to, std::string_view text) { to = integer<int>(text); }
inline void assign(float& to, std::string_view text) { to = static_cast<float>(number(text)); }
inline void assign(double& to, std::string_view text) { to = number(text); }
inline void assign(extents& to, std::string_view text) { to = list(text); }
inline void assign(size2& to, std::string_view text) {
    const auto words = split(text, ',');
    if (words.size() != 2) {
        refuse("is no height and width", text);
    }
    to = {integer<int>(words[0]), integer<int>(words[1])};
}
inline void assign(padding2& to, std::string_view text) {
    const auto words = split(text, ',');
    if (words.size() != 4) {
        refuse("is no top, bottom, left and right", text);
    }
    to = {integer<int>(words[0]), integer<int>(words[1]), integer<int>(words[2]), integer<int>(words[3])};
}
inline void assign(dtype& to, std::string_view text) { to = enumerator(text, dtype::boolean); }
inline void assign(sampling_method& to, std::string_view text) { to = enumerator(text, sampling_method::bilinear); }
inline void assign(sampling_grid& to, std::string_view text) { to = enumerator(text, sampling_grid::asymmetric); }
inline void assign(sampling_border& to, std::string_view text) { to = enumerator(text, sampling_border::reflect); }
inline void assign(scaled_function& to, std::string_view text) { to = enumerator(text, scaled_function::minimum); }
inline void assign(weight_form& to, std::string_view text) { to = enumerator(text, weight_form::sparse_blockwise); }

} // namespace graph_text
