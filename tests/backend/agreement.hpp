#pragma once

#include "composer.hpp"
#include "random_graphs.hpp"
#include "standin_control.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

/// The oracle interprets the lowered graph; the engine backend writes it as MIL text, which the stand-in parses, fuses
/// and runs on its own. Whatever differs in a single bit is a mistake in one of them.
namespace agreement {

using namespace composing;

inline constexpr target machines[] = {h13, h14, h16, h17s};

/// One word for the whole comparison: empty when every bit of every output is equal.
inline std::string first_difference(const graph_view& g, port_memory& a, port_memory& b) {
    for (std::size_t port = 0; port < g.outputs.size(); ++port) {
        const auto left = a.halves(port);
        const auto right = b.halves(port);
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (left[i].bits != right[i].bits) {
                return fmt::format("output {} element {}: oracle {:#06x} ({}), engine {:#06x} ({})", port, i,
                                   left[i].bits, static_cast<double>(left[i]), right[i].bits,
                                   static_cast<double>(right[i]));
            }
        }
    }
    return {};
}

/// Compiles a graph for both and runs it twice: with ordinary inputs, then with infinities, NaN and the like among
/// them.
inline void agree(const graph_view& g, target machine, unsigned seed,
                  const ane::backend::engine_options& options = {}) {
    random_engine random(seed);
    const weight_store weights = random_weights(g, random);
    const standin::host here(machine);
    std::string failure;
    try {
        auto oracle = compile(g, ane::backend::oracle{machine}, weights);
        auto engine = compile(g, standin::engine(machine, options), weights);
        for (int run = 0; run < 2 && failure.empty(); ++run) {
            const port_memory inputs = random_inputs(g, random, run == 1);
            port_memory from_oracle = memory_of_outputs(g);
            port_memory from_engine = memory_of_outputs(g);
            oracle.run(inputs.inputs(), from_oracle.outputs());
            engine.run(inputs.inputs(), from_engine.outputs());
            failure = first_difference(g, from_oracle, from_engine);
        }
    } catch (const std::exception& e) {
        failure = e.what();
    }
    const std::string graph_text = failure.empty() ? "" : print(g);
    CHECK_MESSAGE(failure.empty(), failure, "\nseed ", seed, " on ", std::string(ane::name(machine)), "\n", graph_text);
}

inline void agree_everywhere(const std::function<void(composer&)>& describe,
                             const ane::backend::engine_options& options = {}) {
    composer c;
    describe(c);
    const dynamic_graph g = c.finish();
    for (const target machine : machines) {
        agree(g, machine, 1, options);
    }
}

/// A model of one operation over one input.
inline void alone(op kind, const attributes& values, const extents& shape, const std::vector<extents>& weights = {}) {
    agree_everywhere([&](composer& c) {
        std::vector<int> operands{c.input(shape)};
        for (const extents& w : weights) {
            operands.push_back(c.weight(w));
        }
        c.output(c.add(kind, values, operands));
    });
}

inline const extents image{2, 6, 7, 9};

} // namespace agreement
