#pragma once

#include <span>
#include <string>

namespace command {

/// Throws `ane::error` (errc::argument) where what is written would replace one of the files that are read.
void require_other_file(const std::string& output, std::span<const std::string> inputs);

} // namespace command
