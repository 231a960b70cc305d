#pragma once

#include "../base/stop_point.hpp"
#include "layers.hpp"
#include "roofline.hpp"

#include <optional>
#include <string_view>

namespace ane {

/// How the inputs and outputs of a program come to the engine.
enum class port_transfer : std::uint8_t {
    copied, ///< the host's: values are copied into the engine's layout and back
    shared  ///< surfaces that the host fills and reads in place
};

constexpr std::string_view name(port_transfer t) noexcept { return t == port_transfer::shared ? "shared" : "copied"; }

/// A layer with its time: max(arithmetic, weights, resident values) + ports + what its unit takes besides. A product that
/// waits for its weight takes the sum of both.
struct layer_cost : layer_demand {
    double compute_seconds =
        0;                     ///< arithmetic at the rate of its unit; 0 where the rates are not known, and so the next
    double weight_seconds = 0; ///< weights, as often as they are read
    double value_seconds = 0;  ///< values between layers, on the chip and spilled
    double port_seconds = 0;   ///< inputs and outputs of the program
    double unit_seconds = 0;   ///< permutations, orders, factors of rows, the attention unit
    bound limit = bound::unknown;

    constexpr double memory_seconds() const {
        const double inside = weight_seconds > value_seconds ? weight_seconds : value_seconds;
        return inside + port_seconds;
    }
    constexpr double seconds() const {
        const double memory = weight_seconds > value_seconds ? weight_seconds : value_seconds;
        const double inside = fills ? compute_seconds + memory : (compute_seconds > memory ? compute_seconds : memory);
        return inside + port_seconds + unit_seconds;
    }
};

/// A time with the interval that holds nine of ten measurements, s.
struct time_interval {
    double typical = 0; ///< the median
    double at_least = 0;
    double at_most = 0;
};

/// The cost of a program in one dispatch.
struct cost {
    std::string_view target;  ///< "h13"
    std::string_view product; ///< "M1 base"
    ane::work work{};
    std::int64_t bytes = 0;        ///< that all layers move
    std::optional<roofline> roof;  ///< none: the target's rates are not known
    cost_rates rates{};            ///< that the times rest on
    std::optional<double> seconds; ///< typical time of a dispatch by the clock; or not known
    time_interval clock{};         ///< the same with its interval
    time_interval least{};         ///< the shortest of many dispatches: what benchmarks print as the best
    double dispatch_seconds = 0;   ///< of `clock`: the floor, and the ports after the first
    double joules = 0;             ///< of the package above idle, a dispatch in the typical time; 0: not known
    double engine_joules = 0;      ///< of these the engine's own: what its rail shows
    bound limit = bound::unknown;  ///< dispatch where the fixed time exceeds the layers', else the larger share of it
    sequence<layer_cost> layers;   ///< in execution order

