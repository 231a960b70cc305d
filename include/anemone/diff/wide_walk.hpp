#pragma once

#include "../backend/wide/step.hpp"
#include "../base/way.hpp"
#include "../graph/constants.hpp"
#include "judged_layers.hpp"
#include "trace.hpp"
#include "wide_diff.hpp"
#include "wide_error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ane::detail::inline ANEMONE_WAY {

/// A trace that knows how much it holds.
class held_trace {
public:
    explicit held_trace(std::size_t nodes) { trace_.values.resize(nodes); }

    void set(int node, std::vector<std::byte> memory) {
        std::vector<std::byte>& place = trace_.values[static_cast<std::size_t>(node)];
        bytes_ += static_cast<std::int64_t>(memory.size()) - static_cast<std::int64_t>(place.size());
        place = std::move(memory);
    }
    void forget(int node) { set(node, {}); }
    const trace& values() const { return trace_; }
    std::int64_t bytes() const { return bytes_; }

private:
    trace trace_;
    std::int64_t bytes_ = 0;
};

/// Numbers as fp16 memory.
ANEMONE_INLINE std::vector<std::byte> rounded(std::span<const double> numbers) {
    std::vector<std::byte> memory(numbers.size() * sizeof(half));
    std::transform(numbers.begin(), numbers.end(), reinterpret_cast<half*>(memory.data()),
                   [](double x) { return half(x); });
    return memory;
}
/// The value of a node of an evaluation as its type has it in memory.
ANEMONE_INLINE std::vector<std::byte> in_memory(const wide_reference::evaluation& e, int node) {
    if (e.at(node).type == dtype::f16) {
        return rounded(e.numbers(node));
    }
    return {e.bytes(node).begin(), e.bytes(node).end()};
}

/// For each node the last one that reads it, `size` for an output; a node without a value of its own is computed again
/// where the next one with a value is, so its operands stay until then.
template <class HasValue> std::vector<int> last_readers(const graph_view& g, const HasValue& has_value) {
    std::vector<int> last(g.nodes.size());
    const auto keep = [&last](int node, int until) {
        int& latest = last[static_cast<std::size_t>(node)];
        latest = std::max(latest, until);
    };
    for (int i = 0; i < g.size(); ++i) {
        keep(i, i);
    }
    for (const output_port& port : g.outputs) {
        keep(port.node, g.size());
    }
    for (int i = g.size() - 1; i >= 0; --i) {
        const bool is_read_again = !has_value(i) || g[i].kind == op::dequantize; // products of integers read past it
        for (const int operand : g.operands(i)) {
            keep(operand, is_read_again ? last[static_cast<std::size_t>(i)] : i);
        }
    }
    return last;
}

