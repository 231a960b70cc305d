#include "../random_graphs.hpp"
#include "run_apart.hpp"
#include "whole_models.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>

#include <doctest/doctest.h>

using namespace composing;
using namespace whole_models;

namespace {

port_memory run_once(const graph_view& g, const backend::cpu& place, const weight_store& weights,
                     const port_memory& inputs) {
    port_memory outputs = memory_of_outputs(g);
    compile(g, place, weights).run(inputs.inputs(), outputs.outputs());
    return outputs;
}

/// Runs parts backwards in the calling thread: a step whose parts depend on each other's order would show.
class backwards : public executor {
public:
    int width() const noexcept override { return 5; }
    void run(int count, void (*part)(const void*, int), const void* context) override {
        ++runs;
        for (int i = count; i-- > 0;) {
            part(context, i);
        }
    }
    int runs = 0;
};

} // namespace

TEST_CASE("cpu threads: any number of threads gives the bits of one") {
    thread_pool pool(3);
    backwards reversed;
    const auto check = [&](const graph_view& g, unsigned seed) {
        CAPTURE(seed);
        random_engine random(seed);
        const weight_store weights = random_weights(g, random);
        const port_memory inputs = random_inputs(g, random, seed % 2 == 0);
        const port_memory one = run_once(g, backend::cpu{}.threads(1), weights, inputs);
        REQUIRE(run_once(g, backend::cpu{}, weights, inputs).bytes == one.bytes);
        REQUIRE(run_once(g, backend::cpu{}.executor(pool), weights, inputs).bytes == one.bytes);
        REQUIRE(run_once(g, backend::cpu{}.executor(pool).threads(7), weights, inputs).bytes == one.bytes);
        REQUIRE(run_once(g, backend::cpu{}.executor(reversed), weights, inputs).bytes == one.bytes);
        const port_memory apart = run_apart(g, weights, inputs.inputs());
        REQUIRE(run_apart(g, weights, inputs.inputs(), &reversed).bytes == apart.bytes);
        REQUIRE(run_apart(g, weights, inputs.inputs(), &pool).bytes == apart.bytes);
    };
    for (const graph_view& g :
         {graph_view(digits), graph_view(residual), graph_view(encoder), graph_view(values), graph_view(movement)}) {
        check(g, 11);
    }
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const dynamic_graph graph = graph_generator(seed).make();
        check(graph, seed);
    }
}

TEST_CASE("cpu threads: how many a program has") {
    backwards reversed;
    const backend::cpu five = backend::cpu{}.executor(reversed);
    random_engine random(1);
    const weight_store weights = random_weights(digits, random);
    CHECK(compile(graph_view(digits), five, weights).threads() == 5);
    CHECK(compile(graph_view(digits), backend::cpu{}.threads(3), weights).threads() == 3);
    CHECK(compile(graph_view(digits), five.threads(2), weights).threads() == 2);
    CHECK(compile(graph_view(digits), backend::cpu{}, weights).threads() == available_threads());
    CHECK_THROWS_WITH_AS(backend::cpu{}.threads(0), "argument: cpu: 0 threads, at least 1", error);
    CHECK_THROWS_WITH_AS(backend::cpu{}.threads(-2), "argument: cpu: -2 threads, at least 1", error);
}
