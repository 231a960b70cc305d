#pragma once

#include "../passes/lowering.hpp"
#include "batch_sweep.hpp"
#include "device_placement.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

/// From which batch or length on another device is the better one, and what serving costs for each item.
namespace ane {

/// A program of one item, whose work and values grow with the batch and whose weights do not: enough for graphs whose
/// first axis is the batch. For another growth, or a sequence length, give a function from the number to the graph.
struct batch_scaling {
    program_demand item;

    constexpr program_demand at(std::int64_t batch) const { return batched(item, batch); }
};

/// The batches or lengths that are looked at.
struct number_range {
    std::int64_t first = 1;
    std::int64_t last = 256;
    std::int64_t step = 1;
};

/// Where one device overtakes another. 0: nowhere in the range.
struct device_crossover {
    compute_device from = compute_device::engine;
    compute_device to = compute_device::gpu;
    number_range range;
    std::int64_t time = 0;   ///< the first number for which `to` takes less time
    std::int64_t energy = 0; ///< for which it takes less energy
    bool energy_known = false;
    double lead_at_first = 0; ///< time on `to` by time on `from`, at the first number and the last one
    double lead_at_last = 0;
};

/// A batch on one device, for each item.
struct serving_cost {
    bool possible = false;
    double seconds = 0;
    double joules = 0; ///< 0: not known

    constexpr double items_per_second() const { return seconds > 0 ? 1 / seconds : 0; }
};

struct serving_row {
    std::int64_t batch = 0;
    serving_cost engine;
    serving_cost gpu;
};

namespace detail {

constexpr device_total total_of(const program_demand& program, const target_description& d, const placement_options& o,
                                compute_device on) {
    const auto at = static_cast<std::size_t>(on);
    device_total total{true, 0, 0};
    if (o.model == placement_model::system) {
        const system_device& s = system_devices[at];
        total.seconds = system_entry(at, false, o);
        for (const layer_demand& layer : program.layers) {
            total.seconds += layer_seconds(layer, s.peak, s.bandwidth, 0);
        }
    } else if (on == compute_device::engine) {
        const cost c = price(program, rates_of(d));
        total.seconds = c.clock.typical;
        total.joules = c.joules;
    } else {
        const device_rates r = rates_for(o, d, on);
        total.seconds = r.launch;
        total.joules = r.launch * r.static_power;
        for (const layer_demand& layer : program.layers) {
            total.seconds += layer_seconds(layer, r);
            total.joules += layer_joules(layer, r);
        }
        total.joules = r.has_energy() ? total.joules : 0;
    }
    return total;
}

template <class Source>
concept graphs_by_number = requires(const Source& s) {
    graph_view(s(std::int64_t{1}));
};

/// What two devices take, of a model that is made once.
template <class Source>
constexpr std::array<device_total, 2> totals_at(const Source& source, std::int64_t number, const target_description& d,
                                                const placement_options& o, compute_device first,
                                                compute_device second) {
    if constexpr (std::same_as<Source, batch_scaling>) {
        const program_demand program = source.at(number);
        return {total_of(program, d, o, first), total_of(program, d, o, second)};
    } else {
        const auto model = source(number);
        const lowered_graph lowered = lower(graph_view(model));
        const placement_problem problem(lowered.view(), d, o, {});
        return {problem.whole_on(first), problem.whole_on(second)};
    }
}

constexpr void check(const number_range& r) {
    if (r.first < 1 || r.step < 1) {
        refuse_placement("a range of numbers starts above 0 and steps upwards, not from", r.first, "by", r.step);
    }
    if (r.last < r.first) {
        refuse_placement("a range of numbers ends at", r.last, "before its start,", r.first);
    }
}

} // namespace detail

/// The scaling of a lowered graph of one item.
constexpr batch_scaling scaling_of(const graph_view& lowered, const target_description& d) {
    return {demand_of(lowered, d)};
}
constexpr batch_scaling scaling_of(const graph_view& lowered, target t) { return scaling_of(lowered, describe(t)); }

template <class Source>
concept scaled_workload = std::same_as<Source, batch_scaling> || detail::graphs_by_number<Source>;

/// The first number of a range for which `to` is better than `from`, in time and in energy. `source` is a
/// `batch_scaling`, or a function from a batch or a sequence length to a model.
///
///     crossover([](std::int64_t batch) { return encoder(batch); }, ane::h17s).time
template <scaled_workload Source>
constexpr device_crossover crossover(const Source& source, const target_description& d, const number_range& range = {},
                                     const placement_options& o = {}, compute_device from = compute_device::engine,
                                     compute_device to = compute_device::gpu) {
    detail::check(o, d);
    detail::check(range);
    if (from == to || static_cast<std::size_t>(from) >= compute_device_count ||
        static_cast<std::size_t>(to) >= compute_device_count) {
        detail::refuse_placement("a crossover is between two devices");
    }
    device_crossover c{from, to, range};
    for (std::int64_t n = range.first; n <= range.last; n += range.step) {
        const auto [a, b] = detail::totals_at(source, n, d, o, from, to);
        c.time = c.time == 0 && b.possible && (!a.possible || b.seconds < a.seconds) ? n : c.time;
        if (a.joules > 0 && b.joules > 0) {
            c.energy_known = true;
            c.energy = c.energy == 0 && b.joules < a.joules ? n : c.energy;
        }
        const double lead = a.possible && b.possible && a.seconds > 0 ? b.seconds / a.seconds : 0;
        c.lead_at_first = n == range.first ? lead : c.lead_at_first;
        c.lead_at_last = lead;
    }
    return c;
}
template <scaled_workload Source>
constexpr device_crossover crossover(const Source& source, target t, const number_range& range = {},
                                     const placement_options& o = {}, compute_device from = compute_device::engine,
                                     compute_device to = compute_device::gpu) {
    return crossover(source, describe(t), range, o, from, to);
}

/// What an item costs in batches of 1, 2, 4 and so on, on the engine and on the GPU.
template <scaled_workload Source>
constexpr sequence<serving_row> serving(const Source& source, const target_description& d, std::int64_t up_to = 256,
                                        const placement_options& o = {}) {
    detail::check(o, d);
    detail::check(number_range{1, up_to, 1});
    sequence<serving_row> rows;
    for (std::int64_t n = 1; n <= up_to; n *= 2) {
        const auto items = static_cast<double>(n);
        const auto cost = [items](const device_total& t) {
            return serving_cost{t.possible, t.seconds / items, t.joules / items};
        };
        const auto [engine, gpu] = detail::totals_at(source, n, d, o, compute_device::engine, compute_device::gpu);
        rows.push_back({n, cost(engine), cost(gpu)});
    }
    return rows;
}
template <scaled_workload Source>
constexpr sequence<serving_row> serving(const Source& source, target t, std::int64_t up_to = 256,
                                        const placement_options& o = {}) {
    return serving(source, describe(t), up_to, o);
}

} // namespace ane
