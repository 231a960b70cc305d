#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_wide_wide_hpp);

#include "../../base/cancellation.hpp"
#include "../../base/error.hpp"
#include "../../graph/copy.hpp"
#include "../../graph/op_set.hpp"
#include "../../passes/print.hpp"
#include "../../passes/validate.hpp"
#include "../../weights/convert.hpp"
#include "../../weights/encode.hpp"
#include "../../weights/verify.hpp"
#include "../one_run.hpp"
#include "../ports.hpp"
#include "step_table.hpp"
#include "wide.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ane::wide_reference::inline ANEMONE_WAY {

/// How operations are evaluated.
struct repertoire {
    const step_table& steps;
};

/// A separate function: merely naming the table of all operations here would instantiate it.
template <op_set Operations> const step_table& steps_of() { return step_table_of<Operations>; }

ANEMONE_BODY const step_table& every_step() { return steps_of<every_op>(); }

ANEMONE_BODY evaluation::evaluation(const graph_view& g, const weight_store& weights, const step_table& evaluators)
    : graph(g), weights_(weights), steps_(evaluators), numbers_(g.nodes.size()), bytes_(g.nodes.size()) {
    ane::detail::verify_weight_names(g, weights);
}

ANEMONE_BODY void evaluation::count_held(int index, int sign) {
    const auto bytes = numbers_[position(index)].size() * sizeof(double) + bytes_[position(index)].size();
    held_ += sign * static_cast<std::int64_t>(bytes);
}

ANEMONE_BODY void evaluation::set(int index, std::span<const std::byte> memory) {
    release(index);
    if (at(index).type == dtype::f16) {
        const std::span halves(reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half));
        numbers_[position(index)].assign(halves.begin(), halves.end());
    } else {
        bytes_[position(index)].assign(memory.begin(), memory.end());
    }
    count_held(index, 1);
}

ANEMONE_BODY void evaluation::set(int index, std::vector<double> numbers) {
    release(index);
    numbers_[position(index)] = std::move(numbers);
    count_held(index, 1);
}

ANEMONE_BODY void evaluation::release(int index) {
    constexpr std::size_t most_spare = 4;
    constexpr std::size_t least_numbers = 16384; // 128 kB, from where on an allocator asks the system
    count_held(index, -1);
    std::vector<double>& numbers = numbers_[position(index)];
    if (numbers.capacity() >= least_numbers) {
        if (spare_.size() == most_spare) {
            spare_.erase(spare_.begin());
        }
        spare_.push_back(std::move(numbers));
    }
    numbers = {};
    bytes_[position(index)] = {};
}

ANEMONE_BODY std::vector<double> evaluation::zeros(std::size_t count) {
    const auto fits = [count](const std::vector<double>& each) {
        return each.capacity() >= count && each.capacity() / 2 <= count;
    };
    const auto found = std::find_if(spare_.begin(), spare_.end(), fits);
    if (found == spare_.end()) {
        return std::vector<double>(count);
    }
    std::vector<double> taken = std::move(*found);
    spare_.erase(found);
    taken.assign(count, 0);
    return taken;
}

/// A weight as the store has it, once it is known to keep what the model says of it; one in a stored form as its bytes
/// say, which are made of fp16 values.
ANEMONE_BODY std::vector<double> evaluation::read_weight(int index) const {
    if (at(index).kind == op::weight) {
        std::vector<half> rounded = verified_weight(graph, index, weights_);
        const stored_tensor& given = weights_.at(graph.name(index));
        return given.type == element_type::f16 ? std::vector<double>(rounded.begin(), rounded.end()) : to_double(given);
    }
    const int from = operand(index, 0);
    const std::vector<half> rounded(numbers(from).begin(), numbers(from).end());
    return decode_weight_unrounded(encode_weight(rounded, shape(index), at(index).get<compression>()));
}

ANEMONE_BODY void evaluation::compute(int index) {
    const node& n = at(index);
    if (is_source(n.kind) && known(index)) {
        return;
    }
    if (n.kind == op::weight || n.kind == op::compressed) {
        set(index, read_weight(index));
        return;
    }
    if (n.kind == op::constant) {
        std::vector<double> values(static_cast<std::size_t>(n.shape.count()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(graph.value(n, static_cast<std::int64_t>(i)));
        }
        set(index, std::move(values));
        return;
    }
    const evaluator step = steps_[static_cast<std::size_t>(n.kind)];
    if (step == nullptr) {
        throw error(errc::lowering, print(graph, index), "the reference has no value for this operation");
    }
    release(index);
    if (n.type == dtype::f16) {
        numbers_[position(index)] = zeros(static_cast<std::size_t>(n.shape.count()));
    } else {
        bytes_[position(index)].resize(static_cast<std::size_t>(ane::bytes(n.type, n.shape.count())));
    }
    count_held(index, 1);
    step(*this, index);
}

} // namespace ane::wide_reference::inline ANEMONE_WAY

