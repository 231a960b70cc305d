#pragma once

#include "../../hidden.hpp"
#include "../../numerics/kernels.hpp"
#include "../../way.hpp"
#include "../backend.hpp"
#include "../ports.hpp"
#include "evaluate.hpp"

#include <cstring>
#include <memory>
#include <string>

namespace ane::backend::inline ANEMONE_WAY {

/// A model compiled for the oracle. Keeps the value of every lowered node of the last run. Move-only; a moved-from
/// program throws `error` (errc::argument) on use.
class oracle_program {
public:
    oracle_program(const graph_view& model, const weight_store& weights, const numerics::datapath& arithmetic,
                   int threads = 1)
        : state_(hidden<state>::of(new state(model, weights, arithmetic))) {
        state_.get(name).values.threads = threads;
    }

    /// Throws `error` (errc::port) for buffers that are not the ports in number and size.
    void run(input_buffers inputs, output_buffers outputs) {
        state& self = state_.get(name);
        self.ports.check(inputs, outputs);
        const graph_view g = self.lowered.graph;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            self.values.enter(detail::input_node(g, static_cast<int>(i)), inputs[i]);
        }
        oracle_steps::evaluate_all(self.values);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::memcpy(outputs[i].data(), self.values.bytes(g.outputs[i].node), outputs[i].size());
        }
    }

    /// The lowered graph that runs, and the values of its nodes in the last run.
    const lowered_graph& lowered() const { return state_.get(name).lowered; }
    const oracle_steps::evaluation& values() const { return state_.get(name).values; }
    std::span<const half> value(int lowered_node) const {
        const oracle_steps::evaluation& e = values();
        if (e.at(lowered_node).type != dtype::f16) {
            throw error(errc::argument, name, "the value of this node is not fp16: read values().bytes");
        }
        return {e.data(lowered_node), static_cast<std::size_t>(e.count(lowered_node))};
    }

private:
    static constexpr const char* name = "oracle program";

    static lowered_graph modelled(lowered_graph g) {
        if (!numerics::ieee_arithmetic) {
            throw error(errc::argument, "oracle",
                        "the compiler was told to break IEEE 754 (-ffast-math, -mfpmath=387)");
        }
        for (const node& n : g.graph.nodes) {
            if (!numerics::has_path(n.kind)) {
                throw error(errc::lowering, std::string(ane::name(n.kind)),
                            "has no model of the engine's arithmetic in the oracle");
            }
        }
        return g;
    }

    struct state {
        state(const graph_view& model, const weight_store& weights, const numerics::datapath& arithmetic)
            : lowered(modelled(lower(model))), ports(lowered.graph), constants(materialize(lowered.graph, weights)),
              values(lowered.graph, constants, arithmetic) {
            oracle_steps::check_constant_indices(values);
        }
        lowered_graph lowered;
        detail::port_table ports;
        materialized constants;
        oracle_steps::evaluation values;
    };
    hidden<state> state_; // the values refer to their neighbours, so these keep their address
};

/// The engine's arithmetic on a CPU, bit by bit as far as the facts define it (numerics): what a program returns on the
/// generation of the given target. Where sources conflict, the datapath's named parameters say which side is taken; a
/// user's own parameters can be given instead.
class oracle {
public:
    explicit oracle(target generation)
        : oracle(numerics::datapath_of(generation), std::string(ane::name(generation))) {}
    explicit oracle(const numerics::datapath& arithmetic, std::string label = "custom")
        : arithmetic_(numerics::checked(arithmetic)), label_(std::move(label)) {}

    std::string name() const { return "oracle " + label_; }
    static constexpr bool supports(op kind) { return is_composed(kind) || numerics::has_path(kind); }

    const numerics::datapath& arithmetic() const { return arithmetic_; }

    /// The same oracle with its large contractions in up to `count` threads: the same bits. Throws `error`
    /// (errc::argument) for less than one.
    oracle threads(int count) const {
        if (count < 1) {
            throw error(errc::argument, "oracle", std::to_string(count) + " threads, at least 1");
        }
        oracle result = *this;
        result.threads_ = count;
        return result;
    }
    oracle_program compile(const graph_view& model, const weight_store& weights) const {
        return {model, weights, arithmetic_, threads_};
    }

private:
    numerics::datapath arithmetic_;
    std::string label_;
    int threads_ = 1;
};

} // namespace ane::backend::inline ANEMONE_WAY
