#pragma once

#include <anemone/rules/policy.hpp>
#include <anemone/rules/rule.hpp>

#include <string>
#include <vector>

namespace command {

/// The rules that a user means: by name (`kernel_width_exceeds`) or by the fact that they rest on (`R030`, which may be
/// several). Throws `ane::error` (errc::argument) for what is neither, with names like it.
std::vector<ane::rule> rules_named(const std::string& text);

/// Rules whose warnings are errors, rules that are not checked, and the route whose rules are checked too: "any", "mil",
/// "netplist".
ane::policy policy_named(const std::vector<std::string>& errors, const std::vector<std::string>& waived,
                         const std::string& route);

} // namespace command
