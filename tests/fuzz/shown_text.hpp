#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

/// Aborts unless a terminal shows a text as it is: well-formed UTF-8 without controls, without marks that change the direction
/// of the text and without those that have no width. Decoded here, and not by the functions that are tested.
inline void require_shown(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
        const unsigned lead = byte(at);
        const std::size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        char32_t value = more == 0 ? lead : lead & (0x3FU >> more);
        bool is_whole = lead < 0x80 || (lead >= 0xC2 && lead < 0xF5);
        for (std::size_t i = 1; i <= more; ++i) {
            is_whole = is_whole && (byte(at + i) & 0xC0U) == 0x80;
            value = value << 6U | (byte(at + i) & 0x3FU);
        }
        const bool is_mark = (value >= 0x200B && value <= 0x200F) || (value >= 0x2028 && value <= 0x202E) ||
                             (value >= 0x2060 && value <= 0x206F) || value == 0xFEFF;
        if (!is_whole || value < 0x20 || (value >= 0x7F && value < 0xA0) || is_mark) {
            std::abort();
        }
        at += more + 1;
    }
}

/// The same of a report, which has lines.
inline void require_shown_lines(const std::string& text) {
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = text.find('\n', begin);
        require_shown(text.substr(begin, end - begin));
        begin = end == std::string::npos ? text.size() + 1 : end + 1;
    }
}
