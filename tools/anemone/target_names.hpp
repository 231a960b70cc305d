#pragma once

#include <anemone/targets/sets.hpp>

#include <string>

namespace command {

/// "h13", "h14,h16", "h14..h16" in the order of the table, "h15.." for a generation and later ones, "macs", "all".
/// Throws `ane::error` (errc::argument) for names that are none, with those that are.
ane::target_set targets_named(const std::string& text);

/// One target.
ane::target target_named(const std::string& text);

} // namespace command
