#pragma once

#include "../backend/any.hpp"
#include "../backend/samples.hpp"
#include "../base/error.hpp"
#include "../base/way.hpp"
#include "../graph/graph.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// Bytes that any element type may stand on.
using port_bytes = std::vector<std::byte>;

ANEMONE_INLINE port_bytes bytes_for(const node& n) {
    return port_bytes(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
}

/// The buffers of a program's ports.
class port_values {
public:
    /// With random inputs.
    port_values(const graph_view& g, std::uint64_t seed) {
        const model_samples drawn = random_samples(g, 1, seed);
        for (const std::span<const std::byte> input : drawn.inputs(0)) {
            memory_.emplace_back(input.begin(), input.end());
        }
        add_outputs(g);
    }
    /// With these inputs.
    port_values(const graph_view& g, std::vector<port_bytes> inputs) : memory_(std::move(inputs)) { add_outputs(g); }

    input_buffers inputs() const { return inputs_; }
    output_buffers outputs() const { return outputs_; }

private:
    void add_outputs(const graph_view& g) {
        const std::size_t inputs = memory_.size();
        for (const output_port& port : g.outputs) {
            if (!port.is_state()) {
                memory_.push_back(bytes_for(g[port.node]));
            }
        }
        for (std::size_t i = 0; i < memory_.size(); ++i) { // their storage does not move from here on
            if (i < inputs) {
                inputs_.emplace_back(memory_[i]);
            } else {
                outputs_.emplace_back(memory_[i]);
            }
        }
    }

    std::vector<port_bytes> memory_;
    std::vector<std::span<const std::byte>> inputs_;
    std::vector<std::span<std::byte>> outputs_;
};

/// Every value of a model on random inputs, for its layers to read: an index or a mask has to be one.
class value_capture {
public:
    /// Computed by the first backend that takes a graph with all values as outputs; throws its `error` if none does.
    value_capture(const graph_view& g, const weight_store& weights, std::span<const backend::any> places,
                  std::uint64_t seed)
        : values_(static_cast<std::size_t>(g.size())) {
        dynamic_graph whole;
        whole.text_pool.append(g.text_pool);
        whole.payload.append(g.payload);
        whole.operand_pool.append(g.operand_pool);
        for (const node& n : g.nodes) {
            whole.nodes.push_back(n);
        }
        const port_values given(g, seed);
        std::vector<port_bytes> inputs;
        std::vector<int> shown;
        const sequence<char> bound = bound_nodes(g);
        for (int i = 0; i < g.size(); ++i) {
            const node& n = g[i];
            if (n.kind == op::input) {
                auto& value = values_[static_cast<std::size_t>(i)];
                value = bytes_for(n); // a state is zero before the first run
                if (bound[static_cast<std::size_t>(i)] != 0) {
                    const auto from = given.inputs()[inputs.size()];
                    value.assign(from.begin(), from.end());
                }
                inputs.push_back(value);
            } else if (!is_source(n.kind) &&
                       (n.type == dtype::f16 || n.type == dtype::uint8 || n.type == dtype::int8)) {
                shown.push_back(i);
                whole.add_output(i, "value_" + std::to_string(i));
            }
        }
        if (shown.empty()) {
            return;
        }
        const port_values ports(whole, std::move(inputs));
        for (std::size_t i = 0; i < places.size(); ++i) {
            try {
                places[i].compile(whole, weights).run(ports.inputs(), ports.outputs());
                break;
            } catch (const error&) {
                if (i + 1 == places.size()) {
                    throw;
                }
            }
        }
        for (std::size_t i = 0; i < shown.size(); ++i) {
            const auto made = ports.outputs()[i];
            values_[static_cast<std::size_t>(shown[i])].assign(made.begin(), made.end());
        }
    }

    /// Buffers for a part of the model that reads these nodes.
    port_values ports_of(const graph_view& part, const std::vector<int>& reads) const {
        std::vector<port_bytes> inputs;
        inputs.reserve(reads.size());
        for (const int node : reads) {
            inputs.push_back(values_[static_cast<std::size_t>(node)]);
        }
        return {part, std::move(inputs)};
    }

private:
    std::vector<port_bytes> values_;
};

} // namespace ane::detail::inline ANEMONE_WAY
