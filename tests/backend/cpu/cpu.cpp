#include "../../sanitized.hpp"
#include "../random_graphs.hpp"
#include "naive.hpp"
#include "run_apart.hpp"
#include "whole_models.hpp"
#include <anemone/analysis/arena.hpp>
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/cpu/step.hpp>
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/oracle/step.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/catalogue/catalogue.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace composing;
using namespace whole_models;

namespace {

void check_against_naive(const graph_view& g, double tolerance) {
    random_engine random(3);
    const weight_store weights = random_weights(g, random);
    auto program = compile(g, backend::cpu{}.rounding(rounding::each_operation), weights);
    for (int run = 0; run < 2; ++run) {
        const port_memory inputs = random_inputs(g, random, false);
        port_memory outputs = memory_of_outputs(g);
        program.run(inputs.inputs(), outputs.outputs());
        const auto wanted = naive::run(g, weights, inputs.inputs());
        for (std::size_t port = 0; port < wanted.size(); ++port) {
            double largest = 0;
            for (const double v : wanted[port].values) {
                largest = std::max(largest, std::fabs(v));
            }
            const auto got = outputs.halves(port);
            CAPTURE(g.name(g.outputs[port]));
            for (std::size_t i = 0; i < got.size(); ++i) {
                CAPTURE(i);
                REQUIRE(std::fabs(static_cast<double>(got[i]) - wanted[port].values[i]) <= tolerance * largest);
            }
        }
        port_memory again = memory_of_outputs(g);
        program.run(inputs.inputs(), again.outputs());
        CHECK(again.bytes == outputs.bytes); // nothing of a run is left for the next one
        CHECK(run_apart(g, weights, inputs.inputs()).bytes == outputs.bytes);
    }
}

} // namespace

TEST_CASE("cpu: whole models against double precision, rounded to fp16 after each operation") {
    // The tolerance is a share of the output's largest value: a few units of 2^-11 that later operations have spread.
    SUBCASE("digits") { check_against_naive(digits, 0.004); }
    if (!sanitized) {
        SUBCASE("residual") { check_against_naive(residual, 0.004); }
        SUBCASE("encoder") { check_against_naive(encoder, 0.006); }
    }
    SUBCASE("values") { check_against_naive(values, 0.002); }
    SUBCASE("movement") { check_against_naive(movement, 0.0); }
}

TEST_CASE("cpu: the arena changes no bit of random graphs") {
    std::size_t saved = 0;
    for (unsigned seed = 1; seed <= (sanitized ? 100 : 300); ++seed) {
        CAPTURE(seed);
        const dynamic_graph graph = graph_generator(seed).make();
        const graph_view g = graph;
        random_engine random(seed);
        const weight_store weights = random_weights(g, random);
        const port_memory inputs = random_inputs(g, random, seed % 2 == 0);
        auto program = compile(g, backend::cpu{}.rounding(rounding::each_operation).threads(1), weights);
        port_memory outputs = memory_of_outputs(g);
        program.run(inputs.inputs(), outputs.outputs());
        REQUIRE(run_apart(g, weights, inputs.inputs()).bytes == outputs.bytes);
        port_memory again = memory_of_outputs(g);
        program.run(inputs.inputs(), again.outputs());
        REQUIRE(again.bytes == outputs.bytes);
        std::size_t apart = 0;
        const folded_constants constants = fold_constants(g, weights);
        for (int i = 0; i < g.size(); ++i) {
            apart += g[i].kind == op::input || constants.known(i) ? 0 : (port_bytes(g[i]) + 63) / 64 * 64;
        }
        const auto values = static_cast<std::size_t>(plan_arena(g).bytes); // the scratch of the steps comes on top
        CHECK(values <= apart);
        CHECK(program.arena_bytes() >= values);
        saved += apart - std::min(apart, values);
    }
    CHECK(saved > 0);
}

TEST_CASE("cpu: weights that went through a safetensors file give the same bits") {
    random_engine random(5);
    const graph_view g = digits;
    const weight_store weights = random_weights(g, random);
    const e5rt::temporary_directory directory("anemone-weights");
    save_safetensors(directory.path() / "weights.safetensors", weights);
    const weight_store read = load_safetensors(directory.path() / "weights.safetensors");
    const port_memory inputs = random_inputs(g, random, false);
    port_memory one = memory_of_outputs(g);
    port_memory two = memory_of_outputs(g);
    compile(g, backend::cpu{}, weights).run(inputs.inputs(), one.outputs());
    compile(g, backend::cpu{}, read).run(inputs.inputs(), two.outputs());
    CHECK(one.bytes == two.bytes);
}

TEST_CASE("every operation has a kernel on the CPU and a model of the engine's arithmetic, at compile time too") {
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        CAPTURE(name(kind));
        CHECK(backend::cpu::supports(kind));
        CHECK(backend::oracle::supports(kind));
        CHECK((ane::cpu::every_step()[i] == nullptr) == (is_source(kind) || kind == op::compressed));
        CHECK((ane::oracle::every_step()[i] == nullptr) ==
              (is_source(kind) || is_composed(kind) || kind == op::compressed)); // expanded before a run
    }
#ifndef __SANITIZE_ADDRESS__ // with sanitizers g++ 12 does not compare addresses of functions in constant expressions
    static_assert(backend::cpu::supports(op::attention) && backend::cpu::supports(op::arg_max));
#endif
    static_assert(runnable_backend<backend::cpu>);
    CHECK(backend::cpu{}.name().rfind("cpu ", 0) == 0);
}

TEST_CASE("cpu: outputs that are inputs, weights, or one value twice") {
    composer c;
    const int x = c.input({2, 3});
    const int w = c.weight({3});
    const int y = c.add(op::exp, {x});
    for (const int value : {x, w, y, y, c.reshape(y, {6})}) {
        c.output(value);
    }
    check_against_naive(c.finish(), 0.001);
}
