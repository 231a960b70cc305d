#pragma once

#include <anemone/graph/graph.hpp>
#include <anemone/targets/target.hpp>

#include <string>
#include <vector>

/// Latencies that were measured on the engine, of programs whose shapes are known (cost facts, `points`; guide tables).
namespace cost_points {

enum class quantity {
    least, ///< the shortest of many dispatches
    clock  ///< the median by the clock
};

struct point {
    std::string id; ///< of the cost facts
    ane::target chip;
    quantity what;
    double seconds;
    std::string shape;
    ane::dynamic_graph graph; ///< lowered
    bool is_alone = false;    ///< no other point says anything of one of its constants: leaving it out proves nothing
};

/// All that the fit rests on. What the facts have besides and is not here: docs/cost.md.
std::vector<point> all();

} // namespace cost_points
