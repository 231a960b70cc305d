#pragma once

#include "../base/error.hpp"
#include "../targets/device_rates.hpp"
#include "device_flow.hpp"
#include "device_regime.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What is asked of a placement, and what it answers (cost/device_placement.hpp).
namespace ane {

enum class placement_model : std::uint8_t {
    system,  ///< what Core ML's segmenter would prefer: its coarse anchors (decompiled)
    measured ///< what measured rates of the devices and the engine's own cost model say
};

constexpr std::string_view name(placement_model m) noexcept {
    return m == placement_model::system ? "system" : "measured";
}

/// What a placement makes least. The system's model knows no energy.
enum class placement_goal : std::uint8_t { time, energy };

struct placement_options {
    placement_model model = placement_model::measured;
    placement_goal goal = placement_goal::time;
    /// The unit of the system's launches and transfers, which the source does not tell. A millisecond gives a launch
    /// a quarter to a half of what a dispatch was measured to take (predicted: our reading).
    std::int64_t relative_unit_microseconds = 1000;
    const device_rates* gpu = nullptr; ///< another GPU than the anchor's: the address of a constant
    const device_rates* cpu = nullptr;
};

/// A layer with its time on each device, by `compute_device`: without launches and transfers, and on the engine without
/// ports. Negative where the layer cannot be there.
struct placed_layer {
    int node = -1; ///< the layer's own node in the lowered graph
    int last = -1;
    compute_device on = compute_device::engine;
    std::array<double, compute_device_count> seconds{};

    constexpr bool can_be_on(compute_device d) const { return seconds[static_cast<std::size_t>(d)] >= 0; }
};

/// Layers in a row on one device: a program of its own.
struct device_segment {
    compute_device on = compute_device::engine;
    int first = 0; ///< layers
    int last = 0;
    double seconds = 0; ///< with launch and transfer
    double joules = 0;  ///< 0: not known
};

/// A whole graph on one device.
struct device_total {
    bool possible = false;
    double seconds = 0;
    double joules = 0; ///< 0: not known
};

struct device_summary {
    placement_model model = placement_model::measured;
    std::string_view target;
    std::string_view product;
    double seconds = 0; ///< of the placement
    double joules = 0;  ///< of the placement; 0: not known
    std::array<device_total, compute_device_count> whole{};
    std::optional<compute_device> fastest;        ///< for the whole graph; none where no device takes it whole
    std::optional<compute_device> most_efficient; ///< among those whose energy is known
    workload_regime regime = workload_regime::none;
    mark known_by = mark::predicted;

    constexpr const device_total& on(compute_device d) const { return whole[static_cast<std::size_t>(d)]; }
};

struct device_plan : device_summary {
    sequence<placed_layer> layers;
    sequence<device_segment> segments;
};

namespace detail {

inline constexpr compute_device all_devices[] = {compute_device::engine, compute_device::gpu, compute_device::cpu};

/// Not constexpr: reaching it in a constant expression is the error.
[[noreturn]] inline void refuse_placement(const std::string& why) { throw error(errc::argument, "placement", why); }
[[noreturn]] inline void refuse_placement(const char* what, std::int64_t got) {
    refuse_placement(what + (" " + std::to_string(got)));
}
[[noreturn]] inline void refuse_placement(const char* what, std::int64_t got, const char* where, std::int64_t limit) {
    refuse_placement(what + (" " + std::to_string(got)) + " " + where + " " + std::to_string(limit));
}

[[noreturn]] inline void refuse_unknown_clock(std::string_view runtime) {
    refuse_placement("no clock of " + std::string(runtime) + " is known, and so no time");
}

/// Whether rates that a caller gives can price a layer.
constexpr bool is_usable(const device_rates& r) {
    return r.product > 0 && r.convolution > 0 && r.bandwidth > 0 && r.launch >= 0 && r.layer >= 0 &&
           r.static_power >= 0;
}

constexpr void check(const placement_options& o, const target_description& d) {
    if (o.model != placement_model::system && o.model != placement_model::measured) {
        refuse_placement("the placement model is unknown");
    }
    if (o.goal != placement_goal::time && o.goal != placement_goal::energy) {
        refuse_placement("the goal is unknown");
    }
    if (o.model == placement_model::system && o.goal == placement_goal::energy) {
        refuse_placement("the system's model has no energy figures");
    }
    if (o.relative_unit_microseconds <= 0) {
        refuse_placement("the relative unit must be above 0, and has microseconds:", o.relative_unit_microseconds);
    }
    if (o.model == placement_model::measured && !has_cost_model(d)) {
        refuse_unknown_clock(d.runtime);
    }
    for (const device_rates* const r : {o.gpu, o.cpu}) {
        if (r != nullptr && !is_usable(*r)) {
            refuse_placement("rates of a device must be above 0, and its times not below");
        }
    }
}

constexpr device_rates rates_for(const placement_options& o, const target_description& d, compute_device on) {
    const device_rates* const own = on == compute_device::gpu ? o.gpu : (on == compute_device::cpu ? o.cpu : nullptr);
    return own != nullptr ? *own : device_rates_of(d, on);
}

/// s that the system charges for a segment: launch and transfer; and for one on the engine or a first one on the GPU, to
/// leave the CPU, what small work does not win back, whatever the unit.
constexpr double system_entry(std::size_t device, bool from_another, const placement_options& o) {
    constexpr auto engine = static_cast<std::size_t>(compute_device::engine);
    constexpr auto cpu = static_cast<std::size_t>(compute_device::cpu);
    const system_device& s = system_devices[device];
    const double unit = static_cast<double>(o.relative_unit_microseconds) * 1e-6;
    const double entry = (s.launch + (from_another ? s.transfer : 0)) * unit;
    const bool leaves_the_cpu = device == engine || (device != cpu && !from_another);
    return leaves_the_cpu
               ? entry + (system_devices[cpu].launch - system_devices[engine].launch) * unit + seconds_to_leave_the_cpu
               : entry;
}

/// The roofline of a layer; 0 for one that is a view.
constexpr double layer_seconds(const layer_demand& layer, double rate, double bandwidth, double fixed) {
    const double compute = static_cast<double>(layer.work.flops()) / rate;
    const double memory = static_cast<double>(layer.bytes()) / bandwidth;
    return compute + memory > 0 ? fixed + (compute > memory ? compute : memory) : 0;
}
constexpr bool convolves(const layer_demand& layer) {
    return layer.on == engine_unit::convolution || layer.on == engine_unit::direct;
}
constexpr double layer_seconds(const layer_demand& layer, const device_rates& r) {
    return layer_seconds(layer, convolves(layer) ? r.convolution : r.product, r.bandwidth, r.layer);
}
constexpr double layer_joules(const layer_demand& layer, const device_rates& r) {
    return r.static_power * layer_seconds(layer, r) + r.byte_energy * static_cast<double>(layer.bytes()) +
           (convolves(layer) ? r.convolution_energy : r.product_energy) * static_cast<double>(layer.work.flops());
}

} // namespace detail
} // namespace ane
