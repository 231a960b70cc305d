#pragma once

#include <string>
#include <vector>

namespace kit {

/// The checks of the probes are doctest's assertions, which run here outside of its tests. Those that do not hold from now
/// on, as text: what was written where, and what it was.
std::vector<std::string>& listen_to_checks();

} // namespace kit
