#pragma once

#include "../composer.hpp"
#include <anemone/backend/cpu/aligned_memory.hpp>
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/step.hpp>
#include <anemone/base/executor.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace whole_models {

using namespace composing;

/// Every value in memory of its own, by the same steps: what the plan of the arena must not change. With a pool each step
/// is split into as many parts as it can be. Scratch is full of NaN first: no step may find zeros there.
inline port_memory run_apart(const graph_view& g, const weight_store& weights,
                             const std::vector<std::span<const std::byte>>& inputs, executor* pool = nullptr) {
    const int width = pool == nullptr ? 1 : pool->width();
    const folded_constants constants = fold_constants(g, weights);
    const ane::cpu::binding_context context{g, constants, ane::cpu::best_kernels(), width};
    std::vector<std::vector<std::byte>> memory(g.nodes.size());
    std::vector<const std::byte*> at(g.nodes.size());
    std::size_t port = 0;
    for (int i = 0; i < g.size(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (g[i].kind == op::input) {
            at[place] = inputs[port++].data();
        } else if (constants.known(i)) {
            at[place] = constants.memory(i);
        } else {
            memory[place].resize(port_bytes(g[i]), std::byte{0x7F});
            at[place] = memory[place].data();
            std::vector<const std::byte*> operands;
            for (const int o : g.operands(i)) {
                operands.push_back(at[static_cast<std::size_t>(o)]);
            }
            const ane::cpu::bound_step step = ane::cpu::every_step()[static_cast<std::size_t>(g[i].kind)](context, i);
            const auto in_lines = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
            const std::int64_t each = in_lines(step.scratch.each);
            const auto scratch = ane::cpu::aligned_memory::of(in_lines(step.scratch.shared) + width * each);
            std::fill_n(scratch.data(), scratch.size(), std::byte{0xFF});
            ane::cpu::worker_threads workers;
            workers.pool = pool;
            workers.width = width;
            workers.shared = scratch.data();
            workers.own = scratch.data() + in_lines(step.scratch.shared);
            workers.each = each;
            workers.finest = true;
            step.run({operands, memory[place].data(), workers});
        }
    }
    port_memory outputs = memory_of_outputs(g);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        std::memcpy(outputs.bytes[i].data(), at[static_cast<std::size_t>(g.outputs[i].node)], outputs.bytes[i].size());
    }
    return outputs;
}

} // namespace whole_models
