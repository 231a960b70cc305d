#pragma once

#include "../../base/way.hpp"
#include "../../graph/graph.hpp"
#include "../../passes/fused_layers.hpp"
#include "../../passes/layouts.hpp"
#include "../../passes/print.hpp"
#include "../../weights/fold_constants.hpp"
#include "../node_shapes.hpp"
#include "kernels/table.hpp"
#include "kernels/winograd_option.hpp"
#include "kernels/workers.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace ane::cpu::inline ANEMONE_WAY {

/// Where the operands of a node are in this run, where its result goes, and who computes it.
struct operands {
    std::span<const std::byte* const> inputs;
    std::byte* result;
    worker_threads workers;
    bool states_rewritten = false;            ///< by the caller, since the last run
    std::span<std::byte* const> results = {}; ///< where there are several: all of them, the last one is `result`

    const half* input(std::size_t i) const { return reinterpret_cast<const half*>(inputs[i]); }
    half* output() const { return reinterpret_cast<half*>(result); }
};

/// What a step keeps of constant operands in a form of its own, so that it does not read them in a run.
struct held_operands {
    std::uint32_t which = 0; ///< a bit for each operand of the node, of the first 32
    std::size_t bytes = 0;   ///< that it keeps for them

    bool contains(std::size_t operand) const { return operand < 32 && (which >> operand & 1U) != 0; }
};

/// One node, ready to run: packed weights and shapes are inside. A run may be of any width up to the one it was bound
/// for; its bits do not depend on that.
struct bound_step {
    std::function<void(const operands&)> run;
    scratch_sizes scratch;
    held_operands held;

    template <std::invocable<const operands&> Run>
    // NOLINTNEXTLINE(google-explicit-constructor): most steps need no scratch
    bound_step(Run step, scratch_sizes needed = {}, held_operands kept = {})
        : run(std::move(step)), scratch(needed), held(kept) {}
};

class epilogue;

/// The numbers of a function of one operand, as its loop takes them.
using stage_numbers = ane::detail::unary_numbers (*)(const node&);

/// What a node is bound with: the graph, its constants, and the kernels of this machine.
struct binding_context {
    graph_view graph;
    const folded_constants& constants;
    const kernel_table& kernels;
    int width = 1;                        ///< how many threads a run has at most
    const fused_layers* layers = nullptr; ///< null: every node is computed alone
    ane::winograd_tiles winograd = ane::winograd_tiles::never;
    /// `node_ports` where results that become states are written into their second buffers; null elsewhere.
    const sequence<node_port>* ports = nullptr;
    const value_layouts* layouts = nullptr; ///< null: every value is NCHW
    stage_numbers numbers = nullptr;        ///< of the functions in layers
    std::int64_t multiplied_weights = 0;    ///< elements of all constant right operands of products

    layout layout_of(int node) const { return layouts == nullptr ? layout::nchw : layouts->of(node); }
    /// The layout of the result of the layer whose host, or only node, a node is.
    layout result_layout(int index) const { return layout_of(layers == nullptr ? index : layers->end_of(index)); }
    /// That of an operation that writes what it reads: whichever side has two says it.
    layout kept_layout(int index) const {
        const bool nhwc = layout_of(operand(index, 0)) == layout::nhwc || result_layout(index) == layout::nhwc;
        return nhwc ? layout::nhwc : layout::nchw;
    }
    /// What follows the sums of a node in the layer that it is the host of (epilogue.hpp).
    ANEMONE_INLINE epilogue epilogue_of(int index) const;
    const node& at(int index) const { return graph[index]; }
    const extents& shape(int index) const { return graph[index].shape; }
    int operand(int index, int position) const { return graph.operands(index)[static_cast<std::size_t>(position)]; }
    const extents& operand_shape(int index, int position) const { return shape(operand(index, position)); }
    /// The values of a constant operand, or null when it is computed in each run (or is not there).
    const half* constant(int index, int position) const {
        if (position >= graph[index].operands.count || !constants.known(operand(index, position))) {
            return nullptr;
        }
        return constants.data(operand(index, position));
    }
};

/// Binds one node.
using step_binder = bound_step (*)(const binding_context&, int node);
/// One entry per operation; null where there is nothing to run, or where no program of this table uses it.
using step_table = std::array<step_binder, op_count>;

/// The table of all operations (cpu.ipp).
ANEMONE_API const step_table& every_step();

} // namespace ane::cpu::inline ANEMONE_WAY
