#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_diff_trace_hpp);

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../backend/oracle/step.hpp"
#include "../graph/constants.hpp"
#include "../graph/unused_port_prefix.hpp"
#include "../passes/lowering.hpp"
#include "../passes/rewriter.hpp"
#include "holders.hpp"
#include "trace.hpp"

#include <string>

namespace ane::detail::inline ANEMONE_WAY {

/// A copy of a model that returns these nodes too.
ANEMONE_INLINE dynamic_graph observed(const graph_view& model, const std::vector<int>& nodes) {
    rewriter w(model);
    for (int i = 0; i < model.size(); ++i) {
        w.visit(i);
        w.rename(i, w.copy(i));
    }
    const std::string prefix = unused_port_prefix(model);
    for (const int i : nodes) {
        w.add_output(w.renamed(i), prefix + std::to_string(i));
    }
    for (const output_port& port : model.outputs) {
        if (port.is_state()) {
            w.add_output(w.renamed(port.node), port);
        }
    }
    return w.result();
}

/// The values of some nodes in one run that returns them.
ANEMONE_INLINE trace trace_of_nodes(const graph_view& model, const std::vector<int>& nodes, const backend::cpu& place,
                                    const weight_store& weights, input_buffers inputs) {
    trace result;
    result.values.resize(model.nodes.size());
    std::vector<std::span<std::byte>> outputs;
    for (const int i : nodes) {
        auto& memory = result.values[static_cast<std::size_t>(i)];
        memory.resize(static_cast<std::size_t>(bytes(model[i].type, model[i].shape.count())));
        outputs.emplace_back(memory);
    }
    if (!outputs.empty()) {
        const dynamic_graph all = observed(model, nodes);
        place.compile(all, weights).run(inputs, outputs);
    }
    return result;
}

ANEMONE_INLINE std::vector<std::byte> copied(const std::byte* from, std::size_t count) { return {from, from + count}; }

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::span<const std::byte> trace::bytes(int node) const {
    return values[static_cast<std::size_t>(node)];
}
ANEMONE_BODY_OF std::span<const half> trace::halves(int node) const {
    const auto memory = bytes(node);
    return {reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half)};
}

ANEMONE_BODY_OF trace trace_of(const graph_view& model, const backend::cpu& place, const weight_store& weights,
                               input_buffers inputs) {
    const sequence<char> known = constant_nodes(model); // folded without a rounding between them: left so
    std::vector<int> nodes;
    for (int i = 0; i < model.size(); ++i) {
        if (!is_source(model[i].kind) && known[static_cast<std::size_t>(i)] == 0) {
            nodes.push_back(i);
        }
    }
    return detail::trace_of_nodes(model, nodes, place, weights, inputs);
}

ANEMONE_BODY_OF trace layer_trace_of(const graph_view& model, const backend::cpu& place, const weight_store& weights,
                                     input_buffers inputs) {
    std::vector<int> nodes;
    for (const backend::cpu_step& step : place.compile(model, weights).steps()) {
        nodes.push_back(step.nodes.back());
    }
    return detail::trace_of_nodes(model, nodes, place, weights, inputs);
}

ANEMONE_BODY_OF trace trace_of(const graph_view& model, const backend::oracle& place, const weight_store& weights,
                               input_buffers inputs) {
    auto program = place.compile(model, weights);
    std::vector<std::vector<std::byte>> returned;
    std::vector<std::span<std::byte>> outputs;
    returned.reserve(model.outputs.size());
    outputs.reserve(model.outputs.size());
    for (const output_port& port : model.outputs) {
        if (!port.is_state()) {
            const node& n = model[port.node];
            returned.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
        }
    }
    for (auto& memory : returned) {
        outputs.emplace_back(memory);
    }
    program.run(inputs, outputs);
    const ane::oracle::evaluation& values = program.values();
    const std::vector<int> holders = detail::holders(model, program.lowered(), values.plan);
    trace result;
    result.values.resize(model.nodes.size());
    for (int i = 0; i < model.size(); ++i) {
        const int holder = holders[static_cast<std::size_t>(i)];
        if (holder >= 0 && !is_source(model[i].kind)) {
            result.values[static_cast<std::size_t>(i)] = detail::copied(
                values.bytes(holder), static_cast<std::size_t>(bytes(model[i].type, model[i].shape.count())));
        }
    }
    return result;
}

} // namespace ane::inline ANEMONE_WAY
