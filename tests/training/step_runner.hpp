#pragma once

#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/backend/wide/wide.hpp>
#include <anemone/training/training_step.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Runs training steps by names of ports.
namespace training_tests {

using reals = std::vector<double>;

/// A program of a training step, with its inputs and outputs as numbers. Values stay until they are given anew.
template <class Backend> class step_runner {
public:
    step_runner(const ane::training_step& s, const Backend& backend, const ane::weight_store& weights = {})
        : step(s), program_(ane::compile(step.graph, backend, weights)) {}

    void give(int input, const reals& values) { given_[input] = halves(values); }
    void give(std::string_view input, const reals& values) {
        give(step.graph.view().find(ane::op::input, input), values);
    }

    /// Sets a state, by the weight's node in the model and its role.
    void set(int weight, ane::state_role role, const reals& values) {
        const std::vector<ane::half> from = halves(values);
        const std::span<std::byte> to = program_.state(name_of(weight, role));
        REQUIRE(to.size() == from.size() * sizeof(ane::half));
        std::memcpy(to.data(), from.data(), to.size());
    }
    reals get(int weight, ane::state_role role) {
        const std::span<std::byte> from = program_.state(name_of(weight, role));
        std::vector<ane::half> values(from.size() / sizeof(ane::half));
        std::memcpy(values.data(), from.data(), from.size());
        return doubles(values);
    }

    /// Runs a step; the loss.
    double operator()() {
        const ane::graph_view g = step.graph;
        std::vector<std::span<const std::byte>> in;
        for (int i = 0; i < g.size() && g[i].kind == ane::op::input; ++i) {
            if (g.next_of(i) >= 0) {
                continue; // a state
            }
            const auto found = given_.find(i);
            CAPTURE(std::string(g.name(i)));
            REQUIRE(found != given_.end());
            REQUIRE(static_cast<std::int64_t>(found->second.size()) == g[i].shape.count());
            in.push_back(std::as_bytes(std::span<const ane::half>(found->second)));
        }
        outputs_.clear();
        for (const ane::output_port& port : g.outputs) {
            if (!port.is_state()) {
                outputs_.emplace_back(static_cast<std::size_t>(g[port.node].shape.count()));
            }
        }
        std::vector<std::span<std::byte>> out;
        for (std::vector<ane::half>& each : outputs_) {
            out.push_back(std::as_writable_bytes(std::span<ane::half>(each)));
        }
        program_.run(in, out);
        return output(step.loss)[0];
    }
    /// An output of the last step, by its position.
    reals output(int position) const { return doubles(outputs_.at(static_cast<std::size_t>(position))); }

    ane::training_step step;

private:
    static std::vector<ane::half> halves(const reals& values) {
        std::vector<ane::half> all;
        for (const double v : values) {
            all.emplace_back(v);
        }
        return all;
    }
    static reals doubles(const std::vector<ane::half>& values) {
        reals all;
        for (const ane::half v : values) {
            all.push_back(static_cast<double>(v));
        }
        return all;
    }
    std::string_view name_of(int weight, ane::state_role role) const {
        for (const ane::training_state& s : step.states) {
            if (s.weight == weight && s.role == role) {
                return step.input_name(s.input);
            }
        }
        return "";
    }

    decltype(ane::compile(ane::graph_view{}, std::declval<Backend>(), ane::weight_store{})) program_;
    std::map<int, std::vector<ane::half>> given_;
    std::vector<std::vector<ane::half>> outputs_;
};

} // namespace training_tests
