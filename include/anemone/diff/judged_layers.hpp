#pragma once

#include "../backend/cpu/cpu.hpp"
#include "../backend/oracle/oracle.hpp"
#include "../base/way.hpp"
#include "../graph/constants.hpp"
#include "../numerics/random.hpp"
#include "../passes/part_cutter.hpp"
#include "cause_search.hpp"
#include "replay.hpp"
#include "trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// A model layer by layer in the arithmetic that is compared with double precision, each on operands from a trace, which
/// has the inputs too. Both classes have the same members: `name`, `has_value` (whether a node is rounded on its own),
/// `run`, and `cause`, the rule of the arithmetic by which a result is off where its operands are not to blame.
namespace ane::detail::inline ANEMONE_WAY {

/// Plain fp16: every operation's result rounded, by the CPU backend. Each is a program of one operation, compiled when it
/// is first run and kept where `keeps` says so.
class cpu_layers {
public:
    ANEMONE_INLINE cpu_layers(const graph_view& model, const weight_store& weights, const backend::cpu& place,
                              bool keeps)
        : model_(model), weights_(weights), place_(place.rounding(rounding::each_operation)), keeps_(keeps),
          known_(constant_nodes(model)) {}

    static std::string name() { return "cpu, fp16"; }
    ANEMONE_INLINE bool has_value(int node) const {
        return !is_source(model_[node].kind) && known_[static_cast<std::size_t>(node)] == 0;
    }

    ANEMONE_INLINE std::vector<std::byte> run(int node, const trace& operands) {
        const auto count = model_[node].shape.count();
        std::vector<std::byte> result(static_cast<std::size_t>(bytes(model_[node].type, count)));
        if (model_[node].kind == op::random_uniform) { // its numbers depend on where it stands in the model
            numerics::fill_uniform(model_[node].get<uniform_range>(), numerics::random_stream(model_, node),
                                   reinterpret_cast<half*>(result.data()), count);
            return result;
        }
        auto found = programs_.find(node);
        if (found == programs_.end()) {
            part_cutter cutter(model_, known_);
            cutter.take(node);
            cutter.add_output(node, "y");
            found = programs_
                        .emplace(node, one_layer{{cutter.reads.begin(), cutter.reads.end()},
                                                 place_.compile(cutter.graph, weights_)})
                        .first;
        }
        std::vector<std::span<const std::byte>> inputs;
        for (const int read : found->second.reads) {
            inputs.push_back(operands.bytes(read));
        }
        const std::span<std::byte> outputs[] = {result};
        found->second.program.run(inputs, outputs);
        if (!keeps_) {
            programs_.erase(found);
        }
        return result;
    }

    /// Steps inside an operation are in fp32 and do not overflow.
    ANEMONE_INLINE difference_cause cause(int, const trace&, std::span<const half> expected,
                                          std::span<const half> got) {
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (!is_finite(expected[i]) || !is_finite(got[i])) {
                return difference_cause::special_value;
            }
        }
        return difference_cause::rounding;
    }

private:
    struct one_layer {
        std::vector<int> reads;
        backend::cpu_program program;
    };
    graph_view model_;
    const weight_store& weights_;
    backend::cpu place_;
    bool keeps_;
    sequence<char> known_;
    std::map<int, one_layer> programs_;
};

/// The engine's arithmetic, bit by bit.
class oracle_layers {
public:
    ANEMONE_INLINE oracle_layers(const graph_view& model, const weight_store& weights, const backend::oracle& place,
                                 bool)
        : name_(place.name()), layers_(model, weights, place) {}

    const std::string& name() const { return name_; }
    ANEMONE_INLINE bool has_value(int node) const { return layers_.has_value(node); }

    ANEMONE_INLINE std::vector<std::byte> run(int node, const trace& operands) {
        layers_.use(operands);
        layers_.run(node, layers_.arithmetic());
        const std::span<const std::byte> held = layers_.held(node);
        return {held.begin(), held.end()};
    }

    ANEMONE_INLINE difference_cause cause(int node, const trace& operands, std::span<const half> expected,
                                          std::span<const half> got) {
        layers_.use(operands);
        return cause_of(layers_, node, expected, got, rules_of(backend::cpu{}));
    }

private:
    std::string name_;
    replay layers_;
};

} // namespace ane::detail::inline ANEMONE_WAY
