#pragma once

#include <anemone/cost/device_plan.hpp>
#include <anemone/graph/graph.hpp>
#include <anemone/io/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace app {

/// How long another device takes: where it computes the step as one graph, as a host does that fuses its layers, and where it starts
/// layer after layer, as frameworks do that were measured.
struct time_range {
    double as_graph = 0;  ///< s
    double by_layers = 0; ///< s
};

/// What a step of training costs on a chip, by the cost model (nothing of it is measured for training), and where it belongs.
struct step_cost {
    std::string target;          ///< "h13"
    std::string chip;            ///< "h13 (M1)"
    std::int64_t dispatches = 0; ///< of the engine: 1 where it takes the step as one program; 0: it takes nothing of it
    bool is_whole = false;       ///< on the engine
    bool unfolds = false;        ///< convolutions by trained weights are products there (training_options)
    double seconds = 0;          ///< on the engine as one dispatch; of the placement where it does not take the whole
    double joules = 0;           ///< the same; 0: not known
    std::string bound;           ///< "dispatch", "compute", "memory", of the whole in one dispatch
    std::vector<std::string> refused; ///< of what it does not take: "reduce_sum (R061)", each once
    std::optional<time_range> cpu;    ///< none: it does not take the whole step
    std::optional<time_range> gpu;
    std::optional<ane::compute_device> fastest; ///< the device that is it whatever the others do; none: that is open
};

/// The Macs' chips whose clock is known, for a step as `ane::make_training_step` makes it.
std::vector<step_cost> costs_of_step(const ane::graph_view& step);
/// The same where the step may be another one, with products for its convolutions: of each chip the one that it takes as one
/// program, or else sooner.
std::vector<step_cost> costs_of_step(const ane::graph_view& step, const ane::graph_view& unfolded);

/// A line for each chip, and the verdict.
std::string text(const std::vector<step_cost>& costs);
void write(ane::json_writer& j, const std::vector<step_cost>& costs);

} // namespace app
