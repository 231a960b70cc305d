#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/aside.hpp>
#include <anemone/report/verdicts.hpp>

#include <string>
#include <vector>

namespace app {

/// Refuses MIL text as it stands, on the targets of the table whose compiler is expected to (`ane::judge`), though the
/// graph that was read of it could be written in other words or go by another route. Each reason once, with its targets;
/// of waived rules none.
std::vector<ane::aside> refuse_mil(const ane::read_model& model, const ane::rule_set& waived,
                                   ane::verdict_table& verdicts);

} // namespace app
