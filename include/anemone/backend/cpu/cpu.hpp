#pragma once

#include "../../passes/arena.hpp"
#include "../backend.hpp"
#include "step_table.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ane::backend {

/// A model compiled for the CPU: the steps in order, their operands' places, one arena for all intermediate values.
/// Move-only; a moved-from program throws `error` (errc::argument) on use.
class cpu_program {
public:
    cpu_program(const graph_view& model, const weight_store& weights, const ane::cpu::kernel_table& kernels)
        : state_(std::make_unique<state>(model, weights, kernels)) {}

    /// Throws `error` (errc::port) for buffers that are not the ports in number and size.
    void run(input_buffers inputs, output_buffers outputs) {
        state& self = detail::held(state_, name);
        self.ports.check(inputs, outputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            self.pointers[self.inputs[i]] = inputs[i].data();
        }
        for (stage& s : self.stages) {
            for (std::size_t k = 0; k < s.values.size(); ++k) {
                s.inputs[k] = self.pointers[static_cast<std::size_t>(s.values[k])];
            }
            s.run({s.inputs, s.result});
        }
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::memcpy(outputs[i].data(), self.pointers[self.outputs[i]], outputs[i].size());
        }
    }

    /// Bytes of the arena that holds every intermediate value.
    std::size_t arena_bytes() const { return detail::held(state_, name).memory.size(); }

private:
    static constexpr const char* name = "cpu program";

    struct stage {
        ane::cpu::bound_step run;
        std::vector<int> values;              ///< nodes whose values it reads
        std::vector<const std::byte*> inputs; ///< where they are in this run
        std::byte* result;
    };

    struct state {
        state(const graph_view& model, const weight_store& weights, const ane::cpu::kernel_table& kernels)
            : ports(model), constants(materialize(model, weights)), pointers(model.nodes.size(), nullptr) {
            const arena plan = plan_arena(model);
            memory.resize(static_cast<std::size_t>(plan.bytes));
            const ane::cpu::binding_context context{model, constants, kernels};
            for (int i = 0; i < model.size(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                if (model[i].kind == op::input) {
                    inputs.push_back(at);
                } else if (constants.known(i)) {
                    pointers[at] = reinterpret_cast<const std::byte*>(constants.data(i));
                } else {
                    const ane::cpu::step_binder bind = ane::cpu::step_table[static_cast<std::size_t>(model[i].kind)];
                    if (bind == nullptr) {
                        throw error(errc::lowering, std::string(ane::name(model[i].kind)),
                                    "has no kernel in the CPU backend");
                    }
                    std::byte* const place = memory.data() + plan.offsets[at];
                    pointers[at] = place;
                    stage s{bind(context, i), {}, {}, place};
                    s.values.assign(model.operands(i).begin(), model.operands(i).end());
                    s.inputs.resize(s.values.size());
                    stages.push_back(std::move(s));
                }
            }
            for (const output_port& port : model.outputs) {
                outputs.push_back(static_cast<std::size_t>(port.node));
            }
        }

        detail::port_table ports;
        materialized constants;
        std::vector<const std::byte*> pointers; ///< of each node's value
        std::vector<std::byte> memory;
        std::vector<stage> stages;
        std::vector<std::size_t> inputs;
        std::vector<std::size_t> outputs;
    };
    std::unique_ptr<state> state_; // the places point into it
};

/// Any CPU, fast: fp16 storage, fp32 accumulation, plain semantics of the field (ONNX, PyTorch), one rounding for each
/// operation of the model. The instruction set is chosen at run time.
class cpu {
public:
    std::string name() const { return "cpu " + std::string(ane::cpu::name(ane::cpu::best_kernels().level)); }
    static constexpr bool supports(op kind) {
        return is_source(kind) || kind == op::compressed ||
               ane::cpu::step_table[static_cast<std::size_t>(kind)] != nullptr;
    }
    cpu_program compile(const graph_view& model, const weight_store& weights) const {
        return {model, weights, ane::cpu::best_kernels()};
    }
};

} // namespace ane::backend
