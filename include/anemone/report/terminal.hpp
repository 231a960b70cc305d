#pragma once

#include "../base/environment.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../io/unicode.hpp"
#include "../rules/rule.hpp"

#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>

/// Text for a terminal or a pipe.
namespace ane::detail::inline ANEMONE_WAY {

inline constexpr std::string_view colour_end = "\x1b[0m";

/// Red for what the compiler refuses, magenta for wrong values, yellow for waste, cyan for remarks. A warning that the
/// policy makes an error is red too.
constexpr std::string_view colour_of(severity level, bool is_error) noexcept {
    if (level == severity::hazard) {
        return "\x1b[1;35m";
    }
    return is_error || level == severity::reject ? "\x1b[1;31m" : (level == severity::warn ? "\x1b[33m" : "\x1b[36m");
}

ANEMONE_INLINE std::string painted(std::string_view text, std::string_view colour, bool coloured) {
    return coloured ? std::string(colour).append(text).append(colour_end) : std::string(text);
}

/// Filled with blanks to a number of terminal columns.
ANEMONE_INLINE std::string padded(std::string_view text, std::size_t columns) {
    std::string filled(text);
    const std::size_t taken = display_width(text);
    return filled.append(taken < columns ? columns - taken : 0, ' ');
}

/// "1 error, 2 warnings", and the notes where there are any.
ANEMONE_INLINE std::string counted_findings(std::size_t errors, std::size_t warnings, std::size_t notes) {
    std::string text = counted(errors, "error") + ", " + counted(warnings, "warning");
    return notes == 0 ? text : text + ", " + counted(notes, "note");
}

/// A terminal, unless NO_COLOR is set.
ANEMONE_INLINE bool wants_colour(std::FILE* to) {
    return environment_variable("NO_COLOR") == nullptr && ::isatty(::fileno(to)) != 0;
}

ANEMONE_INLINE void write_text(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

} // namespace ane::detail::inline ANEMONE_WAY
