#pragma once

#include "../backend/any.hpp"
#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../training/training_step.hpp"
#include "../values/half.hpp"
#include "../weights/convert.hpp"
#include "../weights/store.hpp"
#include "sample_arrays.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// What the host gives to a step beside its batch.
struct step_numbers {
    double rate = 0;
    double correction = 1;
    double loss_scale = 1;
};
/// What comes of it.
struct step_outcome {
    double loss = 0;
    bool finite = true; ///< false: no state changed
};

/// The weights that a graph reads, of those of a model.
ANEMONE_INLINE weight_store weights_read_by(const graph_view& g, const weight_store& weights) {
    weight_store read;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight && !read.contains(g.name(i))) {
            read.add(weights.at(g.name(i)));
        }
    }
    return read;
}

ANEMONE_INLINE void put_half(double value, std::span<std::byte> memory) {
    const half rounded(value);
    std::memcpy(memory.data(), &rounded, sizeof rounded);
}
ANEMONE_INLINE double first_half(std::span<const std::byte> memory) {
    half value;
    std::memcpy(&value, memory.data(), sizeof value);
    return static_cast<double>(value);
}

/// A training step, or a validation step whose weights are those of a training step, compiled, with the memory of its
/// ports.
class step_program {
public:
    /// `weights` are those of the model.
    ANEMONE_INLINE step_program(training_step made, const weight_store& weights, const backend::any& place)
        : step_(std::move(made)), frozen_(weights_read_by(step_.graph, weights)),
          program_(place.compile(step_.graph, frozen_)) {
        const graph_view g = step_.graph;
        const sequence<char> bound = bound_nodes(g);
        std::vector<char> is_weight(g.nodes.size(), 0);
        for (const training_state& s : step_.states) {
            is_weight[static_cast<std::size_t>(s.input)] = 1;
        }
        place_.resize(g.nodes.size(), 0);
        for (int i = 0; i < g.size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (bound[at] == 0) {
                continue;
            }
            const auto size = static_cast<std::size_t>(bytes(g[i].type, g[i].shape.count()));
            place_[at] = inputs_.size();
            std::vector<std::byte>& memory = memory_.emplace_back(is_weight[at] != 0 ? 0 : size);
            inputs_.emplace_back(memory);
            const bool is_number =
                i == step_.rate || i == step_.correction || i == step_.loss_scale || i == step_.inverse_scale;
            if (is_weight[at] == 0 && !is_number) {
                batch_.emplace_back(memory);
                ports_.push_back({std::string(g.called(i)), g[i].type, g[i].shape});
            }
        }
        for (std::size_t k = 0; k < g.outputs.size(); ++k) {
            const output_port& port = g.outputs[k];
            if (!port.is_state()) {
                output_place_.push_back(outputs_.size());
                const node& n = g[port.node];
                std::vector<std::byte>& memory =
                    memory_.emplace_back(static_cast<std::size_t>(bytes(n.type, n.shape.count())));
                outputs_.emplace_back(memory);
            } else {
                output_place_.push_back(0);
            }
        }
    }

    const training_step& step() const { return step_; }
    /// The weights of the model that do not change.
    const weight_store& frozen() const { return frozen_; }
    /// The ports of a batch, and their memory.
    std::vector<sample_port>& ports() { return ports_; }
    const std::vector<std::span<std::byte>>& batch() const { return batch_; }
    /// The memory of an input of a batch, by its node.
    ANEMONE_INLINE std::span<std::byte> input(int node) {
        std::vector<std::byte>& memory = memory_[place_[static_cast<std::size_t>(node)]];
        return memory;
    }
    /// The memory of an output, by its position.
    ANEMONE_INLINE std::span<const std::byte> output(int position) const {
        return outputs_[output_place_[static_cast<std::size_t>(position)]];
    }

    ANEMONE_INLINE step_outcome run(const step_numbers& numbers) {
        const auto give = [this](int node, double value) {
            if (node >= 0) {
                put_half(value, input(node));
            }
        };
        give(step_.rate, numbers.rate);
        give(step_.correction, numbers.correction);
        give(step_.loss_scale, numbers.loss_scale);
        give(step_.inverse_scale, 1 / numbers.loss_scale);
        program_.run(inputs_, outputs_);
        return {first_half(output(step_.loss)), step_.finite < 0 || first_half(output(step_.finite)) > 0.5};
    }
    /// A validation step with the weights of a training step of the same model and options.
    ANEMONE_INLINE double run_with_weights_of(step_program& trained) {
        std::size_t next = 0;
        for (const training_state& s : step_.states) {
            while (trained.step_.states[next].role != state_role::weight) {
                ++next;
            }
            inputs_[place_[static_cast<std::size_t>(s.input)]] = trained.state(trained.step_.states[next++]);
        }
        program_.run(inputs_, outputs_);
        return first_half(output(step_.loss));
    }

    /// The memory of a state: a weight or a moment.
    ANEMONE_INLINE std::span<std::byte> state(const training_state& s) {
        return program_.state(step_.graph.view().name(s.input));
    }
    /// The model's own states to zeros. All of them, where there are no others.
    ANEMONE_INLINE void reset() { program_.reset(); }

private:
    training_step step_;
    weight_store frozen_; // a program may read its weights
    std::vector<std::vector<std::byte>> memory_{};
    std::vector<std::span<const std::byte>> inputs_{};
    std::vector<std::span<std::byte>> outputs_{};
    std::vector<std::span<std::byte>> batch_{};
    std::vector<sample_port> ports_{};
    std::vector<std::size_t> place_{};        ///< of each input node among the inputs and their memory
    std::vector<std::size_t> output_place_{}; ///< of each output among those that callers see
    any_program program_;
};

} // namespace ane::detail::inline ANEMONE_WAY
