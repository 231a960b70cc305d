#pragma once

#include "../error.hpp"
#include "../graph/graph.hpp"
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

namespace ane {

/// The memory of ports in the order of the graph's inputs, or of its outputs: dense, row-major.
using input_buffers = std::span<const std::span<const std::byte>>;
using output_buffers = std::span<const std::span<std::byte>>;

/// A compiled program: runs on bound memory, as often as wanted. Throws `error` when a run fails, and (errc::port) for
/// buffers that are not the ports in number and size.
template <class T>
concept executable = std::movable<T> && requires(T& program, input_buffers inputs, output_buffers outputs) {
    program.run(inputs, outputs);
};

/// A place to run a model. `supports` says, in constant expressions too, whether it has a kernel for an operation;
/// `compile` makes a program of a graph and its weights, or throws `error`.
template <class T>
concept runnable_backend = requires(const T& backend, const graph_view& g, const weight_store& weights, op kind) {
    { backend.name() } -> std::convertible_to<std::string>;
    { backend.supports(kind) } -> std::convertible_to<bool>;
    { backend.compile(g, weights) } -> executable;
};

namespace detail {

/// Nodes that are inputs, in order: the ports of a graph.
constexpr int input_count(const graph_view& g) {
    int count = 0;
    for (const node& n : g.nodes) {
        count += n.kind == op::input ? 1 : 0;
    }
    return count;
}
/// The position among the inputs of the one called `wanted`, or -1.
constexpr int input_position(const graph_view& g, std::string_view wanted) {
    int position = 0;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
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
        if (g[i].kind == op::input && position-- == 0) {
            return i;
        }
    }
    return -1;
}

/// Names and sizes of a program's ports, kept to check the buffers of each run.
class port_table {
public:
    explicit port_table(const graph_view& g) {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                inputs_.push_back(port_of(std::string(g.name(i)), g[i]));
            }
        }
        for (const output_port& each : g.outputs) {
            outputs_.push_back(port_of(std::string(g.name(each)), g[each.node]));
        }
    }

    /// Throws `error` (errc::port) unless there is one buffer for each port, of just its bytes, aligned as its elements
    /// are. Allocates only to throw.
    void check(input_buffers inputs, output_buffers outputs) const {
        check(inputs, inputs_, "inputs");
        check(outputs, outputs_, "outputs");
    }

private:
    struct port {
        std::string name;
        std::size_t bytes;
        std::size_t alignment;
    };

    static port port_of(std::string name, const node& n) {
        return {std::move(name), static_cast<std::size_t>(bytes(n.type, n.shape.count())),
                n.type == dtype::f16 ? alignof(half) : 1};
    }

    template <class Buffers>
    static void check(const Buffers& given, const std::vector<port>& ports, const char* direction) {
        if (given.size() != ports.size()) {
            throw error(errc::port, direction,
                        std::to_string(given.size()) + " buffers are given, the program has " +
                            std::to_string(ports.size()) + " " + direction);
        }
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (given[i].size() != ports[i].bytes) {
                throw error(errc::port, ports[i].name,
                            "has " + std::to_string(given[i].size()) + " bytes, the port takes " +
                                std::to_string(ports[i].bytes));
            }
            if (reinterpret_cast<std::uintptr_t>(given[i].data()) % ports[i].alignment != 0) {
                throw error(errc::port, ports[i].name,
                            "begins at an odd address, its elements are aligned to " +
                                std::to_string(ports[i].alignment) + " bytes");
            }
        }
    }

    std::vector<port> inputs_;
    std::vector<port> outputs_;
};

/// What a program holds; throws `error` (errc::argument) when it was moved away.
template <class State> State& held(const std::unique_ptr<State>& state, const char* program) {
    if (!state) {
        throw error(errc::argument, program, "was moved from");
    }
    return *state;
}

} // namespace detail

} // namespace ane
