#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/evaluate.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../passes/lowering.hpp"
#include "../passes/rewriter.hpp"
#include "../way.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace ane::inline ANEMONE_WAY {

/// The value of every node of a model in one run: dense, row-major, fp16 or one byte an element.
struct trace {
    std::vector<std::vector<std::byte>> values; ///< by node of the model; empty where a node has no value of its own

    bool known(int node) const { return !values[static_cast<std::size_t>(node)].empty(); }
    std::span<const std::byte> bytes(int node) const { return values[static_cast<std::size_t>(node)]; }
    /// The value of an fp16 node.
    std::span<const half> halves(int node) const {
        const auto memory = bytes(node);
        return {reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half)};
    }
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A copy of a model that returns every computed node.
ANEMONE_INLINE dynamic_graph observed(const graph_view& model) {
    rewriter w(model);
    for (int i = 0; i < model.size(); ++i) {
        w.visit(i);
        w.rename(i, w.copy(i));
    }
    const sequence<char> known = constant_nodes(model); // folded without a rounding between them: left so
    for (int i = 0; i < model.size(); ++i) {
        if (!is_source(model[i].kind) && known[static_cast<std::size_t>(i)] == 0) {
            w.add_output(w.renamed(i), std::to_string(i));
        }
    }
    return w.result();
}

ANEMONE_INLINE std::vector<std::byte> copied(const std::byte* from, std::size_t count) { return {from, from + count}; }

/// For each node of a model the node of the lowered graph that holds its value; -1 where it left none, and where the
/// value is rounded only together with that of a later node (a bias behind a product, an offset behind a gain).
ANEMONE_INLINE std::vector<int> holders(const graph_view& model, const lowered_graph& lowered, const layer_plan& plan) {
    std::vector<int> found(model.nodes.size(), -1);
    int latest = -1;
    for (int i = 0; i < lowered.view().size(); ++i) {
        const int origin = lowered.origins[static_cast<std::size_t>(i)];
        if (origin < latest) {
            break; // copies of outputs, which lowering adds behind everything: nothing reads them
        }
        latest = origin;
        const node& n = lowered.view()[i];
        if (n.shape == model[origin].shape && n.type == model[origin].type) {
            found[static_cast<std::size_t>(origin)] = i;
        }
    }
    for (int& holder : found) {
        const int partner = holder < 0 ? -1 : plan.partner[static_cast<std::size_t>(holder)];
        if (partner >= 0) {
            holder = -1;
        }
    }
    return found;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Runs a model on the CPU backend and keeps every node's value. Throws `error` as `compile` and `run` do.
ANEMONE_INLINE trace trace_of(const graph_view& model, const backend::cpu& place, const weight_store& weights,
                              input_buffers inputs) {
    trace result;
    result.values.resize(model.nodes.size());
    std::vector<std::span<std::byte>> outputs;
    const sequence<char> known = constant_nodes(model);
    for (int i = 0; i < model.size(); ++i) {
        if (!is_source(model[i].kind) && known[static_cast<std::size_t>(i)] == 0) {
            auto& memory = result.values[static_cast<std::size_t>(i)];
            memory.resize(static_cast<std::size_t>(bytes(model[i].type, model[i].shape.count())));
            outputs.emplace_back(memory);
        }
    }
    const dynamic_graph all = detail::observed(model);
    place.compile(all, weights).run(inputs, outputs);
    return result;
}

/// The same on the oracle. A node that the engine computes together with a later one has no value.
ANEMONE_INLINE trace trace_of(const graph_view& model, const backend::oracle& place, const weight_store& weights,
                              input_buffers inputs) {
    auto program = place.compile(model, weights);
    std::vector<std::vector<std::byte>> returned;
    std::vector<std::span<std::byte>> outputs;
    returned.reserve(model.outputs.size());
    outputs.reserve(model.outputs.size());
    for (const output_port& port : model.outputs) {
        const node& n = model[port.node];
        returned.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
    }
    for (auto& memory : returned) {
        outputs.emplace_back(memory);
    }
    program.run(inputs, outputs);
    const oracle_steps::evaluation& values = program.values();
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
