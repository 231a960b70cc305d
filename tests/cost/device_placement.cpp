#include "../analysis/random_graph.hpp"
#include "../from_environment.hpp"
#include "placed_models.hpp"
#include <anemone/build.hpp>
#include <anemone/cost/device_serving.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ane;
using placed_models::lead;
using placed_models::placed_on;
using placed_models::within_factor;

namespace {

std::string refusal(auto f) {
    try {
        f();
    } catch (const error& e) {
        return e.code() == errc::argument ? e.what() : "another code";
    }
    return "accepted";
}

constexpr auto two_convolutions = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 32, 32>);
    auto c = conv2d<conv{.padding = same}>(x, g.weight("v"_s, f16<64, 64, 3, 3>));
    g.output("y"_s, relu(conv2d<conv{.padding = same}>(c, g.weight("w"_s, f16<64, 64, 3, 3>))));
});

} // namespace

TEST_CASE("all layers on the engine cost what the cost model says") {
    const unsigned seed = from_environment::seed();
    std::mt19937 random(seed);
    for (int trial = 0; trial < 200; ++trial) {
        const lowered_graph lowered = lower(passes_test::random_graph(static_cast<std::uint32_t>(random()), 20));
        const cost c = estimate(lowered.view(), h17s);
        const device_plan p = device_placement(lowered.view(), h17s);
        const device_total& engine = p.on(compute_device::engine);
        REQUIRE(engine.possible);
        CHECK(engine.seconds == doctest::Approx(*c.seconds).epsilon(1e-9));
        CHECK(engine.joules == doctest::Approx(c.joules).epsilon(1e-9));
        CHECK(p.seconds <= engine.seconds * (1 + 1e-9));
        CHECK(p.seconds <= p.on(compute_device::gpu).seconds * (1 + 1e-9));
        CHECK(p.seconds <= p.on(compute_device::cpu).seconds * (1 + 1e-9));
    }
}

TEST_CASE("the system's model has the figures that were read from the segmenter") {
    // Guide chapter 18, coarse roofline: the 3x3 convolution of 256 channels at 28 x 28 and 1x1 ones.
    const device_plan p =
        placed_on(placed_models::convolutions(1, 1, 256, 28), h13, {.model = placement_model::system});
    CHECK(p.layers[0].seconds[0] == doctest::Approx(1156e-6).epsilon(0.001));
    CHECK(p.seconds == doctest::Approx(1156e-6 + 0.05e-3 + 0.25e-3).epsilon(0.001));
    CHECK(p.known_by == mark::decompiled);
    CHECK(p.joules == 0);
    CHECK(!p.most_efficient);
    // 6.7 times from the GPU, 40 from the CPU (chapter 18).
    CHECK(p.layers[0].seconds[1] / p.layers[0].seconds[0] == doctest::Approx(6.67).epsilon(0.01));
    CHECK(p.layers[0].seconds[2] / p.layers[0].seconds[0] == doctest::Approx(40).epsilon(0.01));
}

TEST_CASE("small work is on the CPU by the system's model, as in Core ML's plans, whatever the unit") {
    const auto product = [](std::int64_t rows, std::int64_t inner, std::int64_t columns) {
        dynamic_builder g;
        const auto a = g.input("a", {rows, inner});
        g.output("y", g.add(op::matmul, {a, g.input("b", {inner, columns})}, transposed{}));
        return g.finish();
    };
    const auto sum = [](std::int64_t height, std::int64_t width) {
        dynamic_builder g;
        const auto a = g.input("a", {height, width});
        g.output("y", g.add(op::add, {a, g.input("b", {height, width})}));
        return g.finish();
    };
    for (const std::int64_t unit : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1000}, std::int64_t{10000}}) {
        const auto system = [unit](const dynamic_graph& g) {
            return placed_on(g, h17s, {.model = placement_model::system, .relative_unit_microseconds = unit});
        };
        CAPTURE(unit);
        for (const dynamic_graph& small : {product(4, 4, 4), sum(32, 64)}) {
            const device_plan p = system(small);
            CHECK(p.layers[0].on == compute_device::cpu);
            CHECK(p.fastest == compute_device::cpu);
            CHECK(p.known_by == mark::predicted);
        }
        for (const dynamic_graph& large : {product(16, 2048, 64), product(32, 1024, 128), sum(1024, 1024)}) {
            const device_plan p = system(large);
            CHECK(p.layers[0].on == compute_device::engine);
            CHECK(p.fastest == compute_device::engine);
            CHECK(p.known_by == mark::decompiled);
        }
    }
    // A small layer between large ones stays with them: a change of device costs more than it takes.
    dynamic_builder g;
    const auto x = g.input("x", {1, 64, 28, 28});
    const auto y = g.add(op::conv2d, {x, g.weight("v", {64, 64, 3, 3})}, conv{.padding = same});
    const auto z = g.add(op::softmax, {y}, axis{1});
    g.output("z", g.add(op::conv2d, {z, g.weight("w", {64, 64, 3, 3})}, conv{.padding = same}));
    CHECK(placed_on(g.finish(), h17s, {.model = placement_model::system}).segments.size() == 1);
}

