#pragma once

#include "stated_values.hpp"
#include <anemone/backend/wide/step.hpp>
#include <anemone/base/error.hpp>
#include <anemone/graph/copy.hpp>
#include <anemone/numerics/datapath.hpp>
#include <anemone/numerics/random.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/validate.hpp>
#include <anemone/targets/table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rounded_values {

using namespace ane;

/// A model in double precision whose every value is rounded to fp16 at its node: what rounding alone makes of it, whoever computes
/// it. To the nearest; or, with a seed, to one of its two neighbours by chance, the nearer the likelier, so that a few seeds tell
/// how far results may be from exact ones. With a target too, the lowered model, in which each operation is moved off first by what is
/// stated of that target's arithmetic: how far results of the engine may be.
class rounded_program {
public:
    rounded_program(const graph_view& model, const weight_store& weights, std::optional<std::uint64_t> seed,
                    std::optional<target> chip)
        : of_(std::make_unique<members>(chip ? lower(model).graph : copy_of(model), weights)), seed_(seed) {
        if (chip) {
            path_ = numerics::datapath_of(*chip);
        }
        for (const output_port& port : model.outputs) {
            ports_.push_back(port.node);
        }
    }

    void run(std::span<const std::span<const std::byte>> inputs, std::span<const std::span<std::byte>>) {
        wide_reference::evaluation& values = of_->values;
        const graph_view& g = values.graph;
        std::size_t input = 0;
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind == op::input) {
                values.set(i, inputs[input++]);
                continue;
            }
            values.compute(i);
            if (g[i].type == dtype::f16) {
                const std::span<const double> exact = values.numbers(i);
                std::vector<double> numbers = path_ && !is_source(g[i].kind)
                                                  ? stated_values::drawn(values, i, *path_, [this] { return draw(); })
                                                  : std::vector<double>(exact.begin(), exact.end());
                for (double& x : numbers) {
                    x = rounded(x);
                }
                values.set(i, std::move(numbers));
            }
        }
    }
    /// The value of an output, by its node in the model.
    std::span<const double> value(int node) const {
        const auto port = std::find(ports_.begin(), ports_.end(), node) - ports_.begin();
        return of_->values.numbers(of_->values.graph.outputs[static_cast<std::size_t>(port)].node);
    }

private:
    double rounded(double x) {
        const auto nearest = static_cast<double>(half(x));
        if (!seed_ || nearest == x || !std::isfinite(nearest)) {
            return nearest;
        }
        const half below = numerics::rounded_down(x);
        half above = below;
        if ((below.bits & 0x7fffU) == 0) {
            above.bits = 1;
        } else {
            above.bits = static_cast<std::uint16_t>((below.bits & 0x8000U) != 0 ? below.bits - 1 : below.bits + 1);
        }
        const auto low = static_cast<double>(below);
        const auto high = static_cast<double>(above);
        return std::isfinite(high) && draw() * (high - low) < x - low ? high : low;
    }
    /// The next number of splitmix64, on [0, 1).
    double draw() {
        std::uint64_t z = *seed_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
    }

    struct members {
        dynamic_graph graph;
        wide_reference::evaluation values;

        members(dynamic_graph model, const weight_store& weights)
            : graph(std::move(model)), values(graph, weights, wide_reference::every_step()) {
            for (int i = 0; i < values.graph.size(); ++i) { // now: the store may be gone when the program runs
                if (values.at(i).kind == op::weight) {
                    values.compute(i);
                }
            }
        }
    };
    std::unique_ptr<members> of_;
    std::optional<std::uint64_t> seed_;
    std::optional<numerics::datapath> path_;
    std::vector<int> ports_;
};

/// The backend of it.
struct rounded {
    std::optional<std::uint64_t> seed;
    std::optional<target> chip;

    std::string name() const { return "f64 rounded to fp16"; }
    static constexpr bool supports(op) { return true; }
    rounded_program compile(const graph_view& model, const weight_store& weights) const {
        return {model, weights, seed, chip};
    }
};

} // namespace rounded_values