    constexpr std::int64_t flops() const { return work.flops(); }
    constexpr double intensity() const {
        return bytes > 0 ? static_cast<double>(work.flops()) / static_cast<double>(bytes) : 0;
    }
    /// The layer that takes longest, or null where there is none.
    constexpr const layer_cost* costliest() const {
        const layer_cost* most = nullptr;
        for (const layer_cost& layer : layers) {
            most = most == nullptr || layer.seconds() > most->seconds() ? &layer : most;
        }
        return most;
    }
};

namespace detail {

/// The times that a product reads its weights: once for each tile of the left operand, where they leave the chip.
constexpr double weight_reads(const layer_demand& layer, const cost_rates& r) {
    const double tiles = static_cast<double>(layer.rows_bytes) / r.tile;
    const auto whole = static_cast<double>(static_cast<std::int64_t>(tiles));
    return tiles <= 1 ? 1 : (whole < tiles ? whole + 1 : whole);
}

constexpr layer_cost priced(const layer_demand& layer, const cost_rates& r) {
    layer_cost c{layer};
    const bool convolves = layer.on == engine_unit::convolution || layer.on == engine_unit::direct;
    const double rate = layer.on == engine_unit::convolution ? r.convolution
                        : layer.on == engine_unit::direct    ? r.direct
                                                             : r.product;
    const auto count = [](std::int64_t n) { return static_cast<double>(n); };
    c.compute_seconds = layer.on == engine_unit::attention ? 0 : count(layer.work.flops()) / (rate * layer.active);
    c.compute_seconds *= layer.fills ? 1 : 1 - r.zero_skip * layer.zeros; // 1.01 where weights bind (guide chapter 25)
    c.weight_seconds =
        count(layer.weight_bytes) * weight_reads(layer, r) / (convolves ? r.convolution_weights : r.product_weights);
    c.value_seconds = count(layer.resident_bytes()) / r.resident + count(layer.spilled_bytes) / r.spilled;
    c.port_seconds = count(layer.port_bytes) / r.ports;
    const double permuted = layer.permutes ? count(layer.input_bytes + layer.output_bytes) / r.permuted : 0;
    c.unit_seconds = permuted + count(layer.row_scaled) / r.row_scales + count(layer.selected) / r.selected;
    if (layer.on == engine_unit::attention) {
        c.unit_seconds += count(layer.input_bytes + layer.output_bytes) / r.attention_values +
                          count(layer.scores) / r.attention_scores;
    } else if (layer.on == engine_unit::order) {
        // Eight rows of top_k take eight times a dispatch (br_014: 607 us on M5), eight of arg_max take one (br_009).
        c.unit_seconds += r.index + (layer.orders > 1 ? count(layer.orders - 1) * r.least_floor : 0);
    }
    const bool compute = c.compute_seconds + c.unit_seconds >= c.memory_seconds();
    c.limit = c.seconds() > 0 ? (compute ? bound::compute : bound::memory) : bound::none;
    return c;
}

constexpr double flop_joules(const layer_demand& layer, const cost_rates& r) {
    return (layer.on == engine_unit::convolution ? r.transformed_energy : r.flop_energy) *
           static_cast<double>(layer.work.flops());
}

constexpr time_interval spread_of(double fixed, double work, const cost_rates& r) {
    return {fixed + work, fixed / r.floor_spread + work / r.work_spread, fixed * r.floor_spread + work * r.work_spread};
}

} // namespace detail

/// Prices the demands of a program at the rates of a chip: `clock`, `least`, `limit` and the times of `layers`.
constexpr cost price(const program_demand& program, const cost_rates& r) {
    cost total;
    total.rates = r;
    double moved = 0;      // bytes from and to memory
    double arithmetic = 0; // J
    double compute_bound = 0;
    double memory_bound = 0;
    total.layers.reserve(program.layers.size());
    for (const layer_demand& demand : program.layers) {
        const layer_cost layer = detail::priced(demand, r);
        (layer.limit == bound::compute ? compute_bound : memory_bound) += layer.seconds();
        total.work.multiply_adds += layer.work.multiply_adds;
        total.work.other += layer.work.other;
        total.bytes += layer.bytes();
        moved += static_cast<double>(layer.weight_bytes) * detail::weight_reads(layer, r) +
                 static_cast<double>(layer.port_bytes);
        arithmetic += detail::flop_joules(layer, r);
        total.layers.push_back(layer);
    }
    const int more = (program.inputs > 1 ? program.inputs - 1 : 0) + (program.outputs > 1 ? program.outputs - 1 : 0);
    const double layers = compute_bound + memory_bound;
    total.dispatch_seconds = r.floor + more * r.port;
    total.clock = detail::spread_of(total.dispatch_seconds, layers, r);
    total.least = detail::spread_of(r.least_floor + more * r.port, layers, r);
    total.seconds = total.clock.typical;
    total.engine_joules = r.static_power * total.clock.typical + arithmetic + r.byte_energy * moved;
    total.joules = total.engine_joules + r.memory_energy * moved + r.host_energy;
    total.limit = layers < total.dispatch_seconds ? bound::dispatch
                  : compute_bound >= memory_bound ? bound::compute
                                                  : bound::memory;
    return total;
}

/// Estimates a lowered graph (passes/lowering.hpp) on a target, as one dispatch:
///   t = floor + ports after the first
///       + sum over layers of max(FLOP / rate, weights / bandwidth, resident values / bandwidth)
///                            + port bytes / bandwidth + what permutations, orders, row factors and the attention unit take
/// and its energy: static power * t + energy of a FLOP * FLOP + energy of a byte * bytes that leave or enter the chip,
/// to which the package adds the memory's energy of these bytes and the host's of the dispatch, with the rates of
/// targets/cost_rates.hpp. docs/cost.md has the constants and their residuals: on points that a fit did not see, the median
/// factor is below 1.1, and 90 % are within 1.4. `held`: the forms of weights that the file holds; the others cross the
/// memory as fp16. `ports`: whose memory inputs and outputs lie in.
constexpr cost estimate(const graph_view& lowered, const target_description& d, held_forms held,
                        port_transfer ports = port_transfer::copied) {
    detail::stop_point();
    const program_demand program = demand_of(lowered, d, held);
    detail::stop_point();
    cost total;
    if (const std::optional<roofline> roof = roofline_of(d)) {
        cost_rates rates = rates_of(d);
        rates.ports = ports == port_transfer::shared ? rates.shared_ports : rates.ports;
        total = price(program, rates);
        total.roof = roof;
    } else {
        for (const layer_demand& layer : program.layers) {
            total.work.multiply_adds += layer.work.multiply_adds;
            total.work.other += layer.work.other;
            total.bytes += layer.bytes();
            total.layers.push_back({layer});
        }
    }
    total.target = d.runtime;
    total.product = d.product;
    return total;
}
/// The same of the file that we write unless another one is requested.
constexpr cost estimate(const graph_view& lowered, const target_description& d,
                        port_transfer ports = port_transfer::copied) {
    return estimate(lowered, d, held_forms_on(compile_route::any, d), ports);
}
constexpr cost estimate(const graph_view& lowered, target t, port_transfer ports = port_transfer::copied) {
    return estimate(lowered, describe(t), ports);
}

} // namespace ane
