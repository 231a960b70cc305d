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
    return {steps_of<Needs>(),
            kernels_of<Needs>(level),
            numbers_of<Needs.operations>,
            constant_arithmetic_of<Needs.operations, Folded>(),
            weight_gradient_steps_of<Needs>(),
            pool_gradient_steps_of<Needs>(),
            strip_steps_of<Needs>()};
}

} // namespace ane::cpu::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct cpu_program::members {
    struct stage {
        ane::cpu::bound_step run;
        sequence<int> values{};              ///< nodes whose values it reads
        sequence<const std::byte*> inputs{}; ///< where they are in this run
        std::size_t first = 0;               ///< of its results, among all that are computed
        std::size_t results = 1;
        cpu_step described{};
    };
    struct result {
        std::size_t node;
        std::int64_t offset; ///< in the arena
    };
    ane::detail::bound_ports ports;
    folded_constants constants;
    sequence<const std::byte*> pointers; ///< of each node's value
    ane::cpu::aligned_memory memory;
    ane::cpu::worker_threads workers; ///< its scratch lies behind the values
    std::vector<stage> stages;
    std::vector<result> computed;
    std::vector<std::byte*> places; ///< of these in this run
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
            return {.run = ane::cpu::detail::bind_fused(context, end),
                    .values = ane::cpu::program_of_layer(context, end, 0).reads};
        }
        const node& n = context.at(host);
        const ane::cpu::step_binder bind = kernels.steps[static_cast<std::size_t>(n.kind)];
        if (bind == nullptr) {
            throw error(errc::lowering, std::string(ane::name(n.kind)), "has no kernel in the CPU backend");
        }
        stage s{.run = bind(context, host)};
        const auto operands = context.graph.operands(host);
        s.values.append(operands);
        s.values.append(ane::cpu::program_of_layer(context, end, n.operands.count).reads);
        return s;
    }

    ANEMONE_INLINE static stage bound(const ane::cpu::binding_context& context, const ane::cpu::repertoire& kernels,
                                      const weight_gradient& gradient) {
        stage s{.run = kernels.weight_gradients.bind(context, gradient)};
        s.values.push_back(gradient.cotangent);
        s.values.push_back(gradient.x);
        return s;
    }

    ANEMONE_INLINE static stage bound(const ane::cpu::binding_context& context, const ane::cpu::repertoire& kernels,
                                      const pool_gradient& gradient) {
        stage s{.run = kernels.pool_gradients.bind(context, gradient)};
        s.values.push_back(gradient.x);
        s.values.push_back(gradient.largest);
        s.values.push_back(gradient.cotangent);
        return s;
    }

    ANEMONE_INLINE static stage bound(const ane::cpu::binding_context& context, const ane::cpu::repertoire& kernels,
                                      const element_strips& strips, bool fuses) {
        const auto bind = [&](const ane::cpu::binding_context& of_strip, int end) {
            stage s = bound(of_strip, kernels, end);
            return ane::cpu::detail::bound_layer{std::move(s.run), std::move(s.values)};
        };
        return {.run = kernels.strips.bind(context.graph, strips, kernels.kernels, kernels.numbers, fuses, bind),
                .values = strips.inputs,
                .results = strips.results.size()};
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
                                             .computed = {},
                                             .places = {},
                                             .inputs = {},
                                             .outputs = {},
                                             .direct = {}});
    members& self = state_.get("cpu program");
    const bool fuses = options.rounding == ane::rounding::each_layer;
    fused_layers layers = fuses ? fuse_layers(model, ane::cpu::epilogue_hosts) : single_layers(model);
    // Winograd's tiles read and write planes.
    const value_layouts layouts =
        options.winograd == winograd_tiles::never ? choose_layouts(model, layers) : nchw_layouts(model);
    sequence<weight_gradient> gradients;
    if (fuses && kernels.weight_gradients.join != nullptr) {
        gradients = kernels.weight_gradients.join(model, self.constants, layers);
    }
    sequence<pool_gradient> pools;
    if (fuses && kernels.pool_gradients.join != nullptr) {
        pools = kernels.pool_gradients.join(model, layouts, layers);
    }
    sequence<element_strips> strips;
    if (kernels.strips.join != nullptr) {
        strips = kernels.strips.join(model, layouts, layers);
    }
    sequence<lifetime> alive = lifetimes(model, layers.ends);
    ane::cpu::detail::prolong_for_strips(strips, alive);
    const arena plan = plan_arena(model, alive);
    ane::cpu::scratch_sizes scratch;
    sequence<std::size_t> computed;
    ane::executor& pool = options.pool != nullptr ? *options.pool : process_threads();
    const sequence<node_port> ports = node_ports(model);
    const ane::cpu::binding_context context{
        model,           self.constants,
        kernels.kernels, options.threads > 0 ? options.threads : std::max(pool.width(), 1),
        &layers,         options.winograd,
        &ports,          &layouts,
        kernels.numbers, members::multiplied_weights(model, self.constants)};
    auto gradient = gradients.begin(); // in the order of their results
    auto derivative = pools.begin();   // likewise
    auto strip = strips.begin();
    sequence<char> by_strips(model.nodes.size(), 0);
    for (const element_strips& each : strips) {
        for (const int i : each.nodes) {
            by_strips[static_cast<std::size_t>(i)] = i == each.end() ? 0 : 1;
        }
    }
    for (int i = 0; i < model.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model[i].kind == op::input) {
            self.inputs.push_back(at);
        } else if (!self.constants.known(i) && layers.end_of(i) == i && by_strips[at] == 0) {
            const bool derives = gradient != gradients.end() && gradient->result == i;
            const bool strips_end = strip != strips.end() && strip->end() == i;
            const bool pools_end = derivative != pools.end() && derivative->result == i;
            self.stages.push_back(derives      ? members::bound(context, kernels, *gradient++)
                                  : pools_end  ? members::bound(context, kernels, *derivative++)
                                  : strips_end ? members::bound(context, kernels, *strip, fuses)
                                               : members::bound(context, kernels, i));
            self.stages.back().first = computed.size();
            const ane::cpu::scratch_sizes& needed = self.stages.back().run.scratch;
            scratch.shared = std::max(scratch.shared, in_arena_lines(needed.shared));
            scratch.each = std::max(scratch.each, in_arena_lines(needed.each));
            if (strips_end) {
                for (const int result : (strip++)->results) {
                    computed.push_back(static_cast<std::size_t>(result));
                }
            } else {
                computed.push_back(at);
            }
        }
    }
    self.forget_packed_constants(model);
    self.memory = ane::cpu::aligned_memory::of(plan.bytes + scratch.shared + scratch.each * context.width);
    self.workers.pool = context.width > 1 ? &pool : nullptr;
    self.workers.width = context.width;
    self.workers.shared = self.memory.data() + plan.bytes;
    self.workers.own = self.workers.shared + scratch.shared;
    self.workers.each = scratch.each;
    for (const std::size_t node : computed) {
        self.computed.push_back({node, plan.offsets[node]});
        self.places.push_back(self.memory.data() + plan.offsets[node]);
        self.pointers[node] = self.places.back();
    }
    for (members::stage& s : self.stages) {
        const members::result& last = self.computed[s.first + s.results - 1];
        s.inputs = sequence<const std::byte*>(s.values.size());
        s.described = members::described(context, s, static_cast<int>(last.node));
        s.described.offset = last.offset;
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
    self.direct.place(self.ports, [&](std::size_t position, std::byte* buffer) {
        const members::result& r = self.computed[position];
        self.places[position] = buffer != nullptr ? buffer : self.memory.data() + r.offset;
        self.pointers[r.node] = self.places[position];
    });
    for (members::stage& s : self.stages) {
        ane::detail::stop_if_cancelled();
        for (std::size_t k = 0; k < s.values.size(); ++k) {
            s.inputs[k] = self.pointers[static_cast<std::size_t>(s.values[k])];
        }
        const std::span<std::byte* const> results = std::span(self.places).subspan(s.first, s.results);
        s.run.run({s.inputs, results.back(), self.workers, self.states_rewritten, results});
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