TEST_CASE("what the engine has not is not placed there") {
    constexpr auto extreme = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8, 4, 64>);
        g.output("y"_s, arg_max<axis{-1}>(relu(x)));
    });
    const lowered_graph lowered = lower(extreme);
    const device_plan system = device_placement(lowered.view(), h17s, {.model = placement_model::system});
    const device_plan measured = device_placement(lowered.view(), h17s);
    // The segmenter has no engine tree for it (decompiled); the engine runs it (br_009, measured).
    CHECK(!system.layers[system.layers.size() - 1].can_be_on(compute_device::engine));
    CHECK(measured.layers[measured.layers.size() - 1].can_be_on(compute_device::engine));
    CHECK(!system.on(compute_device::engine).possible);

    constexpr auto sine = graph([](auto& g) { g.output("y"_s, ane::sin(g.input("x"_s, f16<1, 64>))); });
    const lowered_graph wave = lower(sine);
    for (const placement_model m : {placement_model::system, placement_model::measured}) { // native from A15 on (R132)
        CHECK(!device_placement(wave.view(), h13, {.model = m}).on(compute_device::engine).possible);
        CHECK(device_placement(wave.view(), h15, {.model = m}).on(compute_device::engine).possible);
    }
}

TEST_CASE("the verdicts of the guide, with its factors") {
    using namespace placed_models;
    using enum compute_device;
    using enum workload_regime;
    struct expected {
        const char* what;
        dynamic_graph model;
        target on;
        workload_regime regime;
        compute_device fastest;
        double lead;   // time on the GPU by time on the engine, as published; 0: none is
        double factor; // within which the model has it
    };
    // The stack's lead is one of the figures that the rates rest on; the others are not.
    const expected rows[] = {
        {"16 convolutions (bm_018, chapter 11)", convolutions(16, 1, 256, 32), h17s, convolution, engine, 4.2, 1.1},
        {"16 convolutions (cls_005)", convolutions(16, 1, 256, 32), h13, convolution, engine, 2.06, 1.15},
        {"vision at batch 1 (serving)", convolutions(8, 1, 64, 28), h17s, convolution, engine, 5.7, 1.8},
        {"vision at batch 256 (serving)", convolutions(8, 256, 64, 28), h17s, convolution, engine, 3.6, 1.5},
        {"an encoder block (4.4 times)", channels_first(attention_blocks(1, 128, 768, 12, true), h17s), h17s, encoder,
         engine, 4.4, 1.45},
        {"12 encoder layers (1.5 times)", attention_blocks(1, 128, 768, 12, true, 12), h17s, encoder, engine, 1.5, 1.6},
        {"attention at 512, M5", attention_blocks(1, 512, 768, 12, false), h17s, long_attention, gpu, 1 / 2.1, 1.3},
        {"attention at 197", attention_blocks(1, 197, 768, 12, false), h17s, short_attention, engine, 0, 0},
        {"attention at 512 (cls_007)", attention_blocks(1, 512, 768, 12, false), h13, long_attention, gpu, 0.47, 2.2},
        {"256 x 4096 x 4096 (2.8 times)", products(256, 4096, 4096), h17s, large_product, gpu, 1 / 2.8, 1.15},
        {"4096 cubed (3.0 times)", products(4096, 4096, 4096), h17s, large_product, gpu, 1 / 3.0, 1.25},
        {"256 x 4096 x 4096 (cls_003)", products(256, 4096, 4096), h13, large_product, gpu, 0.49, 1.4},
        {"128 x 1024 x 1024 (bm_015)", products(128, 1024, 1024), h17s, mid_product, engine, 0, 0},
        {"decode, 12 layers of 4096", products(16, 4096, 4096, 12), h17s, decode, gpu, 1 / 2.7, 2.2},
        {"decode, 12 layers of 4096, M1", products(16, 4096, 4096, 12), h13, decode, gpu, 0, 0},
        {"64 x 256 x 256", products(64, 256, 256), h13, tiny, cpu, 0, 0},
        {"64 x 256 x 256, M5", products(64, 256, 256), h17s, tiny, cpu, 0, 0},
    };
    for (const expected& e : rows) {
        CAPTURE(e.what);
        const device_plan p = placed_on(e.model, e.on);
        CAPTURE(lead(p));
        CHECK(p.regime == e.regime);
        CHECK(p.fastest == e.fastest);
        CHECK(verdict_on(p.regime)->fastest == e.fastest);
        CHECK((e.lead == 0 || within_factor(lead(p), e.lead, e.factor)));
    }
    // The CPU takes 26 us for the tiny product.
    CHECK(within_factor(placed_on(rows[15].model, h13).on(cpu).seconds, 26e-6, 1.02));
}

