#pragma once

#include <string>
#include <string_view>

namespace command {

/// A text for standard output, which may be a terminal: controls that came from a file or an argument as \u001b. Lines
/// stay, and so do colours where they are ours.
std::string harmless(std::string_view text, bool keeps_colours);

/// "error: file: what", and the lines that follow it, each harmless. `what` begins with the kind of an `ane::error`,
/// which says nothing to a user of the command.
std::string error_text(std::string_view what, std::string_view kind);

} // namespace command
