#pragma once

#include "../base/way.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// Lines of at most 120 columns. Only bodies include this header.
namespace ane::formats::inline ANEMONE_WAY {

/// A statement, broken behind commas; what goes on is indented by two levels more.
ANEMONE_INLINE std::string cpp_line(int level, std::string_view statement) {
    constexpr std::size_t width = 120;
    const std::string indent(static_cast<std::size_t>(level) * 4, ' ');
    std::string text = indent;
    std::size_t column = indent.size();
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < statement.size(); ++i) {
        const char c = statement[i];
        if (quoted && c == '\\') {
            ++i;
            continue;
        }
        quoted = quoted != (c == '"');
        const bool ends = i + 1 == statement.size();
        if (!ends && (quoted || c != ' ' || statement[i - 1] != ',')) {
            continue;
        }
        const std::size_t size = i + 1 - begin; // a word with the blank behind it
        if (column + size - (ends ? 0 : 1) > width && begin > 0) {
            text.erase(text.find_last_not_of(' ') + 1);
            text += "\n" + indent + "        ";
            column = indent.size() + 8;
        }
        text += statement.substr(begin, size);
        column += size;
        begin = i + 1;
    }
    return text + "\n";
}

/// A line of a comment.
ANEMONE_INLINE std::string cpp_note(std::string_view text) {
    std::string line = "// ";
    line += text;
    return line + "\n";
}

} // namespace ane::formats::inline ANEMONE_WAY
