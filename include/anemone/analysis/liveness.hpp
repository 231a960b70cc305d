#pragma once

#include "../graph/constants.hpp"

#include <cstdint>

namespace ane {

/// The steps at which a value is in memory. Step i computes node i; the operands and the result of a node are all alive
/// at its step. An output is alive to the end, which is the step after the last node.
struct lifetime {
    int first = -1; ///< -1: the value has no place in the memory that is planned
    int last = -1;

    constexpr bool stored() const { return first >= 0; }
    constexpr bool overlaps(const lifetime& other) const {
        return stored() && other.stored() && first <= other.last && other.first <= last;
    }
    friend constexpr bool operator==(const lifetime&, const lifetime&) = default;
};

/// Which values besides the results of operations have lifetimes: inputs are the caller's memory and constants
/// (`constant_nodes`: weights, constants and what folds from them) are the program's, so neither is counted by default.
struct liveness_options {
    bool inputs = false;
    bool constants = false;
};

/// Lifetimes of all values of a graph, by node: [produced, last read]. A value that nothing reads dies at the step that
/// produces it. Node i is computed at the step ends[i], where it has a value in memory only if that is its own: the others
/// are parts of a fused layer.
constexpr sequence<lifetime> lifetimes(const graph_view& g, const sequence<int>& ends, liveness_options options = {}) {
    const sequence<char> known = constant_nodes(g);
    sequence<lifetime> result(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool kept = known[at] != 0 ? options.constants : (g[i].kind != op::input || options.inputs);
        if (kept && ends[at] == i) {
            result[at] = {i, i};
        }
        for (const int o : g.operands(i)) {
            lifetime& read = result[static_cast<std::size_t>(o)];
            // A folded node reads its operands when the graph is compiled, not at its step.
            if (read.stored() && known[at] == 0) {
                read.last = ends[at] > read.last ? ends[at] : read.last;
            }
        }
    }
    for (const output_port& port : g.outputs) {
        lifetime& value = result[static_cast<std::size_t>(port.node)];
        value.last = value.stored() ? g.size() : value.last;
    }
    return result;
}

/// The same where every node is computed alone.
constexpr sequence<lifetime> lifetimes(const graph_view& g, liveness_options options = {}) {
    sequence<int> ends(g.nodes.size());
    for (int i = 0; i < g.size(); ++i) {
        ends[static_cast<std::size_t>(i)] = i;
    }
    return lifetimes(g, ends, options);
}

/// For each node the node whose memory holds its value: itself, or, for a reshape whose operand dies there, the owner
/// of the operand's memory. A reshape moves nothing, so the two can share it. -1 for values without a lifetime.
constexpr sequence<int> storage_owners(const graph_view& g, const sequence<lifetime>& alive) {
    sequence<int> owners(g.nodes.size(), -1);
    for (int i = 0; i < g.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!alive[at].stored()) {
            continue;
        }
        owners[at] = i;
        if (g[i].kind == op::reshape) {
            const auto from = static_cast<std::size_t>(g.operands(i)[0]);
            if (alive[from].stored() && alive[from].last == i && g[i].type == g.nodes[from].type) {
                owners[at] = owners[from];
            }
        }
    }
    return owners;
}

/// Lifetimes of the memory: an owner's covers all values that share its memory; other nodes have none.
constexpr sequence<lifetime> merged(sequence<lifetime> alive, const sequence<int>& owners) {
    for (std::size_t i = 0; i < alive.size(); ++i) {
        if (owners[i] >= 0 && owners[i] != static_cast<int>(i)) {
            lifetime& place = alive[static_cast<std::size_t>(owners[i])];
            place.last = alive[i].last > place.last ? alive[i].last : place.last;
            alive[i] = {};
        }
    }
    return alive;
}

/// The most bytes that are alive at one step: no arena can be smaller. `alive` has one entry for each node.
constexpr std::int64_t peak_live_bytes(const graph_view& g, const sequence<lifetime>& alive) {
    sequence<std::int64_t> change(g.nodes.size() + 2, 0);
    for (int i = 0; i < g.size(); ++i) {
        const lifetime& value = alive[static_cast<std::size_t>(i)];
        if (value.stored()) {
            const std::int64_t size = bytes(g[i].type, g[i].shape.count());
            change[static_cast<std::size_t>(value.first)] += size;
            change[static_cast<std::size_t>(value.last) + 1] -= size;
        }
    }
    std::int64_t live = 0;
    std::int64_t peak = 0;
    for (const std::int64_t c : change) {
        live += c;
        peak = live > peak ? live : peak;
    }
    return peak;
}

/// The peak of a graph's intermediate values, reshapes that take over their operand's place counted once.
constexpr std::int64_t peak_live_bytes(const graph_view& g, liveness_options options = {}) {
    const sequence<lifetime> alive = lifetimes(g, options);
    return peak_live_bytes(g, merged(alive, storage_owners(g, alive)));
}

} // namespace ane
