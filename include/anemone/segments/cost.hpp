#pragma once

#include "../base/error.hpp"
#include "../cost/device_plan.hpp"
#include "../graph/op_set.hpp"
#include "../passes/lowering.hpp"
#include "wiring.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane {

/// What is known of the engine and the host that run the segments.
struct segment_cost_options {
    op_set whole{};                     ///< operations that the engine gets whole (`engine_options::whole`)
    const device_rates* host = nullptr; ///< another CPU than the one beside the target's anchor
};

/// One segment in a run: a dispatch of its program, or its layers one after the other on the host's CPU.
struct segment_cost {
    door place = door::direct;
    /// By the clock; none where the rates of the target are not known. On the host the ends are the typical time, for no
    /// source tells how far the times of a CPU spread.
    std::optional<time_interval> clock;
    double dispatch_seconds = 0;  ///< of `clock`, on the engine: the floor, and the ports after the first
    bound limit = bound::unknown; ///< of a program of the engine
    std::int64_t taken_bytes = 0; ///< of values that earlier segments computed
};

/// All segments in a run of the model.
struct run_cost {
    std::string_view target;            ///< "h13"
    std::optional<time_interval> clock; ///< the sum of the typical times, and of the ends
    double dispatch_seconds = 0;        ///< of `clock`
    double host_seconds = 0;            ///< of `clock`
    std::int64_t taken_bytes = 0;       ///< in all, as often as a segment reads them
    mark engine_known_by = mark::predicted;
    mark host_known_by = mark::predicted;
};

/// A run, and its segments in their order.
struct segmentation_costs : run_cost {
    sequence<segment_cost> list;

    constexpr int size() const { return static_cast<int>(list.size()); }
    constexpr const segment_cost& operator[](int index) const { return list[static_cast<std::size_t>(index)]; }
};

namespace detail {

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_segment_costs(const std::string& why) { throw error(errc::argument, "segments", why); }

constexpr void check_cuts(const graph_view& g, const segmentation_view& cuts) {
    if (cuts.nodes.size() != g.nodes.size()) {
        refuse_segment_costs("are of a model with " + std::to_string(cuts.nodes.size()) + " nodes, this one has " +
                             std::to_string(g.nodes.size()));
    }
}

/// The layers of a lowered graph on a CPU, as a placement prices them.
constexpr double host_seconds(const graph_view& lowered, const target_description& chip, const device_rates& host) {
    double seconds = host.launch;
    for (const layer_demand& layer : demand_of(lowered, chip).layers) {
        seconds += layer_seconds(layer, host);
    }
    return seconds;
}

/// Where nothing is known of the chip, nothing is of the CPU beside it, unless the caller knows.
constexpr std::optional<device_rates> host_rates(const target_description& chip, const segment_cost_options& options) {
    if (options.host != nullptr) {
        if (!is_usable(*options.host)) {
            refuse_segment_costs("rates of a host must be above 0, and its times not below");
        }
        return *options.host;
    }
    return has_cost_model(chip) ? std::optional(device_rates_of(chip, compute_device::cpu)) : std::nullopt;
}

/// What a segment takes whole when it is lowered: a host knows no unit of the engine.
constexpr op_set kept_by(door place, const segment_cost_options& options) {
    return place == door::host ? op_set{} : options.whole;
}

/// A segment as it is lowered, without what it takes.
constexpr segment_cost price_segment(const graph_view& lowered, door place, const target_description& chip,
                                     const std::optional<device_rates>& host) {
    segment_cost result;
    result.place = place;
    if (place != door::host) {
        const compile_route route = place == door::netplist ? compile_route::netplist : compile_route::mil;
        const cost c = estimate(lowered, chip, held_forms_on(route, chip));
        result.clock = c.seconds ? std::optional(c.clock) : std::nullopt;
        result.dispatch_seconds = c.dispatch_seconds;
        result.limit = c.limit;
    } else if (host) {
        const double seconds = host_seconds(lowered, chip, *host);
        result.clock = time_interval{seconds, seconds, seconds};
    }
    return result;
}

constexpr std::int64_t bytes_taken(const graph_view& g, const segment_wiring& wiring, int index) {
    std::int64_t taken = 0;
    for (const int value : wiring.values_read(index)) {
        taken += g[value].kind == op::input ? 0 : bytes(g[value].type, g[value].shape.count());
    }
    return taken;
}

constexpr run_cost sum_of(std::span<const segment_cost> segments, const target_description& chip,
                          const std::optional<device_rates>& host) {
    run_cost all;
    all.target = chip.runtime;
    all.engine_known_by = rates_of(chip).known_by;
    all.host_known_by = host ? host->known_by : mark::predicted;
    all.clock = time_interval{};
    for (const segment_cost& own : segments) {
        all.taken_bytes += own.taken_bytes;
        all.dispatch_seconds += own.dispatch_seconds;
        if (!own.clock) {
            all.clock.reset();
        } else if (all.clock) {
            all.clock->typical += own.clock->typical;
            all.clock->at_least += own.clock->at_least;
            all.clock->at_most += own.clock->at_most;
            all.host_seconds += own.place == door::host ? own.clock->typical : 0;
        }
    }
    return all;
}

/// A segment as a graph; what its ports promise costs nothing, and is left out.
constexpr dynamic_graph graph_of_segment(const graph_view& g, const segment_wiring& wiring, int index) {
    return wiring.extract(index, std::vector<interval>(g.nodes.size())).graph;
}

} // namespace detail

/// What the segments of a model cost on a target, by the cost model: a segment on the engine what `estimate` says of its
/// program, one on the host what a placement charges for its layers on the CPU (targets/device_rates.hpp). Values that
/// go from one segment to another are ports of both. First calls, pauses and switches between programs are left out
/// (cost/timeline.hpp). Throws `error` (errc::argument) for cuts of another model, and for rates that are none.
constexpr segmentation_costs segment_costs_of(const graph_view& g, const segmentation_view& cuts,
                                              const target_description& chip,
                                              const segment_cost_options& options = {}) {
    detail::check_cuts(g, cuts);
    const std::optional<device_rates> host = detail::host_rates(chip, options);
    const segment_wiring wiring(g, cuts);
    segmentation_costs all;
    for (int k = 0; k < cuts.size(); ++k) {
        const door place = cuts[k].place;
        const lowered_graph lowered = lower(detail::graph_of_segment(g, wiring, k), detail::kept_by(place, options));
        all.list.push_back(detail::price_segment(lowered.view(), place, chip, host));
        all.list.back().taken_bytes = detail::bytes_taken(g, wiring, k);
    }
    static_cast<run_cost&>(all) = detail::sum_of(all.list, chip, host);
    return all;
}
constexpr segmentation_costs segment_costs_of(const graph_view& g, const segmentation_view& cuts, target generation,
                                              const segment_cost_options& options = {}) {
    return segment_costs_of(g, cuts, describe(generation), options);
}

} // namespace ane
