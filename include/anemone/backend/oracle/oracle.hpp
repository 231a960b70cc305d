#pragma once

#include "../../targets/table.hpp"
#include "../backend.hpp"
#include "interpreter.hpp"

#include <algorithm>
#include <memory>
#include <string>

namespace ane::backend {

/// A model compiled for the oracle. Keeps the value of every lowered node of the last run. Move-only; a moved-from program
/// throws `error` (errc::argument) on use.
class oracle_program {
public:
    oracle_program(const graph_view& model, const weight_store& weights, const numerics::datapath& arithmetic)
        : state_(std::make_unique<state>(model, weights, arithmetic)) {}

    /// Throws `error` (errc::port) for buffers that are not the ports in number and size.
    void run(input_buffers inputs, output_buffers outputs) {
        state& self = detail::held(state_, name);
        self.ports.check(inputs, outputs);
        const graph_view g = self.lowered.graph;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            self.nodes.bind(detail::input_node(g, static_cast<int>(i)), inputs[i]);
        }
        self.nodes.run();
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto value = std::as_bytes(self.nodes.value(g.outputs[i].node));
            std::copy(value.begin(), value.end(), outputs[i].begin());
        }
    }

    /// The lowered graph that runs, and the value of one of its nodes in the last run.
    const lowered_graph& lowered() const { return detail::held(state_, name).lowered; }
    std::span<const half> value(int lowered_node) const { return detail::held(state_, name).nodes.value(lowered_node); }

private:
    static constexpr const char* name = "oracle program";

    static lowered_graph modelled(lowered_graph g) {
        for (const node& n : g.graph.nodes) {
            if (!numerics::has_path(n.kind)) {
                throw error(errc::lowering, std::string(ane::name(n.kind)),
                            "has no model of the engine's arithmetic in the oracle yet");
            }
        }
        return g;
    }

    struct state {
        state(const graph_view& model, const weight_store& weights, const numerics::datapath& arithmetic)
            : lowered(modelled(lower(model))), ports(lowered.graph), constants(materialize(lowered.graph, weights)),
              nodes(lowered.graph, constants, arithmetic) {}
        lowered_graph lowered;
        detail::port_table ports;
        materialized constants;
        detail::interpreter nodes;
    };
    std::unique_ptr<state> state_; // the interpreter refers to its neighbours, so they keep their address
};

/// The engine's arithmetic on a CPU, bit by bit as far as the facts define it (numerics): what a program returns on the
/// generation of the given target. Where sources conflict, the datapath's named parameters say which side is taken; a
/// user's own parameters can be given instead.
class oracle {
public:
    explicit oracle(target generation)
        : oracle(numerics::datapath_of(generation), std::string(ane::name(generation))) {}
    explicit oracle(const numerics::datapath& arithmetic, std::string label = "custom")
        : arithmetic_(arithmetic), label_(std::move(label)) {}

    std::string name() const { return "oracle " + label_; }
    static constexpr bool supports(op kind) { return is_composed(kind) || numerics::has_path(kind); }

    oracle_program compile(const graph_view& model, const weight_store& weights) const {
        return {model, weights, arithmetic_};
    }

private:
    numerics::datapath arithmetic_;
    std::string label_;
};

} // namespace ane::backend
