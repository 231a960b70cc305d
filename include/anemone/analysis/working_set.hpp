#pragma once

#include "../base/stop_point.hpp"
#include "../targets/description.hpp"
#include "liveness.hpp"

#include <cstdint>
#include <string_view>

/// How much memory an operation needs on the chip (guide chapters 17 and 21, R110).
namespace ane {

/// A value and the bytes that it takes without padding.
struct sized_value {
    int node = -1;
    std::int64_t bytes = 0;
};

/// The largest tensor that a node reads or writes, weights included. The comparison on the device is of one tensor, not
/// of the sum of all (guide chapter 21).
constexpr sized_value largest_operand(const graph_view& g, int index) {
    const node& n = g[index];
    sized_value largest{index, bytes(n.type, n.shape.count())};
    for (const int o : g.operands(n)) {
        const std::int64_t size = bytes(g[o].type, g[o].shape.count());
        if (size > largest.bytes) {
            largest = {o, size};
        }
    }
    return largest;
}

/// The bytes above which an operand was measured to be tiled and streamed; the nominal size of the on-chip memory where
/// it was not measured.
constexpr std::int64_t working_set_knee(const target_description& t) {
    return t.memory.working_set_measured > 0 ? t.memory.working_set_measured : t.memory.working_set_nominal;
}
/// The mark of the knee.
constexpr mark working_set_mark(const target_description& t) {
    return t.memory.working_set_measured > 0 ? mark::measured : mark::decompiled;
}

/// Where the largest operand of a node lives while the node runs.
enum class residence : std::uint8_t {
    on_chip,  ///< within the nominal size
    edge,     ///< above the nominal size, below the measured knee: the tiler's margin
    streamed, ///< tiled, and streamed from DRAM: slower or faster, never wrong
};

constexpr std::string_view name(residence r) noexcept {
    constexpr std::string_view names[] = {"on chip", "edge", "streamed"};
    return names[static_cast<std::size_t>(r)];
}

constexpr residence residence_of(std::int64_t bytes, const target_description& t) {
    const std::int64_t nominal = t.memory.working_set_nominal;
    const std::int64_t knee = working_set_knee(t);
    return bytes > knee ? residence::streamed : (bytes > nominal ? residence::edge : residence::on_chip);
}

/// The bytes alive at the step of each node, in the order of the graph: its operands, its result and all that later
/// nodes still read. Inputs count, constants do not (their place is the kernel memory). The engine's compiler reorders
/// the nodes, so these figures hold for this order. Linear in the nodes and operands.
constexpr sequence<std::int64_t> live_bytes(const graph_view& g, liveness_options options = {.inputs = true}) {
    detail::stop_point();
    const sequence<lifetime> values = lifetimes(g, options);
    const sequence<lifetime> places = merged(values, storage_owners(g, values));
    sequence<std::int64_t> live(g.nodes.size() + 2, 0);
    for (int i = 0; i < g.size(); ++i) {
        const lifetime& place = places[static_cast<std::size_t>(i)];
        if (place.stored() && g[i].kind != op::compressed) { // a compressed weight is a weight
            const std::int64_t size = bytes(g[i].type, g[i].shape.count());
            live[static_cast<std::size_t>(place.first)] += size;
            live[static_cast<std::size_t>(place.last) + 1] -= size;
        }
    }
    for (std::size_t i = 1; i < live.size(); ++i) {
        live[i] += live[i - 1];
    }
    live.pop_back();
    live.pop_back();
    return live;
}

} // namespace ane
