#pragma once

#include "../cost/device_serving.hpp"
#include "divergence.hpp"

#include <array>
#include <cstddef>

/// Placements of models: what the rules refuse is not placed on the engine. And as a constant:
/// `static_assert(ane::placed<model, ane::h17s>.fastest == ane::compute_device::engine)`.
namespace ane {

namespace detail {

/// By node of the lowered graph: whether one of the violations is of the node of the model that it comes from.
template <class Origins, class Violations>
constexpr sequence<char> barred_by(const Violations& blocking, const Origins& origins) {
    sequence<char> barred(origins.size(), 0);
    for (const violation& v : blocking) {
        for (std::size_t i = 0; i < origins.size(); ++i) {
            barred[i] = origins[i] == v.node ? 1 : barred[i];
        }
    }
    return barred;
}

} // namespace detail

/// Places a model: lowers it, and keeps from the engine what the rules of the target refuse (rules/acceptance.hpp).
constexpr device_plan place_model(const graph_view& model, const target_description& d,
                                  const placement_options& o = {}) {
    const lowered_graph lowered = lower(model);
    return device_placement(lowered.view(), d, o, detail::barred_by(blockers_of(model, d), lowered.origins));
}
constexpr device_plan place_model(const graph_view& model, target t, const placement_options& o = {}) {
    return place_model(model, describe(t), o);
}

/// A plan of a fixed size, which a constant can hold.
template <std::size_t Layers, std::size_t Segments> struct constant_device_plan : device_summary {
    std::array<placed_layer, Layers> layers{};
    std::array<device_segment, Segments> segments{};
};

namespace detail {

template <const auto& Model, auto Target, placement_options Options> struct placement_of {
    using lowered = lowered_constants<Model>;
    static constexpr device_plan find() {
        return device_placement(lowered::lowered.graph, describe(Target), Options,
                                barred_by(blockers<Model, Target>, lowered::lowered.origins));
    }
    static constexpr std::array<std::size_t, 2> sizes = [] {
        const device_plan p = find();
        return std::array<std::size_t, 2>{p.layers.size(), p.segments.size()};
    }();
    static constexpr constant_device_plan<sizes[0], sizes[1]> value = [] {
        const device_plan p = find();
        return constant_device_plan<sizes[0], sizes[1]>{static_cast<const device_summary&>(p),
                                                        as_array<sizes[0]>(p.layers), as_array<sizes[1]>(p.segments)};
    }();
};

} // namespace detail

/// `place_model` of a constexpr model as a constant. A target, or the address of a `target_description`.
template <const auto& Model, auto Target, placement_options Options = placement_options{}>
inline constexpr const auto& placed = detail::placement_of<Model, Target, Options>::value;

} // namespace ane
