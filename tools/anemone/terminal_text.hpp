#pragma once

#include <string>
#include <string_view>

namespace command {

/// A text for standard output, which may be a terminal: controls that came from a file or an argument as \u001b. Lines
/// stay, and so do colours where they are ours.
std::string harmless(std::string_view text, bool keeps_colours);

/// A sentence with names of a file: in one line, harmless, of at most 4,000 bytes.
std::string one_line(std::string_view text);

/// "error: file: what", and the lines of a list that follow it, each as by `one_line`. A line of a list begins with two
/// blanks; any other end of a line is one of a name. `what` begins with the kind of an `ane::error`, which says nothing to a
/// user of the command.
std::string error_text(std::string_view what, std::string_view kind);

} // namespace command
