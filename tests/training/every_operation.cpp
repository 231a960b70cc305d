// A step of a model around each operation of the catalogue: it is made and runs, or the operation is refused by name.

#include "../backend/every_operation.hpp"

#include "../from_environment.hpp"
#include "step_runner.hpp"
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ane;
using training_tests::reals;
using training_tests::step_runner;

namespace {

/// The sample with weights in the place of its fp16 inputs, and their numbers.
struct trainable_sample {
    dynamic_graph graph;
    std::vector<std::pair<int, reals>> weights;
};
trainable_sample trainable(const every_operation::sample& s) {
    trainable_sample t{copy_of(s.graph), {}};
    std::size_t next = 0;
    for (int i = 0; i < t.graph.view().size(); ++i) {
        node& n = t.graph.nodes[static_cast<std::size_t>(i)];
        if (n.kind != op::input) {
            continue;
        }
        const auto& data = s.inputs[next++];
        if (n.type != dtype::f16) {
            continue;
        }
        n.kind = op::weight;
        reals values;
        for (const half h : data.values) {
            values.push_back(static_cast<double>(h));
        }
        t.weights.emplace_back(i, values);
    }
    return t;
}

} // namespace

TEST_CASE("a step of each operation runs, or says which operation keeps it from that") {
    int ran = 0;
    const unsigned rounds = from_environment::number("ANEMONE_TEST_GRAPHS", 3);
    for (const op kind : every_operation::all()) {
        CAPTURE(name(kind));
        for (unsigned round = 0; round < rounds; ++round) {
            const every_operation::sample s = every_operation::draw(kind, from_environment::seed() * 7919 + round);
            const trainable_sample t = trainable(s);
            std::string_view output;
            for (const output_port& port : t.graph.view().outputs) {
                const node& n = t.graph.view()[port.node];
                output =
                    output.empty() && n.type == dtype::f16 && n.shape.rank > 0 ? t.graph.view().name(port) : output;
            }
            if (output.empty()) {
                continue;
            }
            training_options how{.prediction = output,
                                 .loss = {.kind = loss_kind::huber},
                                 .by = adamw{},
                                 .clip = {.norm = 4},
                                 .scale = dynamic_loss_scale,
                                 .pairs = true,
                                 .unfolds = round % 2 == 1};
            try {
                const training_step step = make_training_step(t.graph, how);
                step_runner<backend::cpu> run(step, backend::cpu{}, weights_for(step.graph, s.weights));
                const graph_view g = step.graph;
                std::size_t next = 0;
                for (int i = 0; i < g.size() && g[i].kind == op::input; ++i) {
                    if (g.next_of(i) < 0) {
                        run.give(i, reals(static_cast<std::size_t>(g[i].shape.count()), 0.5));
                        next += g[i].type == dtype::f16 ? 0 : 1;
                    }
                }
                if (next > 0) {
                    continue; // bytes: the runner has fp16 alone
                }
                for (const auto& [weight, values] : t.weights) {
                    for (const training_state& state : step.states) {
                        if (state.weight == weight && state.role == state_role::weight) {
                            run.set(weight, state_role::weight, values);
                        }
                    }
                }
                run.give(step.loss_scale, {1});
                run.give(step.rate, {0x1p-10});
                const double loss = run();
                ++ran;
                const double finite = run.output(step.finite)[0];
                CHECK((finite == 0 || finite == 1));
                if (finite == 1 && std::isfinite(loss)) {
                    for (const training_state& state : step.states) {
                        for (const double each : run.get(state.weight, state.role)) {
                            CHECK_FALSE(std::isnan(each));
                        }
                    }
                }
            } catch (const error& e) {
                const std::string text = e.what();
                const bool told = text.find("has no derivative") != std::string::npos ||
                                  text.find("no weight of the model is left to train") != std::string::npos ||
                                  text.find("the loss does not depend on it") != std::string::npos;
                CHECK_MESSAGE(told, text);
            }
        }
    }
    CHECK(ran > 100);
}
