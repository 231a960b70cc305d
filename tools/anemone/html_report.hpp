#pragma once

#include <anemone/report/aside.hpp>
#include <anemone/report/verdicts.hpp>

#include <span>
#include <string>

namespace command {

/// What `check` found as one page that needs nothing else: verdicts, resources, findings and layers in tables that sort,
/// the drawing of the model, and where its layers lie below the ceilings of each chip that takes it.
std::string html_report(const std::string& path, const ane::graph_view& g, const ane::verdict_table& verdicts,
                        std::span<const ane::aside> observed);

} // namespace command
