#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../formats/plist.hpp"
#include "../io/unicode.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// XML text as characters: places, references, white space. Only bodies include this header.
namespace ane::readers::inline ANEMONE_WAY {

constexpr bool is_xml_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_xml_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_xml_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Whether XML 1.0 has this character.
constexpr bool is_xml_character(char32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

/// The offset of the first byte that is no character of XML in UTF-8, or npos.
ANEMONE_INLINE std::size_t first_foreign_byte(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            if (byte < 0x20 && !is_xml_space(text[i])) {
                return i;
            }
            ++i;
            continue;
        }
        const ane::detail::code_point c = ane::detail::next_code_point(text.substr(i));
        if (!c.well_formed || !is_xml_character(c.value)) {
            return i;
        }
        i += c.size;
    }
    return std::string_view::npos;
}

ANEMONE_INLINE void append_utf8(std::string& text, std::uint32_t c) {
    const auto tail = [&](std::uint32_t shift) { text += static_cast<char>(0x80U | (c >> shift & 0x3FU)); };
    if (c < 0x80) {
        text += static_cast<char>(c);
    } else if (c < 0x800) {
        text += static_cast<char>(0xC0U | c >> 6U);
        tail(0);
    } else if (c < 0x10000) {
        text += static_cast<char>(0xE0U | c >> 12U);
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0U | c >> 18U);
        tail(12);
        tail(6);
        tail(0);
    }
}

/// Appends what a reference stands for, `name` being what is between & and ;. False where there is none.
ANEMONE_INLINE bool append_reference(std::string& text, std::string_view name) {
    constexpr struct {
        std::string_view name;
        char character;
    } named[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& known : named) {
        if (known.name == name) {
            text += known.character;
            return true;
        }
    }
    if (name.size() < 2 || name[0] != '#') {
        return false;
    }
    const bool hexadecimal = name[1] == 'x';
    const std::string_view digits = name.substr(hexadecimal ? 2 : 1);
    std::uint32_t value = 0;
    for (const char c : digits) {
        const auto letter = static_cast<std::uint32_t>(static_cast<unsigned char>(c) | 0x20U);
        const bool decimal = c >= '0' && c <= '9';
        if (!decimal && !(hexadecimal && letter >= 'a' && letter <= 'f')) {
            return false;
        }
        value = value * (hexadecimal ? 16 : 10) + (decimal ? static_cast<std::uint32_t>(c - '0') : letter - 'a' + 10);
        if (value > 0x10FFFF) {
            return false;
        }
    }
    if (digits.empty() || !is_xml_character(value)) {
        return false;
    }
    append_utf8(text, value);
    return true;
}

/// Lines and columns (in characters) of offsets that only rise: each byte is looked at once.
class place_counter {
public:
    ANEMONE_INLINE formats::plist_place at(std::string_view text, std::size_t offset) {
        for (; next_ < offset && next_ < text.size(); ++next_) {
            const bool pair = text[next_] == '\r' && next_ + 1 < text.size() && text[next_ + 1] == '\n';
            if ((text[next_] == '\n' || text[next_] == '\r') && !pair) {
                ++place_.line;
                place_.column = 1;
            } else if ((static_cast<unsigned char>(text[next_]) & 0xC0U) != 0x80U) {
                ++place_.column;
            }
        }
        return place_;
    }

private:
    std::size_t next_ = 0;
    formats::plist_place place_{1, 1};
};

} // namespace ane::readers::inline ANEMONE_WAY
