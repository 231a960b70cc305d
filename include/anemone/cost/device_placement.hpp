#pragma once

#include "device_path.hpp"

/// Engine, GPU or CPU for a whole graph and for each of its layers: the shortest path over the layers in their order.
namespace ane {

/// Places the layers of a lowered graph (passes/lowering.hpp). `barred`, by node of it, names what the engine must not
/// get besides what its generation lacks: rules/device_placement_of.hpp fills it with what the rules refuse.
///
/// measured: a segment on the engine costs what `estimate` has for it as a program of its own, so a value that changes
/// sides is charged as a port; one on the GPU or the CPU costs a launch and its layers, for they share the memory.
/// system: the roofline of each layer at coarse anchors, a launch for a segment, a transfer for each but the first, and
/// to leave the CPU what keeps small work there (predicted, as is then the plan).
///
/// The path is the shortest of all assignments of devices to layers, found in n log n steps (cost/engine_starts.hpp).
constexpr device_plan device_placement(const graph_view& lowered, const target_description& d,
                                       const placement_options& o = {}, const sequence<char>& barred = {}) {
    const detail::placement_problem problem(lowered, d, o, barred);
    return problem.plan(lowered, problem.shortest());
}
constexpr device_plan device_placement(const graph_view& lowered, target t, const placement_options& o = {},
                                       const sequence<char>& barred = {}) {
    return device_placement(lowered, describe(t), o, barred);
}

/// The same figures for devices chosen by something else, one for each layer: what the system's choice costs by measured
/// rates, for instance.
constexpr device_plan plan_on(const graph_view& lowered, const target_description& d,
                              const sequence<compute_device>& devices, const placement_options& o = {},
                              const sequence<char>& barred = {}) {
    const detail::placement_problem problem(lowered, d, o, barred);
    problem.check_assignment(devices);
    return problem.plan(lowered, devices);
}
constexpr device_plan plan_on(const graph_view& lowered, target t, const sequence<compute_device>& devices,
                              const placement_options& o = {}, const sequence<char>& barred = {}) {
    return plan_on(lowered, describe(t), devices, o, barred);
}

/// The devices of a plan, one for each layer.
constexpr sequence<compute_device> devices_of(const device_plan& plan) {
    sequence<compute_device> devices;
    for (const placed_layer& layer : plan.layers) {
        devices.push_back(layer.on);
    }
    return devices;
}

} // namespace ane
