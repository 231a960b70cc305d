#pragma once

#include <anemone/cost/device_plan.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/io/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace app {

/// What a step of training costs on a chip, by the cost model (nothing of it is measured for training), and where it belongs.
struct step_cost {
    std::string target;          ///< "h13"
    std::string chip;            ///< "h13 (M1)"
    std::int64_t dispatches = 0; ///< of the engine: 1 where it takes the step as one program; 0: it takes nothing of it
    bool is_whole = false;       ///< on the engine
    double seconds = 0;          ///< on the engine as one dispatch; of the placement where it does not take the whole
    double joules = 0;           ///< the same; 0: not known
    std::string bound;           ///< "dispatch", "compute", "memory", of the whole in one dispatch
    ane::device_summary placed{};
};

/// The Macs' chips whose clock is known, for a step as `ane::make_training_step` makes it.
std::vector<step_cost> costs_of_step(const ane::graph_view& step);

/// A line for each chip, and the verdict.
std::string text(const std::vector<step_cost>& costs);
void write(ane::json_writer& j, const std::vector<step_cost>& costs);

} // namespace app
