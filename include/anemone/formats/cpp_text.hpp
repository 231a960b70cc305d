#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/reflection.hpp"
#include "../io/unicode.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Values as C++ writes them. Only bodies include this header.
namespace ane::formats::inline ANEMONE_WAY {

/// The shortest decimal that reads back as the same number, with a point or an exponent.
ANEMONE_INLINE std::string cpp_number(double value) {
    if (std::isinf(value)) {
        return formatted("{}std::numeric_limits<double>::infinity()", value < 0 ? "-" : "");
    }
    const std::string text = formatted("{}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
/// The same for an argument of type double that becomes a float: short digits, where they give the same float.
ANEMONE_INLINE std::string cpp_number(float value) {
    if (std::isinf(value)) {
        return cpp_number(static_cast<double>(value));
    }
    const std::string text = formatted("{}", value);
    const bool same = static_cast<float>(std::stod(text)) == value;
    return !same                                           ? cpp_number(static_cast<double>(value))
           : text.find_first_of(".e") == std::string::npos ? text + ".0"
                                                           : text;
}

/// A string literal; what is no printable ASCII stands in it as three octal digits.
ANEMONE_INLINE std::string cpp_string(std::string_view text) {
    std::string literal = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\' || (c == '?' && literal.back() == '?')) { // "??/" would be a trigraph once
            literal += '\\';
        }
        literal += c >= 0x20 && c < 0x7F ? std::string(1, c) : formatted("\\{:03o}", static_cast<unsigned char>(c));
    }
    literal += '"';
    return text.find('\0') == std::string_view::npos ? literal
                                                     : formatted("std::string_view({}, {})", literal, text.size());
}

/// A text of a file in a comment: without controls, and without what at its end would continue the line.
ANEMONE_INLINE std::string cpp_comment(std::string_view text) {
    std::string shown = ane::detail::printable(text);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const bool trigraph = shown[i] == '?' && i > 0 && shown[i - 1] == '?';
        shown[i] = shown[i] == '\\' ? '/' : trigraph ? '.' : shown[i];
    }
    return shown;
}

/// "1, 3, 224, 224"
ANEMONE_INLINE std::string cpp_list(const extents& list) {
    std::string text;
    for (int i = 0; i < list.rank; ++i) {
        text += formatted("{}{}", i == 0 ? "" : ", ", list[i]);
    }
    return text;
}

/// A type with its shape, as builders take it: `f16<1, 64>`.
ANEMONE_INLINE std::string cpp_type(dtype type, const extents& shape) {
    const std::string_view name = type == dtype::uint8 ? "u8" : type == dtype::int8 ? "i8" : "f16";
    return formatted("{}<{}>", name, cpp_list(shape));
}

// ---- members of attribute structs -----------------------------------------------------------------------------

ANEMONE_INLINE std::string cpp_value(bool value) { return value ? "true" : "false"; }
ANEMONE_INLINE std::string cpp_value(int value) { return formatted("{}", value); }
ANEMONE_INLINE std::string cpp_value(double value) { return cpp_number(value); }
/// A member that is a float takes no double that is not one.
ANEMONE_INLINE std::string cpp_value(float value) {
    return std::isinf(value) ? formatted("static_cast<float>({})", cpp_number(value)) : cpp_number(value) + "F";
}
ANEMONE_INLINE std::string cpp_value(const indices& list) { return formatted("{{{}}}", cpp_list(list)); }
ANEMONE_INLINE std::string cpp_value(size2 s) {
    return s.height == s.width ? cpp_value(s.height) : formatted("{{{}, {}}}", s.height, s.width);
}
/// Explicit amounts, as graphs have them: one, two or four numbers.
ANEMONE_INLINE std::string cpp_value(const padding2& p) {
    if (p.top != p.bottom || p.left != p.right) {
        return formatted("{{{}, {}, {}, {}}}", p.top, p.bottom, p.left, p.right);
    }
    return p.top == p.left ? cpp_value(p.top) : formatted("{{{}, {}}}", p.top, p.left);
}
ANEMONE_INLINE std::string cpp_value(sampling_method m) { return formatted("sampling_method::{}", name(m)); }
ANEMONE_INLINE std::string cpp_value(sampling_border b) { return formatted("sampling_border::{}", name(b)); }
ANEMONE_INLINE std::string cpp_value(scaled_function f) { return formatted("scaled_function::{}", name(f)); }
/// The names that people read have blanks where enumerators have underscores.
ANEMONE_INLINE std::string cpp_enumerator(std::string_view type, std::string_view shown) {
    std::string text = formatted("{}::{}", type, shown);
    for (char& c : text) {
        c = c == ' ' ? '_' : c;
    }
    return text;
}
ANEMONE_INLINE std::string cpp_value(sampling_grid g) { return cpp_enumerator("sampling_grid", name(g)); }
ANEMONE_INLINE std::string cpp_value(weight_form f) { return cpp_enumerator("weight_form", name(f)); }
ANEMONE_INLINE std::string cpp_value(dtype type) {
    return formatted("dtype::{}", type == dtype::uint8 ? "uint8" : type == dtype::int4 ? "int4" : "int8");
}

/// An attribute struct with the members that are not at their defaults: "conv{.stride = 2, .padding = 1}".
template <class Attributes> std::string cpp_struct(const Attributes& values) {
    std::vector<std::string> defaults;
    for_each_member(Attributes{}, [&](std::string_view, const auto& member) { defaults.push_back(cpp_value(member)); });
    std::string text;
    std::size_t i = 0;
    for_each_member(values, [&](std::string_view member, const auto& value) {
        const std::string given = cpp_value(value);
        if (given != defaults[i++]) {
            text += formatted("{}.{} = {}", text.empty() ? "" : ", ", member, given);
        }
    });
    return formatted("{}{{{}}}", name(ane::detail::kind_of<Attributes>), text);
}

} // namespace ane::formats::inline ANEMONE_WAY
