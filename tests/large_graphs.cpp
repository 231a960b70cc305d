#include "from_environment.hpp"
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
#include <ctime>
#include <string>
#include <vector>

// Graphs of many nodes (3,000; ANEMONE_TEST_NODES, which is 100,000 in `./run test --all`) and the steps that were quadratic in
// them.

using namespace ane;

namespace {

const std::size_t many = from_environment::number("ANEMONE_TEST_NODES", 3000);

/// The processor time of named steps, in s, of which other programs take nothing.
class stopwatch {
public:
    template <class Step> auto operator()(const char* name, const Step& step) {
        const std::clock_t began = std::clock();
        auto result = step();
        seconds_.push_back({name, static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC});
        return result;
    }
    struct lap {
        std::string name;
        double seconds;
    };
    const std::vector<lap>& seconds() const { return seconds_; }

private:
    std::vector<lap> seconds_;
};

/// Makes steps(stopwatch, nodes) with an eighth of the nodes and with all of them. A step in proportion to them takes eight
/// times as long, one that is quadratic 64 times; what is over in no time is not judged.
template <class Steps> void in_proportion(const Steps& steps) {
    stopwatch few;
    stopwatch all;
    steps(few, many / 8);
    steps(all, many);
    for (std::size_t i = 0; i < all.seconds().size(); ++i) {
        INFO(all.seconds()[i].name);
        CHECK(all.seconds()[i].seconds < 24 * few.seconds()[i].seconds + 0.5);
    }
}

/// A value for each of many names, all read at the end: half of the nodes live together.
dynamic_graph long_lived(std::size_t nodes) {
    dynamic_builder g;
    std::vector<dynamic_tensor> values{g.input("x", {1, 4})};
    for (std::size_t i = 0; i < nodes / 2; ++i) {
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
dynamic_graph layers(std::size_t nodes) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 4});
    for (std::size_t i = 0; i < nodes / 5; ++i) {
        const std::string number = std::to_string(i);
        const auto scale = g.add(op::abs, {g.weight("scale." + number, {1, 4}, bounded(1))});
        x = g.add(op::mul, {g.add(op::relu, {x}), scale});
        g.output("y" + number, x);
    }
    return g.finish();
}

} // namespace

TEST_CASE("a graph of many nodes is lowered, emitted, costed, drawn and compiled: values that live long") {
    in_proportion([](stopwatch& time, std::size_t nodes) {
        const dynamic_graph g = time("build", [&] { return long_lived(nodes); });
        REQUIRE(g.nodes.size() >= nodes);
        const lowered_graph lowered = time("lower", [&] { return lower(g); });
        const folded_constants constants = time("constants", [&] { return fold_constants(lowered.graph, {}); });
        CHECK(time("MIL", [&] { return emit_mil(lowered.graph, constants); }).text.size() > nodes);
        CHECK(time("netplist", [&] { return emit_netplist(lowered.graph, constants); }).weights.size() == 1);
        CHECK(time("cost", [&] { return cost_report(g, h13); }).size() > nodes);
        const std::string drawing = time("drawing", [&] { return draw_svg(g); });
        CHECK(drawing.size() > nodes);
        CHECK(drawing.size() < 4000 * nodes); // in proportion, although edges cross half of the layers
        const auto apart = backend::cpu{}.rounding(rounding::each_operation);
        CHECK(time("cpu", [&] { return apart.compile(g, {}).arena_bytes(); }) >= 64 * (nodes / 2));
    });
}

TEST_CASE("a graph of many nodes is lowered, emitted and compiled: weights and outputs") {
    in_proportion([](stopwatch& time, std::size_t nodes) {
        const dynamic_graph g = time("build", [&] { return layers(nodes); });
        REQUIRE(g.outputs.size() == nodes / 5);
        const weight_store weights = time("weights", [&] { return random_weights(g, 1); });
        const lowered_graph lowered = time("lower", [&] { return lower(g); });
        const folded_constants constants = time("constants", [&] { return fold_constants(lowered.graph, weights); });
        CHECK(time("MIL", [&] { return emit_mil(lowered.graph, constants); }).text.size() > nodes);
        CHECK(time("netplist", [&] { return emit_netplist(lowered.graph, constants); }).weights.size() > 1);
        const auto apart = backend::cpu{}.rounding(rounding::each_operation);
        CHECK(time("cpu", [&] { return apart.compile(g, weights).arena_bytes(); }) >= 64 * (nodes / 5));
        CHECK(time("oracle", [&] { return backend::oracle(h13).compile(g, weights).lowered().graph.nodes.size(); }) >
              nodes / 5);
    });
}
