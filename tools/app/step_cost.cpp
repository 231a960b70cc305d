#include "step_cost.hpp"

#include "target_names.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_text.hpp>
#include <anemone/rules/device_placement_of.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace app {

namespace {

/// Programs that the engine would run: layers in a row that it takes.
std::int64_t programs_of(const ane::device_plan& plan) {
    std::int64_t count = 0;
    bool before = false;
    for (const ane::placed_layer& layer : plan.layers) {
        const bool now = layer.can_be_on(ane::compute_device::engine);
        count += now && !before ? 1 : 0;
        before = now;
    }
    return count;
}

bool is_bound_by_dispatch(const step_cost& each) { return each.is_whole && each.bound == "dispatch"; }
bool is_fastest_on_engine(const step_cost& each) {
    return each.placed.fastest && *each.placed.fastest == ane::compute_device::engine;
}

} // namespace

std::vector<step_cost> costs_of_step(const ane::graph_view& step) {
    std::vector<step_cost> all;
    const ane::lowered_graph lowered = ane::lower(step);
    for (const ane::target t : ane::macs) {
        const ane::target_description& d = ane::describe(t);
        if (!ane::has_cost_model(d)) {
            continue;
        }
        const ane::device_plan plan = ane::place_model(step, t);
        const ane::cost whole = ane::estimate(lowered.view(), d);
        const bool is_whole = plan.on(ane::compute_device::engine).possible && whole.seconds;
        all.push_back({.target = std::string(whole.target),
                       .chip = ane::detail::device_name(whole),
                       .dispatches = is_whole ? 1 : programs_of(plan),
                       .is_whole = is_whole,
                       .seconds = is_whole ? *whole.seconds : plan.seconds,
                       .joules = is_whole ? whole.joules : plan.joules,
                       .bound = std::string(ane::name(whole.limit)),
                       .placed = plan});
    }
    return all;
}

std::string text(const std::vector<step_cost>& costs) {
    std::string said;
    for (const step_cost& each : costs) {
        const auto energy = each.joules > 0 ? fmt::format(", {:.2f} mJ", 1e3 * each.joules) : std::string();
        const ane::device_total& host = each.placed.on(ane::compute_device::cpu);
        const ane::device_total& gpu = each.placed.on(ane::compute_device::gpu);
        said += fmt::format("a step on {}: {:.2f} ms{}, {} dispatch{} of the engine{}", each.chip, 1e3 * each.seconds,
                            energy, each.dispatches, each.dispatches == 1 ? "" : "es",
                            each.is_whole ? fmt::format(", {}-bound", each.bound) : ", the rest elsewhere");
        said += host.possible ? fmt::format("; CPU {:.2f} ms", 1e3 * host.seconds) : "";
        said += gpu.possible ? fmt::format("; GPU {:.2f} ms", 1e3 * gpu.seconds) : "";
        said += each.placed.fastest ? fmt::format("; fastest: the {}\n", ane::name(*each.placed.fastest)) : "\n";
    }
    if (std::any_of(costs.begin(), costs.end(), is_bound_by_dispatch)) {
        said +=
            "the guide on such steps: dispatch-bound, no faster on the engine than on the host or the GPU (chapter 15)";
        said += std::any_of(costs.begin(), costs.end(), is_fastest_on_engine)
                    ? "; the figures above, which charge the others for each layer, differ\n"
                    : "\n";
    }
    return said;
}

void write(ane::json_writer& j, const std::vector<step_cost>& costs) {
    j.array();
    for (const step_cost& each : costs) {
        j.object()
            .member("target", each.target)
            .member("dispatches", each.dispatches)
            .member("is_whole", each.is_whole)
            .member("seconds", each.seconds)
            .member("joules", each.joules)
            .member("bound", each.bound)
            .key("fastest");
        each.placed.fastest ? j.value(ane::name(*each.placed.fastest)) : j.null();
        j.end();
    }
    j.end();
}

} // namespace app