/// The values of a model while it runs in double precision and in the arithmetic that is judged, node by node: for each
/// sample `begin`, then `compute` and `release_after` for each node in order, then `end`.
template <class Layers> class wide_walk {
public:
    wide_walk(const graph_view& model, const weight_store& weights, Layers& layers, int threads, bool keeps_constants,
              const wide_diff_options& options)
        : model_(model), layers_(layers), known_(constant_nodes(model)), keeps_constants_(keeps_constants),
          host_rounds_(options.host_rounds), on_host_(model.nodes.size(), 0), dying_(model.nodes.size() + 1),
          wide_(model, weights, wide_reference::every_step()), host_(model, weights, wide_reference::every_step()),
          scratch_(model, weights, wide_reference::every_step()), judged_(model.nodes.size()),
          rounded_(model.nodes.size()) {
        for (wide_reference::evaluation* const each : {&wide_, &host_, &scratch_}) {
            each->threads = threads;
        }
        for (const int node : options.on_host) {
            on_host_[at(node)] = 1;
        }
        const std::vector<int> last = last_readers(model, [this](int node) { return has_value(node); });
        for (int i = 0; i < model.size(); ++i) {
            dying_[at(last[at(i)])].push_back(i);
        }
    }

    wide_diff_work work;

    /// Whether the judged arithmetic rounds a node on its own.
    bool has_value(int node) const {
        return !is_source(model_[node].kind) && known_[at(node)] == 0 && layers_.has_value(node);
    }
    bool is_on_host(int node) const { return on_host_[at(node)] != 0; }

    /// Takes the inputs of a sample; states have what the one before left, zeros at first.
    void begin(input_buffers inputs) {
        std::size_t port = 0;
        const sequence<char> bound = detail::bound_nodes(model_);
        for (int i = 0; i < model_.size(); ++i) {
            if (model_[i].kind != op::input) {
                continue;
            }
            if (bound[at(i)] != 0) {
                set_input(i, {inputs[port].begin(), inputs[port].end()});
                ++port;
            } else if (!wide_.known(i)) {
                const auto size = static_cast<std::size_t>(bytes(model_[i].type, model_[i].shape.count()));
                set_input(i, std::vector<std::byte>(size));
            }
            rounded_.set(i, in_memory(wide_, i));
        }
    }

    /// Computes a node in both arithmetics. Weights and constants are read where a node reads them.
    void compute(int node) {
        if (is_source(model_[node].kind) || known_[at(node)] != 0) {
            return;
        }
        read_constants(wide_, node);
        wide_.compute(node);
        ++work.reference_layers;
        if (is_on_host(node)) {
            judged_.set(node, on_the_host(node));
        } else if (has_value(node)) {
            judged_.set(node, layers_.run(node, judged_.values()));
            ++work.judged_layers;
        }
        if (has_value(node)) {
            rounded_.set(node, in_memory(wide_, node));
        }
        work.most_bytes =
            std::max(work.most_bytes, wide_.held_bytes() + host_.held_bytes() + judged_.bytes() + rounded_.bytes());
    }

    numbers_view expected(int node) const {
        return model_[node].type == dtype::f16 ? numbers_view(wide_.numbers(node))
                                               : numbers_view(model_[node].type, wide_.bytes(node));
    }
    numbers_view got(int node) const { return {model_[node].type, judged_.values().bytes(node)}; }

    /// The operation alone, on what it should read, rounded.
    std::vector<std::byte> alone(int node) {
        ++work.alone_layers;
        return layers_.run(node, rounded_.values());
    }
    const trace& rounded_operands() const { return rounded_.values(); }
    std::span<const double> wide_numbers(int node) const { return wide_.numbers(node); }

    /// The nodes from `first` to before `end` as a model, with what they read of the others: `first` was computed last.
    /// Operands of `first` without a value of their own come along.
    model_part part(int first, int end) const {
        part_cutter cutter(model_, known_);
        std::vector<int> taken;
        const auto take = [&](int node) {
            taken.push_back(node);
            cutter.take(node);
        };
        const auto take_unrounded = [&](int node, const auto& self) -> void {
            for (const int operand : model_.operands(node)) {
                if (!is_source(model_[operand].kind) && known_[at(operand)] == 0 && !has_value(operand) &&
                    std::find(taken.begin(), taken.end(), operand) == taken.end()) {
                    self(operand, self);
                    take(operand);
                }
            }
        };
        take_unrounded(first, take_unrounded);
        for (int i = first; i < end; ++i) {
            if (!is_source(model_[i].kind) && known_[at(i)] == 0) {
                take(i);
            }
        }
        return finished_part(cutter, taken, first, end);
    }

    /// The same operation in double precision: what the rounding of its operands makes of its result.
    std::vector<double> on_rounded_operands(int node) {
        ++work.reference_layers;
        compute_rounded(node);
        const numbers_view value = model_[node].type == dtype::f16
                                       ? numbers_view(scratch_.numbers(node))
                                       : numbers_view(model_[node].type, scratch_.bytes(node));
        std::vector<double> numbers;
        for (std::int64_t i = 0; i < value.count(); ++i) {
            numbers.push_back(value[i]);
        }
        forget_scratch();
        return numbers;
    }

    /// Calls visit(exact, rounded) for the elements of all fp16 operands that a node reads, weights among them, as they
    /// should be and as they are read.
    template <class Visit> void for_each_operand(int node, const Visit& visit) const {
        for (const int operand : model_.operands(node)) {
            if (model_[operand].type == dtype::f16 && wide_.known(operand)) {
                visit(operand, wide_.numbers(operand));
            }
        }
    }

    /// Forgets what no node behind this one reads.
    void release_after(int node) {
        for (const int each : dying_[at(node)]) {
            forget(each);
        }
    }

    /// Hands the states over to the next sample and forgets all other values.
    void end() {
        std::vector<std::pair<int, std::vector<double>>> numbers;
        std::vector<std::pair<int, std::vector<std::byte>>> memory;
        std::vector<std::pair<int, std::vector<std::byte>>> judged;
        for (const output_port& port : model_.outputs) {
            if (port.is_state()) {
                read_constant(wide_, port.node);
                const auto own = wide_.numbers(port.node);
                numbers.emplace_back(port.state, std::vector<double>(own.begin(), own.end()));
                memory.emplace_back(port.state, in_memory(wide_, port.node));
                const bool is_judged = judged_.values().known(port.node);
                const auto given = judged_.values().bytes(port.node);
                judged.emplace_back(port.state, is_judged ? std::vector<std::byte>(given.begin(), given.end())
                                                          : memory.back().second);
            }
        }
        for (int i = 0; i < model_.size(); ++i) {
            forget(i);
        }
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const int input = numbers[i].first;
            if (model_[input].type == dtype::f16) {
                wide_.set(input, std::move(numbers[i].second));
            } else {
                wide_.set(input, std::span<const std::byte>(memory[i].second));
            }
            judged_.set(input, std::move(judged[i].second));
        }
    }

