#include "terminal_text.hpp"

#include <anemone/base/error.hpp>
#include <anemone/io/unicode.hpp>

#include <algorithm>

namespace command {

namespace {

/// The length of a colour at the start of a text, "\x1b[1;31m"; 0 where there is none.
std::size_t colour_length(std::string_view text) {
    const std::size_t end = text.starts_with("\x1b[") ? text.find_first_not_of("0123456789;", 2) : text.npos;
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

} // namespace

std::string harmless(std::string_view text, bool keeps_colours) {
    const auto is_plain = [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; };
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        std::size_t size =
            static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
        if (size == 0 && keeps_colours) {
            size = colour_length(text);
        }
        if (size == 0) {
            const ane::detail::code_point c = ane::detail::next_code_point(text);
            size = c.size;
            if (!c.well_formed || ane::detail::is_control(c.value)) {
                shown += ane::detail::printable(text.substr(0, size));
                text.remove_prefix(size);
                continue;
            }
        }
        shown += text.substr(0, size);
        text.remove_prefix(size);
    }
    return shown;
}

std::string one_line(std::string_view text) { return ane::error::shortened(ane::detail::printable(text), 4000); }

std::string error_text(std::string_view what, std::string_view kind) {
    if (!kind.empty() && what.starts_with(kind) && what.substr(kind.size()).starts_with(": ")) {
        what.remove_prefix(kind.size() + 2);
    }
    constexpr std::string_view item = "\n  ";
    std::string text = "error: ";
    while (true) {
        const std::size_t end = what.find(item);
        text += one_line(what.substr(0, end)) + "\n";
        if (end == std::string_view::npos) {
            return text;
        }
        what.remove_prefix(end + 1);
    }
}

} // namespace command
