#pragma once

#include <anemone/targets/table.hpp>

#include <optional>
#include <string>

namespace kit {

std::string chip_name();   ///< "Apple M1 Pro", or what a processor elsewhere calls itself
std::string system_name(); ///< "macOS 26.5 (25F71)"
std::string compiler_name();
std::string now(); ///< in UTC, as ISO 8601

/// The engine of a Mac with such a chip; none where it is not known.
std::optional<ane::target> engine_of(const std::string& chip);

/// The engine of this machine; off a Mac the one that the stand-in imitates. Throws `ane::error` (errc::argument) for a
/// Mac that is not known.
ane::target this_engine();

} // namespace kit
