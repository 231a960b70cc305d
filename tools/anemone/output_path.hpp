#pragma once

#include <span>
#include <string>

namespace command {

/// Throws `ane::error` (errc::argument) where what is written would replace one of the files that are read.
void require_other_file(const std::string& output, std::span<const std::string> inputs);

/// The same for a folder that is written: it may not be the one that is read, and where it is replaced as a whole, the
/// model may not lie in it.
void require_apart(const std::string& folder, const std::string& model, bool is_replaced);

} // namespace command
