#pragma once

#include <anemone/readers/unreadable.hpp>
#include <anemone/report/aside.hpp>

#include <string>
#include <vector>

/// What `check` tells of a file that no graph can be made of, in each of its formats.
namespace command {

/// A line for each fault.
std::string unreadable_text(const std::string& path, const ane::unreadable& refused, bool coloured);
/// The members of a verdict, with the faults as observations and no verdicts.
std::string unreadable_json(const std::string& path, const ane::unreadable& refused);
/// An observation for each fault, as SARIF has them.
std::vector<ane::aside> unreadable_asides(const ane::unreadable& refused);
/// A page with a table of the faults.
std::string unreadable_page(const std::string& path, const ane::unreadable& refused);

} // namespace command
