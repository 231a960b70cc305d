#pragma once

#include "../base/way.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// UTF-8 text of unknown origin: names of ports and weights, paths, advice.
namespace ane::detail::inline ANEMONE_WAY {

/// One code point at the start of a text and the bytes it takes. Ill-formed bytes count one each, as U+FFFD.
struct code_point {
    char32_t value = 0xFFFD;
    std::size_t size = 1;
    bool well_formed = false;
};

constexpr code_point next_code_point(std::string_view text) noexcept {
    const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        return {lead, 1, true};
    }
    const std::size_t size = lead >= 0xF0 ? 4 : (lead >= 0xE0 ? 3 : 2);
    if (lead < 0xC2 || lead > 0xF4 || text.size() < size) {
        return {};
    }
    char32_t value = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return {};
        }
        value = value << 6U | (byte(i) & 0x3FU);
    }
    const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return overlong || surrogate || value > 0x10FFFF ? code_point{} : code_point{value, size, true};
}

/// Whether a text is UTF-8 throughout.
constexpr bool is_utf8(std::string_view text) noexcept {
    while (true) {
        std::size_t ascii = 0; // nearly all of it, mostly
        while (ascii < text.size() && static_cast<unsigned char>(text[ascii]) < 0x80) {
            ++ascii;
        }
        text.remove_prefix(ascii);
        if (text.empty()) {
            return true;
        }
        const code_point c = next_code_point(text);
        if (!c.well_formed) {
            return false;
        }
        text.remove_prefix(c.size);
    }
}

/// Whether a terminal would act on a code point instead of showing it: controls, and marks that change the direction of
/// the text or have no width.
/// (Unicode's Cc, Zl, Zp and Cf, and the fillers that are letters by name; marks on a letter are not among them.)
constexpr bool is_control(char32_t c) noexcept {
    struct block {
        char32_t first, last;
    };
    constexpr block blocks[] = {{0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
                                {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
                                {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
                                {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},
                                {0x3164, 0x3164},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
                                {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
                                {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    for (const block& b : blocks) {
        if (c <= b.last) {
            return c >= b.first;
        }
    }
    return false;
}

/// Columns that a code point takes in a terminal: 2 for East Asian wide forms and pictographs, 0 for combining marks.
constexpr int columns_of(char32_t c) noexcept {
    struct block {
        char32_t first, last;
    };
    constexpr block none[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},   {0x64B, 0x65F},
                              {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    constexpr block wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},  {0x3400, 0x4DBF},
                              {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},
                              {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F},
                              {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    for (const block& b : none) {
        if (c >= b.first && c <= b.last) {
            return 0;
        }
    }
    for (const block& b : wide) {
        if (c >= b.first && c <= b.last) {
            return 2;
        }
    }
    return 1;
}

/// Columns that a text without controls takes in a terminal.
constexpr std::size_t display_width(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const code_point c = next_code_point(text);
        columns += static_cast<std::size_t>(columns_of(c.value));
        text.remove_prefix(c.size);
    }
    return columns;
}

/// "1b": hexadecimal digits, at least `digits` of them.
ANEMONE_INLINE std::string hexadecimal(std::uint32_t value, int digits) {
    constexpr std::string_view alphabet = "0123456789abcdef";
    std::string text;
    for (; value != 0 || static_cast<int>(text.size()) < digits; value >>= 4U) {
        text.insert(text.begin(), alphabet[value & 0xFU]);
    }
    return text;
}

/// A text that a terminal shows as it is: controls as \u001b, ill-formed bytes as \xff, a backslash alone stays.
ANEMONE_INLINE std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const code_point c = next_code_point(text);
        if (!c.well_formed) {
            shown += "\\x" + hexadecimal(static_cast<unsigned char>(text[0]), 2);
        } else if (is_control(c.value)) {
            shown += "\\u" + hexadecimal(static_cast<std::uint32_t>(c.value), 4);
        } else {
            shown += text.substr(0, c.size);
        }
        text.remove_prefix(c.size);
    }
    return shown;
}

} // namespace ane::detail::inline ANEMONE_WAY
