#pragma once

#include "../base/way.hpp"
#include "../graph/graph.hpp"
#include "backend.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Names and sizes of the ports that a program's caller sees, kept to check the buffers of each run.
class port_table {
public:
    ANEMONE_API explicit port_table(const graph_view& g);

    /// Throws `error` (errc::port) unless there is one buffer for each port, of just its bytes, aligned as its elements
    /// are. Allocates only to throw.
    ANEMONE_API void check(input_buffers inputs, output_buffers outputs) const;
    /// The same of the inputs alone.
    ANEMONE_API void check_inputs(input_buffers inputs) const;

private:
    struct port {
        std::string name;
        std::size_t bytes = 0;
        std::size_t alignment = 1;
    };
    template <class Buffers>
    static void check_ports(const Buffers& given, const sequence<port>& ports, const char* direction);

    sequence<port> inputs_;
    sequence<port> outputs_;
};

/// The ports of a program that keeps its states itself: each state has two buffers, of which a run reads one and writes
/// the other, so that a run that fails leaves the state as it was.
class bound_ports {
public:
    ANEMONE_API explicit bound_ports(const graph_view& g);

    /// Checks the caller's buffers (`port_table`) and takes them for the next run.
    ANEMONE_API void bind(input_buffers inputs, output_buffers outputs);
    /// The buffers of all inputs and of all outputs of the graph, states among them, in their order.
    input_buffers inputs() const { return inputs_; }
    output_buffers outputs() const { return outputs_; }
    /// Makes the values that a run wrote those that the next one reads.
    ANEMONE_API void keep();

    /// The value of a state. Throws `error` (errc::port) if no state has this name.
    ANEMONE_API std::span<std::byte> state(std::string_view name);
    /// Sets every state to zeros.
    ANEMONE_API void reset();

private:
    struct kept {
        std::string name;
        std::size_t input = 0;  ///< its position among the graph's inputs
        std::size_t output = 0; ///< and among its outputs
        std::vector<std::byte> now;
        std::vector<std::byte> next;
    };
    port_table table_;
    sequence<std::span<const std::byte>> inputs_;
    sequence<std::span<std::byte>> outputs_;
    sequence<std::size_t> given_;    ///< positions of the caller's inputs among all
    sequence<std::size_t> returned_; ///< positions of the caller's outputs among all
    sequence<kept> states_;
    sequence<std::size_t> by_name_; ///< positions of the states in the order of their names
};

} // namespace ane::detail::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "ports.ipp"
#endif
