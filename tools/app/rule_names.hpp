#pragma once

#include <anemone/rules/rule.hpp>

#include <string>
#include <vector>

namespace app {

/// The rules that a user means: by name (`kernel_width_exceeds`) or by the fact that they rest on (`R030`, which may be
/// several). Throws `ane::error` (errc::argument) for what is neither, with names like it.
std::vector<ane::rule> rules_named(const std::string& text);

} // namespace app
