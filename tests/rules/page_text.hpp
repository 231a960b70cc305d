#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

/// Text on generated pages of documentation.
namespace pages {

/// A text for a cell of a table: no bar may end it, no angle bracket begin an element.
inline std::string cell(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '|') {
            result += "\\|";
        } else if (c == '<') {
            result += "&lt;";
        } else {
            result += c;
        }
    }
    return result;
}

inline std::string code(std::string_view text) { return fmt::format("`{}`", text); }

} // namespace pages
