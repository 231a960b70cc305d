#pragma once

#include "segments.hpp"

#include <array>
#include <cstddef>

/// `segments_of` in several constants, since compilers bound the steps of each: what a model is lowered to, what of it
/// may be cut, by which doors, in which stages, and where stages are split. The first two serve every target.
namespace ane::detail {

template <class T, std::size_t Size> constexpr std::array<T, Size> array_of(const sequence<T>& from) {
    std::array<T, Size> to{};
    for (std::size_t i = 0; i < Size; ++i) {
        to[i] = from[i];
    }
    return to;
}
template <class T, std::size_t Size> constexpr sequence<T> sequence_of(const std::array<T, Size>& from) {
    sequence<T> to;
    to.append(from);
    return to;
}

template <graph_size Size> struct static_lowered {
    static_graph<Size> graph;
    std::array<int, Size.nodes> origins;

    constexpr explicit static_lowered(const lowered_graph& from)
        : graph(from.graph), origins(array_of<int, Size.nodes>(from.origins)) {}
};
template <std::size_t Nodes> struct static_cuttable {
    std::array<cut_role, Nodes> roles;
    std::array<int, Nodes> leaders;

    constexpr explicit static_cuttable(const cuttable& from)
        : roles(array_of<cut_role, Nodes>(from.roles)), leaders(array_of<int, Nodes>(from.leaders)) {}
    constexpr cuttable copy() const { return {sequence_of(roles), sequence_of(leaders)}; }
};
template <std::size_t Stages, std::size_t Nodes> struct static_stages {
    std::array<segment, Stages> list;
    std::array<int, Nodes> of;
    std::array<int, Nodes> heads;

    constexpr explicit static_stages(const stages& from)
        : list(array_of<segment, Stages>(from.list)), of(array_of<int, Nodes>(from.of)),
          heads(array_of<int, Nodes>(from.heads)) {}
    constexpr stages copy() const { return {sequence_of(list), sequence_of(of), sequence_of(heads)}; }
};

template <const auto& Model> struct cut_model {
    static constexpr std::size_t nodes = Model.nodes.size();
    static constexpr graph_size lowered_size = size_of(lower_each(Model).graph);
    static constexpr static_lowered<lowered_size> lowered{lower_each(Model)};
    static constexpr static_cuttable<nodes> what{find_cuttable_of(Model, lowered.graph, lowered.origins)};
};

template <const auto& Model, target Generation> struct cut_for_target {
    static constexpr std::size_t nodes = Model.nodes.size();
    static constexpr std::array<door_set, nodes> doors =
        array_of<door_set, nodes>(doors_of(Model, describe(Generation)));
    static constexpr stages find() {
        return stage_finder(Model, cut_model<Model>::what.copy(), sequence_of(doors)).result();
    }
    static constexpr std::size_t stage_count = find().list.size();
    static constexpr static_stages<stage_count, nodes> found{find()};

    static constexpr segmentation split(const segment_limits& limits) {
        return split_stages(Model, found.copy(), sequence_of(cut_model<Model>::what.roles),
                            describe(Generation).mil_supported, limits);
    }
};

template <const auto& Model, target Generation, segment_limits Limits>
inline constexpr std::size_t segment_count = cut_for_target<Model, Generation>::split(Limits).list.size();

} // namespace ane::detail

namespace ane {

/// The segments of a model that is a constant (`segments_of`): `static_assert(ane::segments<model, ane::h13>.size() ==
/// 3)`.
template <const auto& Model, target Generation, segment_limits Limits = segment_limits{}>
inline constexpr static_segmentation<detail::segment_count<Model, Generation, Limits>, Model.nodes.size()> segments{
    detail::cut_for_target<Model, Generation>::split(Limits)};

} // namespace ane
