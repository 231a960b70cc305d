#pragma once

#include "../graph/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ane {

/// How a program of its own is reached: as MIL text by the direct route, as a netplist, or not on the engine at all.
enum class door : std::uint8_t { direct, netplist, host };

constexpr std::string_view name(door d) noexcept {
    constexpr std::string_view names[] = {"direct", "netplist", "host"};
    return names[static_cast<std::size_t>(d)];
}

/// Why a segment begins where it does.
enum class cut_reason : std::uint8_t {
    start,          ///< it is the first on the engine's direct route
    netplist_only,  ///< only the netplist route has the operation
    host_only,      ///< no route of the target has the operation
    given_to_host,  ///< the model says `on_host`
    resumption,     ///< it reads what another door computed
    marked,         ///< the model says `cut`
    weights,        ///< the segment before it would have more weights than a program holds,
    decoder_layers, ///< more decoder layers,
    operations      ///< or more operations
};

constexpr std::string_view sentence(cut_reason why) noexcept {
    constexpr std::string_view sentences[] = {"begins on the direct route",
                                              "only the netplist route has the operation",
                                              "no route of the target has the operation",
                                              "the model gives the operation to the host",
                                              "reads what another door computed",
                                              "the model is cut here",
                                              "the weights before it fill a program",
                                              "the decoder layers before it fill a program",
                                              "the operations before it fill a program"};
    return sentences[static_cast<std::size_t>(why)];
}

/// A part of a model that is a program of its own.
struct segment {
    door place = door::direct;
    cut_reason why = cut_reason::start;
    int because = -1; ///< the node of the model that begins it; -1 where it has none
    int operations = 0;
    int decoder_layers = 0;
    std::int64_t weight_bytes = 0;

    friend constexpr bool operator==(const segment&, const segment&) = default;
};

/// A model cut into segments, which run one after another, however it is stored. Values that every segment has or makes
/// for itself belong to none: inputs, weights, constants, and what no port holds, such as booleans.
struct segmentation_view {
    std::span<const segment> list;
    std::span<const int> nodes; ///< for each node of the model its segment, or -1

    constexpr int size() const { return static_cast<int>(list.size()); }
    constexpr const segment& operator[](int index) const { return list.data()[index]; }
    constexpr int of(int node) const { return nodes.data()[node]; }
    /// The segments behind one door.
    constexpr int count(door place) const {
        int found = 0;
        for (const segment& each : list) {
            found += each.place == place ? 1 : 0;
        }
        return found;
    }
};

/// What a model breaks that cannot be cut into programs.
enum class segment_rule : std::uint8_t {
    no_program_holds_the_weights_of_this_layer,
    no_program_holds_the_decoder_layers_fused_here,
    no_program_holds_the_operations_fused_here,
    there_are_more_programs_than_a_process_loads
};
struct unsegmented {
    bool any = false;
    segment_rule why{};
    int node = -1; ///< the layer, where it is one
    std::int64_t got = 0;
    std::int64_t limit = 0;
};

/// The same, as passes make it.
struct segmentation {
    sequence<segment> list;
    sequence<int> nodes;
    unsegmented refused; ///< in constant expressions; elsewhere an exception says so

    constexpr operator segmentation_view() const { // NOLINT(google-explicit-constructor): a view of it, as of a graph
        return {list, nodes};
    }
    constexpr segmentation_view view() const { return *this; }
    constexpr int size() const { return static_cast<int>(list.size()); }
    constexpr const segment& operator[](int index) const { return list[static_cast<std::size_t>(index)]; }
};

/// The same as a constant.
template <std::size_t Segments, std::size_t Nodes> struct static_segmentation {
    std::array<segment, Segments> list{};
    std::array<int, Nodes> nodes{};

    constexpr explicit static_segmentation(const segmentation& from) {
        for (std::size_t i = 0; i < Segments; ++i) {
            list[i] = from.list[i];
        }
        for (std::size_t i = 0; i < Nodes; ++i) {
            nodes[i] = from.nodes[i];
        }
    }
    constexpr operator segmentation_view() const { // NOLINT(google-explicit-constructor): a view of it, as of a graph
        return {list, nodes};
    }
    constexpr segmentation_view view() const { return *this; }
    static constexpr int size() { return static_cast<int>(Segments); }
    constexpr const segment& operator[](int index) const { return list[static_cast<std::size_t>(index)]; }
};

} // namespace ane
