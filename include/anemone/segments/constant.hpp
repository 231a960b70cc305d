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

/// What is to be known before the segments themselves are a constant.
struct segments_known {
    std::size_t count = 0;
    unsegmented refused;
};
template <const auto& Model, target Generation, segment_limits Limits>
inline constexpr segments_known known_of_segments = [] {
    const segmentation found = cut_for_target<Model, Generation>::split(Limits);
    return segments_known{found.list.size(), found.refused};
}();

template <const auto& Model, unsegmented Refused> struct refused_layer {
    static constexpr op kind = Model.nodes[Refused.node < 0 ? 0 : static_cast<std::size_t>(Refused.node)].kind;
    static constexpr int line = Model.nodes[Refused.node < 0 ? 0 : static_cast<std::size_t>(Refused.node)].where.line;
};

} // namespace ane::detail

namespace ane {

/// What stands for the segments of a model that cannot be cut: a layer exceeds a limit, or there are too many programs.
/// It has nothing, so that what is asked of it is the error, on the caller's line.
template <segment_rule Why, std::int64_t Got, std::int64_t Limit, class... Layer> struct refused_segments {};

/// The layer, in a `refused_segments`.
template <op Operation, int Line> struct layer_in_line {};

namespace detail {

template <const auto& Model, target Generation, segment_limits Limits> constexpr auto constant_segments() {
    constexpr segments_known known = known_of_segments<Model, Generation, Limits>;
    if constexpr (!known.refused.any) {
        return static_segmentation<known.count, Model.nodes.size()>(cut_for_target<Model, Generation>::split(Limits));
    } else if constexpr (known.refused.node < 0) {
        return refused_segments<known.refused.why, known.refused.got, known.refused.limit>{};
    } else {
        using layer = refused_layer<Model, known.refused>;
        return refused_segments<known.refused.why, known.refused.got, known.refused.limit,
                                layer_in_line<layer::kind, layer::line>>{};
    }
}

} // namespace detail

/// The segments of a model that is a constant (`segments_of`): `static_assert(ane::segments<model, ane::h13>.size() ==
/// 3)`.
template <const auto& Model, target Generation, segment_limits Limits = segment_limits{}>
inline constexpr auto segments = detail::constant_segments<Model, Generation, Limits>();

} // namespace ane
