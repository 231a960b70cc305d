#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "../graph/sequence.hpp"
#include "../targets/target.hpp"
#include "../weights/store.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The memory of ports in the order of the graph's inputs, or of its outputs: dense, row-major.
using input_buffers = std::span<const std::span<const std::byte>>;
using output_buffers = std::span<const std::span<std::byte>>;

/// A compiled program: runs on bound memory, any number of times. Throws `error` when a run fails, and (errc::port) for
/// buffers that do not match the ports in number and size.
template <class T>
concept executable = std::movable<T> && requires(T& program, input_buffers inputs, output_buffers outputs) {
    program.run(inputs, outputs);
};

/// A program that keeps the states of a model between its runs.
template <class T>
concept keeps_states = executable<T> && requires(T& program, std::string_view name) {
    { program.state(name) } -> std::same_as<std::span<std::byte>>;
    program.reset();
};

/// A place to run a model. `supports` says, in constant expressions too, whether it has a kernel for an operation;
/// `compile` makes a program of a graph and its weights, or throws `error`. One that checks the values of weights as it
/// reads them, by `verified_weight` or `fold_constants`, says so by `static constexpr bool verifies_weights = true`: then
/// `ane::compile` checks their names and shapes alone, and no weight is decoded twice.
template <class T>
concept runnable_backend = requires(const T& backend, const graph_view& g, const weight_store& weights, op kind) {
    { backend.name() } -> std::convertible_to<std::string>;
    { backend.supports(kind) } -> std::convertible_to<bool>;
    { backend.compile(g, weights) } -> executable;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

template <class Backend>
concept verifies_weights = requires {
    requires Backend::verifies_weights;
};

/// Whether a node is a port that callers bind: an input that is no state.
constexpr bool is_bound(const graph_view& g, int index) { return g[index].kind == op::input && g.next_of(index) < 0; }

/// The same of every node.
constexpr sequence<char> bound_nodes(const graph_view& g) {
    sequence<char> bound(g.nodes.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        bound[i] = g.nodes[i].kind == op::input ? 1 : 0;
    }
    for (const output_port& port : g.outputs) {
        if (port.is_state()) {
            bound[static_cast<std::size_t>(port.state)] = 0;
        }
    }
    return bound;
}

/// The inputs that callers bind, in order.
constexpr int input_count(const graph_view& g) {
    int count = 0;
    for (int i = 0; i < g.size(); ++i) {
        count += is_bound(g, i) ? 1 : 0;
    }
    return count;
}
/// The position among the inputs of the one called `wanted`, or -1.
constexpr int input_position(const graph_view& g, std::string_view wanted) {
    int position = 0;
    for (int i = 0; i < g.size(); ++i) {
        if (is_bound(g, i)) {
            if (g.name(i) == wanted) {
                return position;
            }
            ++position;
        }
    }
    return -1;
}
/// The node of the `position`-th input.
constexpr int input_node(const graph_view& g, int position) {
    for (int i = 0; i < g.size(); ++i) {
        if (is_bound(g, i) && position-- == 0) {
            return i;
        }
    }
    return -1;
}

/// The outputs that callers see, in order.
constexpr int output_count(const graph_view& g) {
    int count = 0;
    for (const output_port& port : g.outputs) {
        count += port.is_state() ? 0 : 1;
    }
    return count;
}
/// The position among these of the one called `wanted`, or -1.
constexpr int output_position(const graph_view& g, std::string_view wanted) {
    int position = 0;
    for (const output_port& port : g.outputs) {
        if (!port.is_state()) {
            if (g.name(port) == wanted) {
                return position;
            }
            ++position;
        }
    }
    return -1;
}
/// The node of the `position`-th of them.
constexpr int output_node(const graph_view& g, int position) {
    for (const output_port& port : g.outputs) {
        if (!port.is_state() && position-- == 0) {
            return port.node;
        }
    }
    return -1;
}
/// The input node of the state called `wanted`, or -1.
constexpr int state_node(const graph_view& g, std::string_view wanted) {
    const int found = g.find(op::input, wanted);
    return found >= 0 && g.next_of(found) >= 0 ? found : -1;
}

} // namespace ane::detail::inline ANEMONE_WAY
