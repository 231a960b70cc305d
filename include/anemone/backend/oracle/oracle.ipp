#pragma once

#include "../../graph/copy.hpp"
#include "../../numerics/kernels.hpp"
#include "../../passes/lowering.hpp"
#include "../../passes/validate.hpp"
#include "../cpu/repertoire.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "evaluate.hpp"
#include "oracle.hpp"
#include "step_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace ane::oracle::inline ANEMONE_WAY {

/// What programs are built from: how operations are evaluated.
struct repertoire {
    const step_table& steps;
    constant_arithmetic constants;
};

/// A separate function: merely naming the table of all operations here would instantiate it.
template <op_set Operations> const step_table& steps_of() { return step_table_of<Operations>; }

ANEMONE_BODY const step_table& every_step() { return steps_of<every_op>(); }

template <op_set Operations, constant_operations Folded> repertoire repertoire_of() {
    return {steps_of<Operations>(), cpu::constant_arithmetic_of<Operations, Folded>()};
}

/// Whether a model is lowered in a constant expression. If so, a program contains neither the code of lowering nor that
/// of operations that it does not use. Compilers limit the steps of a constant, and what lowering refuses is reported
/// at run time.
template <const auto& Model> constexpr bool lowers_in_a_constant() {
    bool lowers = Model.nodes.size() <= 256;
    for (const output_port& port : Model.view().outputs) {
        lowers = lowers && Model.view()[port.node].type == dtype::f16;
    }
    return lowers;
}

/// A model, lowered in a constant.
template <const auto& Model> struct lowered_model {
    static constexpr graph_size size = size_of(lower(Model).graph);
    struct constants {
        static_graph<size> graph;
        std::array<int, size.nodes> origins{};
        constexpr explicit constants(const lowered_graph& lowered) : graph(lowered.graph) {
            for (std::size_t i = 0; i < origins.size(); ++i) {
                origins[i] = lowered.origins[i];
            }
        }
    };
    static constexpr constants value{lower(Model)};
    static constexpr op_set operations = operations_of(value.graph);
    static constexpr constant_operations folded = computed_when_compiled(value.graph);

    static lowered_graph copy() {
        const auto& [graph, origins] = value;
        lowered_graph lowered{copy_of(graph), {}};
        lowered.origins.append(origins);
        return lowered;
    }
};

} // namespace ane::oracle::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct oracle_program::members {
    ANEMONE_INLINE members(lowered_graph g, const weight_store& weights, const numerics::datapath& arithmetic,
                           const ane::oracle::repertoire& evaluators)
        : lowered(std::move(g)), ports(lowered.graph),
          constants(fold_constants(lowered.graph, weights, evaluators.constants)),
          values(lowered.graph, constants, arithmetic, evaluators.steps) {
        ane::oracle::check_constant_indices(values);
    }
    lowered_graph lowered;
    ane::detail::bound_ports ports;
    folded_constants constants;
    ane::oracle::evaluation values;
    ane::detail::run_flag running{false};
};

ANEMONE_BODY oracle_program::oracle_program(lowered_graph model, const weight_store& weights,
                                            const numerics::datapath& arithmetic, int threads,
                                            const ane::oracle::repertoire& evaluators, layer_forms layers) {
    if (!numerics::ieee_arithmetic) {
        throw error(errc::argument, "oracle", "the compiler was told to break IEEE 754 (-ffast-math, -mfpmath=387)");
    }
    state_ = hidden<members>::of(new members(std::move(model), weights, arithmetic, evaluators));
    ane::oracle::evaluation& values = state_.get("oracle program").values;
    values.threads = threads;
    values.codes_as_given = layers == layer_forms::own;
}

ANEMONE_BODY void oracle_program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("oracle program");
    const ane::detail::one_run now(self.running, "oracle program");
    self.ports.bind(inputs, outputs);
    const graph_view g = self.lowered.graph;
    std::size_t input = 0;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::input) {
            self.values.bind(i, self.ports.inputs()[input++]);
        }
    }
    ane::oracle::evaluate_all(self.values);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        const half* const value = self.values.data(g.outputs[i].node);
        const std::span<std::byte> to = self.ports.outputs()[i];
        std::vector<half> returned(to.size() / sizeof(half));
        std::transform(value, value + returned.size(), returned.begin(), numerics::detail::left);
        std::memcpy(to.data(), returned.data(), to.size());
    }
    self.ports.keep();
}

ANEMONE_BODY std::span<std::byte> oracle_program::state(std::string_view name) {
    return state_.get("oracle program").ports.state(name);
}
ANEMONE_BODY void oracle_program::reset() { state_.get("oracle program").ports.reset(); }

ANEMONE_BODY const lowered_graph& oracle_program::lowered() const { return state_.get("oracle program").lowered; }

ANEMONE_BODY const ane::oracle::evaluation& oracle_program::values() const {
    return state_.get("oracle program").values;
}

ANEMONE_BODY std::span<const half> oracle_program::value(int lowered_node) const {
    const ane::oracle::evaluation& e = values();
    if (e.at(lowered_node).type != dtype::f16) {
        throw error(errc::argument, "oracle program", "the value of this node is not fp16: read values().bytes");
    }
    return {e.data(lowered_node), static_cast<std::size_t>(e.count(lowered_node))};
}

ANEMONE_BODY oracle::oracle(target generation)
    : oracle(numerics::datapath_of(generation), std::string(ane::name(generation))) {}

ANEMONE_BODY oracle::oracle(const numerics::datapath& arithmetic, std::string label)
    : arithmetic_(numerics::checked(arithmetic)), label_(std::move(label)) {}

ANEMONE_BODY std::string oracle::name() const { return "oracle " + label_; }

ANEMONE_BODY oracle oracle::threads(int count) const {
    if (count < 1) {
        throw error(errc::argument, "oracle", std::to_string(count) + " threads, at least 1");
    }
    oracle result = *this;
    result.threads_ = count;
    return result;
}

ANEMONE_BODY oracle oracle::layers(layer_forms forms) const {
    oracle result = *this;
    result.layers_ = forms;
    return result;
}

ANEMONE_BODY oracle_program oracle::compile(const graph_view& model, const weight_store& weights) const {
    validate(model);
    return {lower(model, {}, layers_),
            weights,
            arithmetic_,
            threads_,
            ane::oracle::repertoire_of<every_op, every_constant>(),
            layers_};
}

#if !defined(ANEMONE_COMPILED)
template <const auto& Model> oracle_program oracle::compile_model(const weight_store& weights) const {
    if (layers_ != layer_forms::safe) { // the code of all operations would be for this alone
        throw error(errc::argument, "oracle",
                    "has a file's own layers of graphs that are read: compile(model.view(), ...)");
    }
    if constexpr (ane::oracle::lowers_in_a_constant<Model>()) {
        using lowered = ane::oracle::lowered_model<Model>;
        return {lowered::copy(), weights, arithmetic_, threads_,
                ane::oracle::repertoire_of<lowered::operations, lowered::folded>()};
    } else {
        return compile(Model, weights);
    }
}
#endif

} // namespace ane::backend::inline ANEMONE_WAY