TEST_CASE("energies against those of the guide") {
    using namespace placed_models;
    const auto ratio = [](const device_plan& p) {
        return p.on(compute_device::gpu).joules / p.on(compute_device::engine).joules;
    };
    const auto efficiency = [](const device_plan& p, double flops) {
        return flops / p.on(compute_device::gpu).joules / 1e9; // GFLOP/s/W
    };
    const double stack = 16 * 2.0 * 32 * 32 * 256 * 256 * 9;
    const double gemm = 2.0 * 256 * 4096 * 4096;
    const dynamic_graph chain = convolutions(16, 1, 256, 32);
    const dynamic_graph large = products(256, 4096, 4096);
    CHECK(within_factor(ratio(placed_on(chain, h13)), 14.5, 1.05)); // the rates rest on these five
    CHECK(within_factor(ratio(placed_on(chain, h17s)), 13, 1.05));
    CHECK(within_factor(efficiency(placed_on(chain, h17s), stack), 175, 1.05));
    CHECK(within_factor(efficiency(placed_on(large, h13), gemm), 192, 1.05));
    CHECK(within_factor(efficiency(placed_on(large, h14), gemm), 213.7, 1.1));
    CHECK(within_factor(ratio(placed_on(products(128, 1024, 1024), h13)), 2.3, 1.8)); // and on none of these
    CHECK(within_factor(ratio(placed_on(attention_blocks(1, 512, 768, 12, false), h13)), 2.5, 3.5));
    CHECK(within_factor(ratio(placed_on(chain, h14)), 12.9, 1.1));
    CHECK(within_factor(ratio(placed_on(large, h14)), 3.6, 1.5));
    // The one class that the engine loses: 0.6 times. By chapter 11 the CPU is better still; no power of it is told.
    CHECK(placed_on(products(64, 256, 256), h13).most_efficient == compute_device::gpu);
    CHECK(within_factor(ratio(placed_on(products(64, 256, 256), h13)), 0.6, 1.8));
    for (const std::int64_t batch : {1, 256}) { // 6 to 10 times in serving
        CHECK(within_factor(ratio(placed_on(convolutions(8, batch, 64, 28), h17s)), 8, 1.8));
    }
}

// What the sources say and the model does not: docs/device_placement.md has the reasons. A change of the rates shows here.
TEST_CASE("what the model does not reproduce") {
    using namespace placed_models;
    using enum compute_device;
    CHECK(placed_on(products(1024, 1024, 1024), h17s).fastest == gpu);             // the engine below N of 2048
    CHECK(lead(placed_on(convolutions(1, 1, 256, 32), h17s)) < 3.8 / 2);           // 3.8 times
    CHECK(placed_on(products(16, 2048, 2048, 72), h17s).fastest == engine);        // decode: the GPU by 2.7
    CHECK(placed_on(products(16, 4096, 4096, 12), h17s).most_efficient == engine); // decode: the GPU by 4.6
    CHECK(placed_on(products(256, 4096, 4096), h17s).most_efficient == engine);    // the table says the GPU
    CHECK(crossover([](std::int64_t b) { return products(256 * b, 4096, 4096); }, h17s, {.last = 32}).energy ==
          0); // a tie at 16
}

