#include "from_environment.hpp"
#include "sanitized.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_report.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

// Graphs of many nodes (ANEMONE_TEST_NODES; 100,000 in `./run test --all`) and the steps that were quadratic in them. No
// test measures a time: what is quadratic again runs into the time limit of this program.

using namespace ane;

namespace {

const std::size_t many = from_environment::number("ANEMONE_TEST_NODES", sanitized ? 10'000 : 30'000);

/// A value for each of many names, all read at the end: half of the nodes live together.
dynamic_graph long_lived() {
    dynamic_builder g;
    std::vector<dynamic_tensor> values{g.input("x", {1, 4})};
    for (std::size_t i = 0; i < many / 2; ++i) {
        values.push_back(g.add(op::relu, {values.back()}));
    }
    dynamic_tensor sum = values.back();
    for (std::size_t i = values.size() - 1; i-- > 0;) {
        sum = g.add(op::add, {sum, values[i]});
    }
    g.output("y", sum);
    return g.finish();
}

/// Layers with a weight of their own each, a folded constant among them, and many outputs.
dynamic_graph layers() {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 4});
    for (std::size_t i = 0; i < many / 5; ++i) {
        const std::string number = std::to_string(i);
        const auto scale = g.add(op::abs, {g.weight("scale." + number, {1, 4}, bounded(1))});
        x = g.add(op::mul, {g.add(op::relu, {x}), scale});
        g.output("y" + number, x);
    }
    return g.finish();
}

} // namespace

TEST_CASE("a graph of many nodes is lowered, emitted, costed, drawn and compiled: values that live long") {
    const dynamic_graph g = long_lived();
    REQUIRE(g.nodes.size() >= many);
    const lowered_graph lowered = lower(g);
    const materialized constants = materialize(lowered.graph, {});
    CHECK(emit_mil(lowered.graph, constants).text.size() > many);
    CHECK(emit_netplist(lowered.graph, constants).weights.size() == 1);
    CHECK(cost_report(g, h13).size() > many);
    const std::string drawing = draw_svg(g);
    CHECK(drawing.size() > many);
    CHECK(drawing.size() < 4000 * many); // in proportion, although edges cross half of the layers
    CHECK(backend::cpu{}.rounding(rounding::each_operation).compile(g, {}).arena_bytes() >= 64 * (many / 2));
}

TEST_CASE("a graph of many nodes is lowered, emitted and compiled: weights and outputs") {
    const dynamic_graph g = layers();
    REQUIRE(g.outputs.size() == many / 5);
    const weight_store weights = random_weights(g, 1);
    const lowered_graph lowered = lower(g);
    const materialized constants = materialize(lowered.graph, weights);
    CHECK(emit_mil(lowered.graph, constants).text.size() > many);
    CHECK(emit_netplist(lowered.graph, constants).weights.size() > 1);
    CHECK(backend::cpu{}.rounding(rounding::each_operation).compile(g, weights).arena_bytes() >= 64 * (many / 5));
    CHECK(backend::oracle(h13).compile(g, weights).lowered().graph.nodes.size() > many / 5);
}
