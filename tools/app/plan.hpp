#pragma once

#include "compress.hpp"
#include "layer_errors.hpp"
#include "optimize.hpp"
#include "placement.hpp"
#include "timeline.hpp"
#include "train.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace app {

/// A model that is shared with handles and programs.
using shared_model = std::shared_ptr<const model>;

/// What was found of a model, behind one type: for front ends that hand out handles.
struct plan {
    std::variant<optimized, compressed, ane::device_plan, simulated, layer_errors, trained> found;
    std::string text; ///< what the command prints
    std::string json; ///< what it prints with --json
};

plan plan_of(optimized found);
plan plan_of(compressed found);
plan plan_of(layer_errors found);
plan plan_of(trained found);
/// Of a placement.
plan plan_of(const model& of, const placement_options& how, const caller& who);
/// Of a timeline of all models.
plan plan_of(const std::vector<shared_model>& of, const timeline_options& how, const caller& who);

/// SVG; none of a placement.
std::optional<std::string> drawing(const plan& p);
/// What became of the model; none where it stays as it is.
const model* made(const plan& p);

} // namespace app