TEST_CASE("bad input is an argument error") {
    using namespace placed_models;
    const lowered_graph lowered = lower(convolutions(2, 1, 8, 8));
    const graph_view g = lowered.view();
    const auto with = [&](const placement_options& o, target t = h17s) {
        return [&g, o, t] { device_placement(g, t, o); };
    };
    CHECK(refusal(with({})) == "accepted");
    CHECK(refusal(with({}, u1)).find("no clock of u1") != std::string::npos);
    CHECK(refusal(with({.model = placement_model::system}, u1)) == "accepted");
    CHECK(refusal(with({.model = placement_model::system, .goal = placement_goal::energy})).find("no energy") !=
          std::string::npos);
    CHECK(refusal(with({.model = static_cast<placement_model>(7)})).find("model") != std::string::npos);
    CHECK(refusal(with({.goal = static_cast<placement_goal>(7)})).find("goal") != std::string::npos);
    CHECK(refusal(with({.relative_unit_microseconds = 0})).find("above 0") != std::string::npos);
    const device_rates none;
    CHECK(refusal(with({.gpu = &none})).find("above 0") != std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const device_rates broken{.product = 1, .convolution = 1, .bandwidth = nan};
    CHECK(refusal(with({.cpu = &broken})).find("above 0") != std::string::npos);
    CHECK(refusal([&] { device_placement(g, h17s, {}, sequence<char>(1, 0)); }).find("barred") != std::string::npos);
    CHECK(refusal([&] { plan_on(g, h17s, sequence<compute_device>(1)); }).find("layers") != std::string::npos);
    const auto odd = static_cast<compute_device>(5);
    CHECK(refusal([&] { plan_on(g, h17s, sequence<compute_device>(2, odd)); }).find("cannot take") !=
          std::string::npos);
    const sequence<char> all(g.nodes.size(), 1);
    CHECK(refusal([&] { plan_on(g, h17s, sequence<compute_device>(2), {}, all); }).find("cannot take") !=
          std::string::npos);
    const device_rates powerless{.product = 1e9, .convolution = 1e9, .bandwidth = 1e9};
    CHECK(refusal([&] {
              device_placement(g, h17s, {.goal = placement_goal::energy, .gpu = &powerless}, all);
          }).find("no device takes the layer") != std::string::npos);
    const batch_scaling s = scaling_of(g, h17s);
    CHECK(refusal([&] { crossover(s, h17s, {.first = 0}); }).find("above 0") != std::string::npos);
    CHECK(refusal([&] { crossover(s, h17s, {.first = 9, .last = 3}); }).find("before its start") != std::string::npos);
    CHECK(refusal([&] { crossover(s, h17s, {.step = 0}); }).find("upwards") != std::string::npos);
    CHECK(refusal([&] { crossover(s, h17s, {}, {}, compute_device::gpu); }).find("two devices") != std::string::npos);
    CHECK(refusal([&] { crossover(s, u1); }).find("no clock") != std::string::npos);
    CHECK(refusal([&] { serving(s, h17s, 0); }).find("before its start") != std::string::npos);
}

TEST_CASE("placements are constant expressions") {
    constexpr device_crossover c = [] {
        return crossover(scaling_of(lower(two_convolutions).view(), h17s), h17s, {.first = 1, .last = 16, .step = 5});
    }();
    static_assert(c.time == 0 && c.lead_at_first > 1);
    static_assert(device_placement(lower(two_convolutions).view(), h17s).fastest == compute_device::engine);
    CHECK(
        c.lead_at_first ==
        doctest::Approx(crossover(scaling_of(lower(two_convolutions).view(), h17s), h17s, {.last = 1}).lead_at_first));
}

TEST_CASE("a graph without work has an empty plan") {
    const device_plan p = device_placement(dynamic_graph{}, h17s);
    CHECK(p.layers.empty());
    CHECK(p.segments.empty());
    CHECK(!p.fastest);
    CHECK(p.regime == workload_regime::none);
    CHECK(verdict_on(p.regime) == nullptr);
}
