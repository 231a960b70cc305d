#pragma once

#include <anemone/readers/read_model.hpp>
#include <anemone/report/aside.hpp>
#include <anemone/report/report_policy.hpp>
#include <anemone/report/verdicts.hpp>
#include <anemone/targets/sets.hpp>

#include <vector>

namespace command {

/// What is found in a model of a file.
struct judgement {
    ane::verdict_table verdicts;
    std::vector<ane::aside> observed;
};

/// Judges a model: promises of its weights what their values are, and asks the rules. Observed are what the reader
/// remarks, weights that are not finite or lose digits as fp16, `measured`, and of MIL text what its words are refused for.
judgement judge(const ane::read_model& read, bool is_mil, const ane::target_set& targets,
                const ane::report_policy& rules, const std::vector<ane::aside>& measured = {});

} // namespace command
