#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/verdicts.hpp>

#include <string>

namespace command {

/// The verdicts of all targets on a file, then, unless quiet, every finding once: its layer, its place, what to do, and
/// the targets that have it.
std::string findings_text(const std::string& path, const ane::read_model& model, const ane::verdict_table& verdicts,
                          bool quiet, bool coloured);

/// Why a file cannot be read, a line for each fault.
std::string unreadable_text(const std::string& path, const ane::unreadable& refused, bool coloured);

} // namespace command
