#pragma once

#include "../base/way.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

/// What any drawing of the library needs: text as XML, and how wide it gets.
namespace ane::drawing::inline ANEMONE_WAY {

/// Length of the UTF-8 sequence that starts at `text[at]`; 0 where it is malformed.
ANEMONE_INLINE std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte < 0x80   ? 1
                               : byte < 0xC2 ? 0
                               : byte < 0xE0 ? 2
                               : byte < 0xF0 ? 3
                               : byte < 0xF5 ? 4
                                             : 0;
    if (length == 0 || at + length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    const auto second = length > 1 ? static_cast<unsigned char>(text[at + 1]) : 0U;
    const auto third = length > 2 ? static_cast<unsigned char>(text[at + 2]) : 0U;
    // Overlong forms, surrogates, code points above U+10FFFF, and U+FFFE and U+FFFF, which XML has not.
    const bool bad = (byte == 0xE0 && second < 0xA0) || (byte == 0xED && second >= 0xA0) ||
                     (byte == 0xF0 && second < 0x90) || (byte == 0xF4 && second >= 0x90) ||
                     (byte == 0xEF && second == 0xBF && third >= 0xBE);
    return bad ? 0 : length;
}

/// Text as XML content or as an attribute's value. Bytes and characters that XML cannot hold become U+FFFD.
ANEMONE_INLINE std::string escape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        const char c = text[i];
        if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += "\xEF\xBF\xBD";
        } else if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (c == '\'') {
            out += "&apos;";
        } else {
            out += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
    return out;
}

/// An upper estimate of a character's width in em: DejaVu Sans, the widest of the usual sans-serif faces; bold 0.1
/// more.
ANEMONE_INLINE double width_em(std::string_view character) {
    if (character.size() > 2) {
        return 1.0;
    }
    if (character.size() > 1) {
        return 0.85;
    }
    const char c = character[0];
    if (std::string_view("iljI.,:;'|!").find(c) != std::string_view::npos) {
        return 0.34;
    }
    if (std::string_view(" ftr()[]/\\-\"").find(c) != std::string_view::npos) {
        return 0.46;
    }
    if (std::string_view("mwMW%@").find(c) != std::string_view::npos) {
        return 1.0;
    }
    if (c >= 'A' && c <= 'Z') {
        return 0.79;
    }
    return c == '=' || c == '+' || c == '<' || c == '>' || c == '#' || c == '~' ? 0.84 : 0.64;
}

/// Upper bound on the width of a text of this size, in pixels.
ANEMONE_INLINE double text_width(std::string_view text, double size, bool bold = false) {
    double width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        width += length == 0 ? 1.0 : width_em(text.substr(i, length)) * (bold ? 1.1 : 1.0);
        i += length == 0 ? 1 : length;
    }
    return width * size;
}

/// The text, or its beginning and an ellipsis where it would be wider than `limit` pixels.
ANEMONE_INLINE std::string shortened(std::string_view text, double size, double limit, bool bold = false) {
    if (text_width(text, size, bold) <= limit) {
        return std::string(text);
    }
    std::size_t end = 0;
    while (end < text.size()) {
        const std::size_t length = sequence_length(text, end);
        const std::size_t next = end + (length == 0 ? 1 : length);
        if (text_width(text.substr(0, next), size, bold) + size > limit) {
            break;
        }
        end = next;
    }
    return std::string(text.substr(0, end)) + "\xE2\x80\xA6";
}

} // namespace ane::drawing::inline ANEMONE_WAY
