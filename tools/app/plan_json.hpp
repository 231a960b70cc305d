#pragma once

#include <anemone/compress/compress.hpp>
#include <anemone/cost/device_plan.hpp>
#include <anemone/cost/timeline_values.hpp>
#include <anemone/proof/proof.hpp>
#include <anemone/rewrites/optimize.hpp>
#include <anemone/targets/target.hpp>

#include <optional>
#include <string>
#include <vector>

namespace app {

/// What `anemone optimize`, `compress`, `placement` and `timeline` print as JSON.
std::string json_of(const ane::optimized& found, const std::optional<ane::rewrite_proof>& proof, ane::target t);
std::string json_of(const ane::compression_plan& plan);
std::string json_of(const ane::device_plan& plan);
/// `names` are those of the programs.
std::string json_of(const ane::timeline& t, const std::vector<std::string>& names);

} // namespace app
