#pragma once

#include "../../analysis/arena.hpp"
#include "../../base/isa_dispatch.hpp"
#include "../../base/thread_pool.hpp"
#include "../../passes/validate.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "aligned_memory.hpp"
#include "cpu.hpp"
#include "direct_results.hpp"
#include "epilogue.hpp"
#include "repertoire.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ane::cpu::inline ANEMONE_WAY {

ANEMONE_BODY const step_table& every_step() { return steps_of<every_kernel>(); }

template <kernel_needs Needs, constant_operations Folded> repertoire repertoire_of(isa_level level) {
    return {steps_of<Needs>(), kernels_of<Needs>(level), numbers_of<Needs.operations>,
            constant_arithmetic_of<Needs.operations, Folded>(), gradient_binder_of<Needs>()};
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct cpu_program::members {
    struct stage {
        ane::cpu::bound_step run;
        sequence<int> values;              ///< nodes whose values it reads
        sequence<const std::byte*> inputs; ///< where they are in this run
        std::byte* result;
        cpu_step described;
    };
    ane::detail::bound_ports ports;
    folded_constants constants;
    sequence<const std::byte*> pointers; ///< of each node's value
    ane::cpu::aligned_memory memory;
    ane::cpu::worker_threads workers; ///< its scratch lies behind the values
    std::vector<stage> stages;
    sequence<std::size_t> inputs;
    sequence<std::size_t> outputs;
    ane::cpu::direct_results direct;
    std::size_t weight_bytes = 0;
    bool states_rewritten = true; ///< since the last run
    ane::detail::run_flag running{false};

    ANEMONE_INLINE static std::int64_t multiplied_weights(const graph_view& model, const folded_constants& constants) {
        std::int64_t count = 0;
        for (const node& n : model.nodes) {
            if ((n.kind == op::linear || n.kind == op::matmul) && constants.known(model.operands(n)[1])) {
                count += model.operand(n, 1).shape.count();
            }
        }
        return count;
    }

    ANEMONE_INLINE static cpu_step described(const ane::cpu::binding_context& context, const stage& s, int end) {
        cpu_step step;
        for (int i = end; i >= 0; i = context.layers->before_node(i)) {
            step.nodes.push_back(i);
        }
        std::reverse(step.nodes.begin(), step.nodes.end());
        step.order = context.layout_of(end);
        step.reorders = reorders(context.graph, *context.layers, *context.layouts, end);
        step.bytes = bytes(context.at(end).type, context.shape(end).count());
        step.shared_scratch = s.run.scratch.shared;
        step.own_scratch = s.run.scratch.each;
        return step;
    }

    /// The layer that ends in a node.
    ANEMONE_INLINE static stage bound(const ane::cpu::binding_context& context, const ane::cpu::repertoire& kernels,
                                      int end) {
        const int host = context.layers->host_of(end);
        if (host < 0) {
            return {ane::cpu::detail::bind_fused(context, end),
                    ane::cpu::program_of_layer(context, end, 0).reads,
                    {},
                    nullptr,
                    {}};
        }
        const node& n = context.at(host);
        const ane::cpu::step_binder bind = kernels.steps[static_cast<std::size_t>(n.kind)];
        if (bind == nullptr) {
            throw error(errc::lowering, std::string(ane::name(n.kind)), "has no kernel in the CPU backend");
        }
        stage s{bind(context, host), {}, {}, nullptr, {}};
        const auto operands = context.graph.operands(host);
        s.values.append(operands);
        s.values.append(ane::cpu::program_of_layer(context, end, n.operands.count).reads);
        return s;
    }

    ANEMONE_INLINE static stage bound(const ane::cpu::binding_context& context, const ane::cpu::repertoire& kernels,
                                      const weight_gradient& gradient) {
        stage s{kernels.gradients(context, gradient), {}, {}, nullptr, {}};
        s.values.push_back(gradient.cotangent);
        s.values.push_back(gradient.x);
        return s;
    }

    /// Frees the constants that no run reads: those that steps keep packed, and those that others were made of.
    ANEMONE_INLINE void forget_packed_constants(const graph_view& model) {
        sequence<char> is_read(model.nodes.size(), 0);
        for (const stage& s : stages) {
            for (std::size_t k = 0; k < s.values.size(); ++k) {
                if (!s.run.held.contains(k)) {
                    is_read[static_cast<std::size_t>(s.values[k])] = 1;
                }
            }
            weight_bytes += s.run.held.bytes;
        }
        for (const output_port& port : model.outputs) {
            is_read[static_cast<std::size_t>(port.node)] = 1;
        }
        for (std::size_t i = 0; i < is_read.size(); ++i) {
            if (is_read[i] == 0) {
                std::vector<half>().swap(constants.values[i]);
                std::vector<std::byte>().swap(constants.bytes[i]);
            } else {
                weight_bytes += constants.values[i].size() * sizeof(half) + constants.bytes[i].size();
            }
            if (constants.known(static_cast<int>(i))) {
                pointers[i] = constants.memory(static_cast<int>(i));
            }
        }
    }
};

ANEMONE_BODY cpu_program::cpu_program(const graph_view& model, const weight_store& weights,
                                      const ane::cpu::repertoire& kernels, const cpu_options& options) {
    state_ = hidden<members>::of(new members{.ports = ane::detail::bound_ports(model),
                                             .constants = fold_constants(model, weights, kernels.constants),
                                             .pointers = sequence<const std::byte*>(model.nodes.size(), nullptr),
                                             .memory = {},
                                             .workers = {},
                                             .stages = {},
                                             .inputs = {},
                                             .outputs = {},
                                             .direct = {}});
    members& self = state_.get("cpu program");
    fused_layers layers = options.rounding == ane::rounding::each_layer ? fuse_layers(model, ane::cpu::epilogue_hosts)
                                                                        : single_layers(model);
    // Winograd's tiles read and write planes.
    const value_layouts layouts =
        options.winograd == winograd_tiles::never ? choose_layouts(model, layers) : nchw_layouts(model);
    // Sums over a whole batch, as those of a layer, without a rounding on the way.
    sequence<weight_gradient> gradients;
    if (options.rounding == ane::rounding::each_layer && kernels.gradients != nullptr) {
        gradients = find_weight_gradients(model, [&](int node) {
            return self.constants.known(node) && model[node].type == dtype::f16 &&
                   static_cast<float>(*self.constants.data(node)) == 0;
        });
        join_weight_gradients(gradients, layers);
    }
    const arena plan = plan_arena(model, lifetimes(model, layers.ends));
    ane::cpu::scratch_sizes scratch;
    sequence<std::size_t> computed;
    const auto in_lines = [](std::int64_t bytes) {
        return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
    };
    ane::executor& pool = options.pool != nullptr ? *options.pool : process_threads();
    const ane::cpu::binding_context context{model,
                                            self.constants,
                                            kernels.kernels,
                                            options.threads > 0 ? options.threads : std::max(pool.width(), 1),
                                            &layers,
                                            options.winograd,
                                            true,
                                            &layouts,
                                            kernels.numbers,
                                            members::multiplied_weights(model, self.constants)};
    auto gradient = gradients.begin(); // in the order of their results
    for (int i = 0; i < model.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model[i].kind == op::input) {
            self.inputs.push_back(at);
        } else if (!self.constants.known(i) && layers.end_of(i) == i) {
            const bool derives = gradient != gradients.end() && gradient->result == i;
            self.stages.push_back(derives ? members::bound(context, kernels, *gradient++)
                                          : members::bound(context, kernels, i));
            const ane::cpu::scratch_sizes& needed = self.stages.back().run.scratch;
            scratch.shared = std::max(scratch.shared, in_lines(needed.shared));
            scratch.each = std::max(scratch.each, in_lines(needed.each));
            computed.push_back(at);
        }
    }
    self.forget_packed_constants(model);
    self.memory = ane::cpu::aligned_memory::of(plan.bytes + scratch.shared + scratch.each * context.width);
    self.workers.pool = context.width > 1 ? &pool : nullptr;
    self.workers.width = context.width;
    self.workers.shared = self.memory.data() + plan.bytes;
    self.workers.own = self.workers.shared + scratch.shared;
    self.workers.each = scratch.each;
    for (std::size_t k = 0; k < computed.size(); ++k) {
        std::byte* const place = self.memory.data() + plan.offsets[computed[k]];
        self.pointers[computed[k]] = place;
        self.stages[k].result = place;
        self.stages[k].inputs = sequence<const std::byte*>(self.stages[k].values.size());
        self.stages[k].described = members::described(context, self.stages[k], static_cast<int>(computed[k]));
        self.stages[k].described.offset = plan.offsets[computed[k]];
    }
    for (const output_port& port : model.outputs) {
        self.outputs.push_back(static_cast<std::size_t>(port.node));
    }
    self.direct = {model, computed};
}

