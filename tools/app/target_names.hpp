#pragma once

#include <anemone/targets/sets.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace app {

/// What use cases that ask one chip are for where nothing else is said.
inline constexpr const char* default_target = "h17s";

/// "h13", "h14,h16", "h14..h16" in the order of the table, "h15.." for a generation and later ones, "macs", "all".
/// Throws `ane::error` (errc::argument) for unknown names, with the known ones.
ane::target_set targets_named(const std::string& text);

/// One target by its name. Throws `ane::error` (errc::argument) for an unknown name, and for "macs" and "all", which are
/// several.
ane::target target_named(const std::string& text);

/// "h13 h14"; "all 11" where it is every one of so many.
std::string names_of(const std::vector<ane::target>& targets, std::size_t of);

} // namespace app
