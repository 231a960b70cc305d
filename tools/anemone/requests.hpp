#pragma once

#include <anemone/cost/timeline_values.hpp>

#include <vector>

namespace command {

/// `calls` of each of so many programs: each when the one before it has ended, or one every `period`, s.
std::vector<ane::request> requests_of(int programs, int calls, double period);

} // namespace command
