#include "step_cost.hpp"

#include "target_names.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_text.hpp>
#include <anemone/rules/acceptance.hpp>
#include <anemone/rules/device_placement_of.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

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
    return each.fastest && *each.fastest == ane::compute_device::engine;
}

std::optional<time_range> range_of(ane::compute_device on, const ane::device_plan& as_graph,
                                   const ane::device_plan& by_layers) {
    return by_layers.on(on).possible ? std::optional(time_range{as_graph.on(on).seconds, by_layers.on(on).seconds})
                                     : std::nullopt;
}

/// The one that is faster than each of the others at their best.
std::optional<ane::compute_device> fastest_of(const step_cost& c) {
    const double engine = c.dispatches > 0 ? c.seconds : INFINITY;
    const time_range never{INFINITY, INFINITY};
    const time_range cpu = c.cpu.value_or(never);
    const time_range gpu = c.gpu.value_or(never);
    if (engine < std::min(cpu.as_graph, gpu.as_graph)) {
        return ane::compute_device::engine;
    }
    if (cpu.by_layers < std::min(engine, gpu.as_graph)) {
        return ane::compute_device::cpu;
    }
    return gpu.by_layers < std::min(engine, cpu.as_graph) ? std::optional(ane::compute_device::gpu) : std::nullopt;
}

/// The operations that rules of a target keep from the engine, with the fact, each once.
std::vector<std::string> refused_by(const ane::graph_view& step, const ane::target_description& d) {
    std::vector<std::string> all;
    for (const ane::violation& v : ane::blockers_of(step, d)) {
        const std::string_view of = ane::name(v.operation);
        const std::string text = fmt::format("{} ({})", of, std::string_view(ane::record_of(v.rule).fact));
        if (std::find(all.begin(), all.end(), text) == all.end()) {
            all.push_back(text);
        }
    }
    return all;
}

/// What is elsewhere, by the first few.
std::string elsewhere_text(const step_cost& c) {
    constexpr std::size_t most = 3;
    std::string text = ", the rest elsewhere";
    for (std::size_t i = 0; i < std::min(most, c.refused.size()); ++i) {
        text += (i == 0 ? ": " : ", ") + c.refused[i];
    }
    return c.refused.size() > most ? fmt::format("{} and {} more", text, c.refused.size() - most) : text;
}

std::string range_text(std::string_view device, const std::optional<time_range>& r) {
    return r ? fmt::format("; {} {:.2g} to {:.3g} ms", device, 1e3 * r->as_graph, 1e3 * r->by_layers) : "";
}

void write(ane::json_writer& j, std::string_view name, const std::optional<time_range>& r) {
    j.key(name);
    if (!r) {
        j.null();
        return;
    }
    j.array().value(r->as_graph).value(r->by_layers).end();
}

} // namespace

std::vector<step_cost> costs_of_step(const ane::graph_view& step) {
    std::vector<step_cost> all;
    for (const ane::target t : ane::macs) {
        const ane::target_description& d = ane::describe(t);
        if (!ane::has_cost_model(d)) {
            continue;
        }
        const ane::detail::placed_graph placed = ane::detail::placed_graph_of(step, d, {});
        const ane::device_rates cpu = ane::one_graph(ane::device_rates_of(d, ane::compute_device::cpu));
        const ane::device_rates gpu = ane::one_graph(ane::device_rates_of(d, ane::compute_device::gpu));
        const ane::device_plan by_layers = placed.plan(d, {});
        const ane::device_plan as_graph = placed.plan(d, {.gpu = &gpu, .cpu = &cpu});
        const ane::cost whole = ane::estimate(placed.lowered.view(), d);
        const bool is_whole = by_layers.on(ane::compute_device::engine).possible && whole.seconds;
        step_cost& made = all.emplace_back();
        made.target = std::string(whole.target);
        made.chip = ane::detail::device_name(whole);
        made.dispatches = is_whole ? 1 : programs_of(by_layers);
        made.is_whole = is_whole;
        made.seconds = is_whole ? *whole.seconds : by_layers.seconds;
        made.joules = is_whole ? whole.joules : by_layers.joules;
        made.bound = std::string(ane::name(whole.limit));
        made.refused = refused_by(step, d);
        made.cpu = range_of(ane::compute_device::cpu, as_graph, by_layers);
        made.gpu = range_of(ane::compute_device::gpu, as_graph, by_layers);
        made.fastest = fastest_of(made);
    }
    return all;
}

std::vector<step_cost> costs_of_step(const ane::graph_view& step, const ane::graph_view& unfolded) {
    std::vector<step_cost> all = costs_of_step(step);
    std::vector<step_cost> others = costs_of_step(unfolded);
    for (std::size_t i = 0; i < all.size(); ++i) {
        others[i].unfolds = true;
        const bool is_better =
            others[i].is_whole == all[i].is_whole ? others[i].seconds < all[i].seconds : others[i].is_whole;
        if (is_better) { // CPU and GPU convolve
            others[i].cpu = all[i].cpu;
            others[i].gpu = all[i].gpu;
            others[i].fastest = fastest_of(others[i]);
            all[i] = std::move(others[i]);
        }
    }
    return all;
}

std::string text(const std::vector<step_cost>& costs) {
    std::string said;
    for (const step_cost& each : costs) {
        const auto energy = each.joules > 0 ? fmt::format(", {:.2f} mJ", 1e3 * each.joules) : std::string();
        said += fmt::format(
            "a step on {}: {:.2f} ms{}, {} dispatch{} of the engine{}{}{}{}; {}\n", each.chip, 1e3 * each.seconds,
            energy, each.dispatches, each.dispatches == 1 ? "" : "es", each.unfolds ? ", convolutions as products" : "",
            each.is_whole ? fmt::format(", {}-bound", each.bound) : elsewhere_text(each), range_text("CPU", each.cpu),
            range_text("GPU", each.gpu),
            each.fastest ? fmt::format("fastest: the {}", ane::name(*each.fastest)) : "which is fastest is open");
    }
    if (std::any_of(costs.begin(), costs.end(), [](const step_cost& c) { return c.cpu || c.gpu; })) {
        said += "CPU and GPU: the step as one graph, to layer after layer, each started by itself\n";
    }
    if (std::any_of(costs.begin(), costs.end(), is_bound_by_dispatch)) {
        said +=
            "the guide on such steps: dispatch-bound, no faster on the engine than on the host or the GPU (chapter 15)";
        said += std::any_of(costs.begin(), costs.end(),
                            [](const step_cost& c) { return is_bound_by_dispatch(c) && is_fastest_on_engine(c); })
                    ? "; by these figures the engine is ahead, where it is said to be fastest\n"
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
            .member("unfolds", each.unfolds)
            .member("seconds", each.seconds)
            .member("joules", each.joules)
            .member("bound", each.bound);
        j.key("refused").array();
        for (const std::string& refused : each.refused) {
            j.value(refused);
        }
        j.end();
        write(j, "cpu_seconds", each.cpu);
        write(j, "gpu_seconds", each.gpu);
        j.key("fastest");
        each.fastest ? j.value(ane::name(*each.fastest)) : j.null();
        j.end();
    }
    j.end();
}

} // namespace app
