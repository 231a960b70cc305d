#pragma once

#include "../cost/device_serving.hpp"
#include "divergence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// What the file of a model asks of the system beyond its graph.
struct file_layers {
    layer_forms layers = layer_forms::safe; ///< own: the engine's own layers that it names stay single layers
    /// By node of the model: the engine's compiler refuses what the file has there, so that Core ML has no engine for it,
    /// though it could be written in other words. Empty: nothing is refused.
    sequence<char> refused;
};

namespace detail {

/// A model as it is placed, by either question.
struct placed_graph {
    lowered_graph lowered;
    sequence<char> barred;      ///< by node of it: broken rules, of values too
    sequence<char> kept_off;    ///< refused by the compiler, which knows no values: by rules, or in the file alone
    bool rests_on_file = false; ///< something is refused in the file alone

    constexpr device_plan plan(const target_description& d, const placement_options& o) const {
        const bool by_system = o.model == placement_model::system;
        device_plan p = device_placement(lowered.view(), d, o, by_system ? kept_off : barred);
        // Refusals were measured with the engine as the only device; that the system then takes another is our reading.
        p.known_by = by_system && rests_on_file ? mark::predicted : p.known_by;
        return p;
    }
};

constexpr placed_graph placed_graph_of(const graph_view& model, const target_description& d, const file_layers& file) {
    placed_graph p{lower(model, {}, file.layers), {}, {}};
    const std::vector<violation> broken = blockers_of(model, d);
    p.barred = barred_by(broken, p.lowered.origins);
    std::vector<violation> refused_by_rules;
    for (const violation& v : broken) {
        if (record_of(v.rule).level == severity::reject) {
            refused_by_rules.push_back(v);
        }
    }
    p.kept_off = barred_by(refused_by_rules, p.lowered.origins);
    if (!file.refused.empty() && file.refused.size() != model.nodes.size()) {
        refuse_placement("a length of the nodes that are refused of", static_cast<std::int64_t>(file.refused.size()),
                         "where the nodes are", model.size());
    }
    for (std::size_t i = 0; !file.refused.empty() && i < p.kept_off.size(); ++i) {
        const bool refused = file.refused[static_cast<std::size_t>(p.lowered.origins[i])] != 0;
        p.rests_on_file = p.rests_on_file || (refused && p.kept_off[i] == 0);
        p.kept_off[i] = refused ? 1 : p.kept_off[i];
    }
    return p;
}

} // namespace detail

/// Places a model: lowers it, and keeps from the engine what breaks a rule of the target (rules/acceptance.hpp); by
/// `placement_model::system` only what the compiler refuses, by a rule or in the model's file.
constexpr device_plan place_model(const graph_view& model, const target_description& d, const placement_options& o = {},
                                  const file_layers& file = {}) {
    return detail::placed_graph_of(model, d, file).plan(d, o);
}
constexpr device_plan place_model(const graph_view& model, target t, const placement_options& o = {},
                                  const file_layers& file = {}) {
    return place_model(model, describe(t), o, file);
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