private:
    /// Outputs of a part are those of the model, and what nodes behind the part read.
    model_part finished_part(part_cutter& cutter, const std::vector<int>& taken, int first, int end) const {
        std::vector<char> returned(model_.nodes.size(), 0);
        for (const output_port& port : model_.outputs) {
            returned[at(port.node)] = 1;
        }
        for (int i = end; i < model_.size(); ++i) {
            for (const int operand : model_.operands(i)) {
                returned[at(operand)] = 1;
            }
        }
        model_part made;
        made.origins = sequence<int>(cutter.graph.nodes.size(), -1);
        for (const int node : taken) {
            made.origins[at(cutter.place(node))] = node;
            if (node >= first && returned[at(node)] != 0) {
                cutter.add_output(node, "y" + std::to_string(node));
            }
        }
        std::vector<std::span<const std::byte>> inputs;
        for (const int read : cutter.reads) {
            inputs.push_back(rounded_.values().bytes(read));
        }
        made.samples.add(inputs);
        made.graph = std::move(cutter.graph);
        return made;
    }

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    bool is_constant(int node) const { return model_[node].kind != op::input && known_[at(node)] != 0; }

    void set_input(int node, std::vector<std::byte> memory) {
        wide_.set(node, std::span<const std::byte>(memory));
        judged_.set(node, std::move(memory));
    }

    /// Reads a weight or a constant, or computes one from such.
    void read_constant(wide_reference::evaluation& e, int node) {
        if (is_constant(node) && !e.known(node)) {
            read_constants(e, node);
            e.compute(node);
        }
    }
    void read_constants(wide_reference::evaluation& e, int node) {
        for (const int operand : model_.operands(node)) {
            read_constant(e, operand);
        }
    }

    /// The value of a node in double precision on what the judged arithmetic gave its operands; between nodes on the
    /// host digits are kept.
    std::vector<std::byte> on_the_host(int node) {
        read_constants(host_, node);
        for (const int operand : model_.operands(node)) {
            if (!is_constant(operand) && !host_.known(operand)) {
                host_.set(operand, judged_.values().bytes(operand));
            }
        }
        host_.compute(node);
        std::vector<std::byte> memory = in_memory(host_, node);
        if (host_rounds_) {
            host_.set(node, std::span<const std::byte>(memory));
        }
        return memory;
    }

    void compute_rounded(int node) {
        for (const int operand : model_.operands(node)) {
            if (scratch_.known(operand)) {
                continue;
            }
            if (is_constant(operand)) {
                read_constant(wide_, operand);
                scratch_.set(operand, std::span<const std::byte>(in_memory(wide_, operand)));
            } else if (rounded_.values().known(operand)) {
                scratch_.set(operand, rounded_.values().bytes(operand));
            } else {
                compute_rounded(operand);
            }
            touched_.push_back(operand);
        }
        scratch_.compute(node);
        touched_.push_back(node);
    }
    void forget_scratch() {
        for (const int node : touched_) {
            scratch_.release(node);
        }
        touched_.clear();
    }

    void forget(int node) {
        if (!keeps_constants_ || !is_constant(node)) {
            wide_.release(node);
            host_.release(node);
        }
        judged_.forget(node);
        rounded_.forget(node);
    }

    graph_view model_;
    Layers& layers_;
    sequence<char> known_;
    bool keeps_constants_;
    bool host_rounds_;
    std::vector<char> on_host_;
    std::vector<std::vector<int>> dying_; ///< by node, what it reads as the last
    wide_reference::evaluation wide_;
    wide_reference::evaluation host_;    ///< of the nodes on the host
    wide_reference::evaluation scratch_; ///< of one node at a time, on rounded operands
    held_trace judged_;
    held_trace rounded_;
    std::vector<int> touched_;
};

} // namespace ane::detail::inline ANEMONE_WAY
