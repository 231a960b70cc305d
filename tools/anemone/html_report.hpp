#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/verdicts.hpp>

#include <string>

namespace command {

/// What `check` found as one page that needs nothing else: verdicts, findings and layers in tables that sort, the
/// drawing of the model, and where its layers lie below the ceilings of the first chip that takes it.
std::string html_report(const std::string& path, const ane::read_model& model, const ane::verdict_table& verdicts);

} // namespace command
