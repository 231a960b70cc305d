#include "../cost/placed_models.hpp"
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/report/device_placement_report.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace ane;

namespace {

constexpr auto ends_in_an_index = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 64, 32, 32>);
    auto c = relu(conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<64, 64, 3, 3>), g.weight("b"_s, f16<64>)));
    auto d = conv2d<conv{.padding = same}>(c, g.weight("v"_s, f16<64, 64, 3, 3>));
    g.output("y"_s, arg_max<axis{1}>(relu(d + c)));
});

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("a placement in words") {
    const std::string text = placement_report(ends_in_an_index, h17s);
    CAPTURE(text);
    CHECK(says(text, "conv2d + add + relu #3"));
    CHECK(says(text, "system: 2 segments: engine 1-3, GPU 4 (decompiled)"));
    CHECK(says(text, "measured: all on the engine; 0.15 ms, 0.44 mJ (measured)"));
    CHECK(says(text, "the system's choice by measured rates: "));
    CHECK(says(text, "as a whole on h17s (M5 Pro, Max): engine 0.15 ms, 0.44 mJ; GPU 0.31 ms, "));
    CHECK(says(text, "fastest: the engine; least energy, of those known: the engine"));
    CHECK(says(text, "the guide on convolution and vision: fastest the engine, most efficient the engine (measured, "
                     "chapter 11)\n"));
    // A figure for each layer on each device: a row of the table for each of the four layers.
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 4 + 3 + 3);
}

TEST_CASE("a placement says where it differs from what was measured, and what is not known") {
    const std::string tiny = placement_report(placed_models::products(64, 256, 256), h13);
    CHECK(says(tiny, "measured: all on the CPU; 0.03 ms, energy not known (measured)"));
    CHECK(says(tiny, "the guide on tiny work: fastest the CPU, most efficient the CPU (measured, chapter 11); the "
                     "figures above differ"));
    const std::string predicted = placement_report(ends_in_an_index, h15);
    CHECK(says(predicted, "(predicted)"));
    const std::string unknown = placement_report(ends_in_an_index, u1);
    CHECK(says(unknown, "no clock of u1 is known"));
    CHECK(says(unknown, "system: "));
    const std::string energy = placement_report(ends_in_an_index, h17s, {.goal = placement_goal::energy});
    CHECK(says(energy, "measured: all on the engine"));
    CHECK_THROWS_AS(placement_report(ends_in_an_index, h17s, {.relative_unit_microseconds = -1}), error);
    CHECK(says(placement_line(device_placement(dynamic_graph{}, h17s)), "nothing to place"));
    CHECK(says(placement_verdict(device_placement(dynamic_graph{}, h17s)), "no measured verdict"));
}

TEST_CASE("an operation that the engine lacks has no time there") {
    constexpr auto sine = graph([](auto& g) { g.output("y"_s, ane::sin(g.input("x"_s, f16<1, 4096>))); });
    const std::string text = placement_report(sine, h13);
    CHECK(says(text, "engine cannot take it"));
    CHECK(says(text, "          -"));
}

TEST_CASE("serving in words") {
    const auto vision = [](std::int64_t batch) { return placed_models::convolutions(8, batch, 64, 28); };
    CHECK(crossover_line(crossover(vision, h17s, {.last = 4})) ==
          "the GPU overtakes the engine in time nowhere from 1 to 4, in energy nowhere from 1 to 4\n");
    const auto product = [](std::int64_t rows) { return placed_models::products(rows * 256, 4096, 4096); };
    CHECK(
        says(crossover_line(crossover(product, h17s, {.last = 2})), "the GPU overtakes the engine in time from 1 on"));
    CHECK(says(crossover_line(crossover(product, h17s, {.last = 2}, {.model = placement_model::system})),
               "in energy not known where"));
    const sequence<serving_row> rows = serving(vision, h17s, 8);
    const std::string table = serving_table(rows);
    CHECK(std::count(table.begin(), table.end(), '\n') == 5);
    CHECK(says(table, " batch        engine    items/s    mJ/item           GPU    items/s    mJ/item\n"));
    // The GPU's batch of one: 153 us and 8 layers of 28.5 us and 57.8 MFLOP at 7.52 TFLOP/s.
    CHECK(says(table, "442.5 us"));
}
