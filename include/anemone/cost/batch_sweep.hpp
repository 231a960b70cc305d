#pragma once

#include "timeline_values.hpp"

#include <span>

/// What one sample takes in a dispatch of several: the fixed time is shared, the work is not.
namespace ane {

struct batch_point {
    int batch = 0;
    program_time time{}; ///< of the whole batch
    double gain = 1;     ///< how many times as long one sample takes in the first batch of the sweep

    constexpr double seconds_per_sample() const { return time.seconds() / batch; }
    constexpr double joules_per_sample() const { return time.joules / batch; }
    /// Share of the time that does not depend on the batch.
    constexpr double fixed_share() const { return time.seconds() > 0 ? (time.fixed + time.ports) / time.seconds() : 0; }
};

/// The demands of `batch` samples, from those of one: values and work as often, weights once. Channels keep as much of
/// the array busy as before.
constexpr program_demand batched(program_demand one, std::int64_t batch) {
    for (layer_demand& layer : one.layers) {
        layer.work.multiply_adds *= batch;
        layer.work.other *= batch;
        for (std::int64_t layer_demand::*count :
             {&layer_demand::input_bytes, &layer_demand::output_bytes, &layer_demand::port_bytes,
              &layer_demand::large_bytes, &layer_demand::spilled_bytes, &layer_demand::rows_bytes,
              &layer_demand::row_scaled, &layer_demand::selected, &layer_demand::orders, &layer_demand::scores}) {
            layer.*count *= batch;
        }
    }
    return one;
}

/// A sweep over batches, of which `time_of(batch)` gives the times. Throws `error` (errc::argument) for a batch that is
/// not positive or above the largest that the target takes, and for times that are none.
template <target_like T, class TimeOf>
    requires requires(TimeOf f) { program_time(f(1)); }
constexpr sequence<batch_point> batch_sweep(std::span<const int> batches, const T& which, TimeOf time_of) {
    const target_description& d = describe(which);
    detail::require_clock(d);
    sequence<batch_point> points;
    points.reserve(batches.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
        if (batches[i] < 1 || batches[i] > d.limits.tensor_n) {
            throw error(errc::argument, "batch " + std::to_string(i),
                        std::to_string(batches[i]) + " samples, it must be 1 to " + std::to_string(d.limits.tensor_n) +
                            " on " + d.runtime);
        }
        batch_point p{batches[i], time_of(batches[i])};
        detail::require_time(p.time.fixed, "batch", i, "its fixed time");
        detail::require_time(p.time.ports, "batch", i, "the time of its ports");
        detail::require_time(p.time.work, "batch", i, "its work");
        p.gain = i > 0 && p.seconds_per_sample() > 0 ? points[0].seconds_per_sample() / p.seconds_per_sample() : 1;
        points.push_back(p);
    }
    return points;
}

/// The sweep of a lowered graph of one sample, all of whose inputs and outputs grow with the batch.
constexpr sequence<batch_point> batch_sweep(const graph_view& lowered, std::span<const int> batches,
                                            const target_description& d, pace p = pace::typical) {
    detail::require_clock(d);
    const program_demand one = demand_of(lowered, d);
    const cost_rates r = rates_of(d);
    return batch_sweep(batches, d, [&](int batch) {
        cost c = price(batched(one, batch), r);
        c.target = d.runtime;
        return program_time_of(c, p);
    });
}
constexpr sequence<batch_point> batch_sweep(const graph_view& lowered, std::span<const int> batches, target t,
                                            pace p = pace::typical) {
    return batch_sweep(lowered, batches, describe(t), p);
}

} // namespace ane