ANEMONE_BODY void cpu_program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("cpu program");
    const ane::detail::one_run now(self.running, "cpu program");
    self.ports.bind(inputs, outputs);
    for (std::size_t i = 0; i < self.inputs.size(); ++i) {
        self.pointers[self.inputs[i]] = self.ports.inputs()[i].data();
    }
    self.direct.place(self.ports, [&](std::size_t stage, std::size_t node, std::byte* buffer) {
        members::stage& s = self.stages[stage];
        s.result = buffer != nullptr ? buffer : self.memory.data() + s.described.offset;
        self.pointers[node] = s.result;
    });
    for (members::stage& s : self.stages) {
        ane::detail::stop_if_cancelled();
        for (std::size_t k = 0; k < s.values.size(); ++k) {
            s.inputs[k] = self.pointers[static_cast<std::size_t>(s.values[k])];
        }
        s.run.run({s.inputs, s.result, self.workers, self.states_rewritten});
    }
    for (std::size_t i = 0; i < self.outputs.size(); ++i) {
        const std::span<std::byte> to = self.ports.outputs()[i];
        if (to.data() != self.pointers[self.outputs[i]]) {
            std::memcpy(to.data(), self.pointers[self.outputs[i]], to.size());
        }
    }
    self.ports.keep();
    self.states_rewritten = false;
}

