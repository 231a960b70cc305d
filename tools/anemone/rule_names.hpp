#pragma once

#include <anemone/report/report_policy.hpp>
#include <anemone/rules/rule.hpp>

#include <string>
#include <vector>

namespace command {

/// The rules that a user means: by name (`kernel_width_exceeds`) or by the fact that they rest on (`R030`, which may be
/// several). Throws `ane::error` (errc::argument) for what is neither, with names like it.
std::vector<ane::rule> rules_named(const std::string& text);

/// Rules whose warnings are errors, rules that are not checked, and the route whose rules are checked too: "any", "mil",
/// "netplist". What bounds cannot exclude need not happen, and those of a deep model exclude little: such hazards are
/// warnings.
ane::report_policy policy_named(const std::vector<std::string>& errors, const std::vector<std::string>& waived,
                                const std::string& route);

} // namespace command