namespace ane::backend::inline ANEMONE_WAY {

struct wide_program::members {
    ANEMONE_INLINE members(const graph_view& model, const weight_store& weights, int threads,
                           const ane::wide_reference::repertoire& evaluators)
        : graph(copy_of(model)), bound(ane::detail::bound_nodes(graph)), ports(graph),
          values(graph, weights, evaluators.steps), digits(graph.nodes.size()) {
        values.threads = threads;
        for (int i = 0; i < values.graph.size(); ++i) { // now: the store may be gone when the program runs
            const op kind = values.at(i).kind;
            if (kind == op::weight || kind == op::constant ||
                (kind == op::compressed && is_source(values.at(values.operand(i, 0)).kind))) {
                values.compute(i);
            }
        }
    }

    /// What a state is before it is rounded, unless its memory was written.
    ANEMONE_INLINE std::vector<double> state_digits(int input, std::span<const std::byte> memory) const {
        const std::span halves(reinterpret_cast<const half*>(memory.data()), memory.size() / sizeof(half));
        std::vector<double> numbers(halves.begin(), halves.end());
        const std::vector<double>& kept = digits[static_cast<std::size_t>(input)];
        for (std::size_t i = 0; i < kept.size(); ++i) {
            numbers[i] = half(kept[i]).bits == halves[i].bits ? kept[i] : numbers[i];
        }
        return numbers;
    }

    dynamic_graph graph;
    sequence<char> bound; ///< inputs that are no states
    ane::detail::bound_ports ports;
    ane::wide_reference::evaluation values;
    std::vector<std::vector<double>> digits; ///< of the states, by their inputs
    ane::detail::run_flag running{false};
};

ANEMONE_BODY_OF wide_program::wide_program(const graph_view& model, const weight_store& weights, int threads,
                                           const ane::wide_reference::repertoire& evaluators)
    : state_(hidden<members>::of(new members(model, weights, threads, evaluators))) {}

ANEMONE_BODY void wide_program::run(input_buffers inputs, output_buffers outputs) {
    members& self = state_.get("wide program");
    const ane::detail::one_run now(self.running, "wide program");
    self.ports.bind(inputs, outputs);
    ane::wide_reference::evaluation& values = self.values;
    const graph_view& g = values.graph;
    std::size_t input = 0;
    for (int i = 0; i < g.size(); ++i) {
        ane::detail::stop_if_cancelled();
        if (g[i].kind == op::input) {
            const std::span<const std::byte> memory = self.ports.inputs()[input++];
            if (self.bound[static_cast<std::size_t>(i)] == 0 && g[i].type == dtype::f16) {
                values.set(i, self.state_digits(i, memory));
            } else {
                values.set(i, memory);
            }
        } else if (g[i].kind != op::compressed || !is_source(g.operand(g[i], 0).kind)) {
            values.compute(i);
        }
    }
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
        const output_port& port = g.outputs[i];
        const std::span<std::byte> to = self.ports.outputs()[i];
        const std::span<const double> numbers = values.numbers(port.node);
        if (numbers.empty()) {
            std::copy(values.bytes(port.node).begin(), values.bytes(port.node).end(), to.begin());
            continue;
        }
        std::transform(numbers.begin(), numbers.end(), reinterpret_cast<half*>(to.data()),
                       [](double x) { return half(x); });
        if (port.is_state()) {
            self.digits[static_cast<std::size_t>(port.state)].assign(numbers.begin(), numbers.end());
        }
    }
    self.ports.keep();
}

ANEMONE_BODY std::span<std::byte> wide_program::state(std::string_view name) {
    return state_.get("wide program").ports.state(name);
}
ANEMONE_BODY void wide_program::reset() {
    members& self = state_.get("wide program");
    self.ports.reset();
    for (std::vector<double>& digits : self.digits) {
        digits.clear();
    }
}

ANEMONE_BODY std::span<const double> wide_program::value(int node) const {
    const ane::wide_reference::evaluation& values = state_.get("wide program").values;
    if (node < 0 || node >= values.graph.size() || values.at(node).type != dtype::f16 || !values.known(node)) {
        throw error(errc::argument, "wide program",
                    "node " + std::to_string(node) + " has no numbers: it is not fp16, or nothing ran yet");
    }
    return values.numbers(node);
}

ANEMONE_BODY_OF wide wide::threads(int count) const {
    if (count < 1) {
        throw error(errc::argument, "wide", std::to_string(count) + " threads, at least 1");
    }
    wide result = *this;
    result.threads_ = count;
    return result;
}

ANEMONE_BODY_OF wide_program wide::compile(const graph_view& model, const weight_store& weights) const {
    validate(model);
    return {model, weights, threads_, {ane::wide_reference::steps_of<every_op>()}};
}

#if !defined(ANEMONE_COMPILED)
template <const auto& Model, class, std::size_t> wide_program wide::compile_model(const weight_store& weights) const {
    return {Model, weights, threads_, {ane::wide_reference::steps_of<operations_of(Model)>()}};
}
#endif

} // namespace ane::backend::inline ANEMONE_WAY