ANEMONE_BODY std::span<std::byte> cpu_program::state(std::string_view name) {
    members& self = state_.get("cpu program");
    self.states_rewritten = true;
    return self.ports.state(name);
}
ANEMONE_BODY void cpu_program::reset() {
    members& self = state_.get("cpu program");
    self.states_rewritten = true;
    self.ports.reset();
}

ANEMONE_BODY std::size_t cpu_program::arena_bytes() const { return state_.get("cpu program").memory.size(); }

ANEMONE_BODY std::size_t cpu_program::weight_bytes() const { return state_.get("cpu program").weight_bytes; }

ANEMONE_BODY std::vector<cpu_step> cpu_program::steps() const {
    std::vector<cpu_step> all;
    for (const members::stage& s : state_.get("cpu program").stages) {
        all.push_back(s.described);
    }
    return all;
}

ANEMONE_BODY int cpu_program::threads() const { return state_.get("cpu program").workers.width; }

ANEMONE_BODY std::string cpu::name() const {
    return "cpu " + std::string(ane::name(options_.level.value_or(best_level())));
}

ANEMONE_BODY cpu cpu::rounding(ane::rounding rule) const {
    cpu result = *this;
    result.options_.rounding = rule;
    return result;
}

ANEMONE_BODY cpu cpu::threads(int count) const {
    if (count < 1) {
        throw error(errc::argument, "cpu", std::to_string(count) + " threads, at least 1");
    }
    cpu result = *this;
    result.options_.threads = count;
    return result;
}

ANEMONE_BODY cpu cpu::executor(ane::executor& pool) const {
    cpu result = *this;
    result.options_.pool = &pool;
    return result;
}

ANEMONE_BODY cpu cpu::winograd(ane::winograd_tiles form) const {
    cpu result = *this;
    result.options_.winograd = form;
    return result;
}

ANEMONE_BODY cpu cpu::level(isa_level set) const {
    if (!is_available(set)) {
        ane::detail::refuse_level(set, "cpu");
    }
    cpu result = *this;
    result.options_.level = set;
    return result;
}

ANEMONE_BODY cpu_program cpu::compile(const graph_view& model, const weight_store& weights) const {
    validate(model);
    return {model, weights,
            ane::cpu::repertoire_of<ane::cpu::every_kernel, every_constant>(options_.level.value_or(best_level())),
            options_};
}

#if !defined(ANEMONE_COMPILED)
template <const auto& Model> cpu_program cpu::compile_model(const weight_store& weights) const {
    constexpr ane::cpu::kernel_needs needs = ane::cpu::needs_of(Model);
    constexpr constant_operations folded = computed_when_compiled(Model);
    return {Model, weights, ane::cpu::repertoire_of<needs, folded>(options_.level.value_or(best_level())), options_};
}
#endif

} // namespace ane::backend::inline ANEMONE_WAY
