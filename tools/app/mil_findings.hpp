#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/aside.hpp>
#include <anemone/report/verdicts.hpp>

#include <string>
#include <vector>

namespace app {

/// Why the engine's compiler is expected to refuse MIL text as it stands, where the graph that was read of it could be
/// written in other words, or go by another route: each reason once, with the targets of the table that have it.
std::vector<ane::aside> observed_in_mil(const ane::read_model& model, const ane::verdict_table& verdicts);

} // namespace app
