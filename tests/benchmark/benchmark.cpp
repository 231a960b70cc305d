#include "../drawing/xml_check.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/benchmark/benchmark.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr auto small = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8, 10, 10>);
    auto y = relu(conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<16, 8, 3, 3>)));
    g.output("y"_s, softmax(reshape<1, 16 * 25>(max_pool<pool{.kernel = 2, .stride = 2}>(y))));
});

/// Takes a known time, and notes what it was given: the inputs of every first run, by the number of their bytes.
struct slow_backend {
    struct program {
        std::chrono::microseconds time;
        std::shared_ptr<std::vector<std::vector<float>>> notes;
        bool noted = false;
        void run(input_buffers inputs, output_buffers outputs) {
            const auto begin = std::chrono::steady_clock::now();
            for (std::size_t i = 0; !noted && i < inputs.size(); ++i) {
                std::vector<half> values(inputs[i].size() / sizeof(half));
                std::memcpy(values.data(), inputs[i].data(), inputs[i].size());
                notes->emplace_back(values.begin(), values.end());
            }
            noted = true;
            for (const auto& out : outputs) {
                std::fill(out.begin(), out.end(), std::byte{0});
            }
            while (std::chrono::steady_clock::now() - begin < time) {}
        }
    };
    std::string name() const { return "slow"; }
    static constexpr bool supports(op) { return true; }
    program compile(const graph_view&, const weight_store&) const { return {time, notes}; }

    std::chrono::microseconds time{500};
    std::shared_ptr<std::vector<std::vector<float>>> notes = std::make_shared<std::vector<std::vector<float>>>();
};

benchmark_options quick() { return {.seconds = 0.02, .rounds = 3, .limits = false}; }

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a backend of known speed has its times, whole and by layer") {
    const std::vector<backend::any> places{slow_backend{}, slow_backend{std::chrono::microseconds(1500)}};
    const benchmark_result r = benchmark(small, random_weights(small, 1), places, quick());
    REQUIRE(r.runs.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const benchmark_run& run = r.runs[i];
        const double known = i == 0 ? 500e-6 : 1500e-6;
        CHECK(run.backend == "slow");
        CHECK(run.first >= known);
        CHECK(run.times.least >= known);
        CHECK(run.times.least <= run.times.first_quartile);
        CHECK(run.times.first_quartile <= run.times.median);
        CHECK(run.times.median <= run.times.third_quartile);
        CHECK(run.times.third_quartile <= run.times.percentile_90);
        CHECK(run.times.percentile_90 <= run.times.percentile_99);
        CHECK(run.times.runs >= 3);
        REQUIRE(run.layers.size() == 3); // a reshape moves nothing
        for (const benchmark_layer& layer : run.layers) {
            CHECK(layer.times.least >= known);
            CHECK(layer.times.runs >= 3);
        }
        CHECK(run.layer_seconds() >= 3 * known);
    }
    const std::vector<benchmark_layer>& layers = r.runs[0].layers;
    CHECK(layers[0].name.starts_with("conv2d + relu"));
    CHECK(layers[0].flops == 2.0 * 16 * 100 * 8 * 9 + 16 * 100);
    CHECK(layers[0].bytes == 2.0 * (8 * 100 + 16 * 8 * 9 + 16 * 100));
    CHECK(layers[1].name.starts_with("max_pool"));
    CHECK(layers[2].name.starts_with("softmax"));
    CHECK(r.flops == std::accumulate(layers.begin(), layers.end(), 0.0,
                                     [](double sum, const benchmark_layer& l) { return sum + l.flops; }));
    CHECK(r.bytes == 2.0 * (8 * 100 + 16 * 8 * 9 + 16 * 25));
}

TEST_CASE("a layer reads what it reads in the model") {
    constexpr auto indexed = graph([](auto& g) {
        auto x = g.input("x"_s, f16<6, 4>, within(2, 3));
        auto at = arg_max<axis{0}>(x * -1.0); // an index from 0 to 5, which random numbers would not be
        g.output("y"_s, gather<axis{0}>(x, reshape<4>(at)));
    });
    const slow_backend noting{std::chrono::microseconds(1)};
    const std::vector<backend::any> places{backend::cpu{}, noting};
    const benchmark_result r = benchmark(indexed, {}, places, quick());
    const auto& last = noting.notes->back(); // of the last layer: the indices, after the table
    REQUIRE(last.size() == 4);
    for (const float index : last) {
        CHECK(index >= 0);
        CHECK(index <= 5);
        CHECK(index == static_cast<float>(static_cast<int>(index)));
    }
    for (const float v : noting.notes->front()) { // what the input promises
        CHECK(v >= 2);
        CHECK(v <= 3);
    }
    for (const benchmark_layer& layer : r.runs[0].layers) {
        CHECK(layer.not_timed == "");
    }
}

TEST_CASE("states, bytes and masks have layers, and what cannot be a port is said") {
    constexpr auto masked = graph([](auto& g) {
        auto row = g.input("row"_s, f16<1, 1, 8>);
        auto at = g.input("at"_s, u8<4, 1>);
        auto cache = g.state("cache"_s, f16<1, 4, 8>);
        write_where(cache, at, row);
        g.output("sum"_s, reduce_sum<axes{1}>(read(cache)));
    });
    const std::vector<backend::any> places{backend::cpu{}};
    const benchmark_result r = benchmark(masked, {}, places, quick());
    bool sums = false;
    bool refused = false;
    for (const benchmark_layer& layer : r.runs[0].layers) {
        sums = sums || (layer.name.starts_with("reduce_sum") && layer.times.runs > 0);
        refused = refused || layer.not_timed.find("mask") != std::string::npos;
    }
    CHECK(sums);
    CHECK(refused);
    CHECK(r.text().find("cannot be a port") != std::string::npos);
}

TEST_CASE("the result is text, a table and a drawing") {
    benchmark_options options = quick();
    const std::vector<backend::any> places{backend::cpu{}, slow_backend{}};
    benchmark_result r = benchmark(small, random_weights(small, 1), places, options);
    CHECK_THROWS_AS(r.svg(), error); // the machine was not measured
    r.limits =
        machine_limits{isa_level::generic, 1, 100e9, {{"L1", 32U << 10U, 16U << 10U, 400e9}, {"memory", 0, 1, 1e9}}};
    CHECK(lines_of(r.csv()) == 1 + 2 * 4);
    CHECK(drawing_test::xml_error(r.svg()) == "");
    const std::string text = r.text();
    for (const char* const part : {"conv2d + relu", "max_pool", "softmax", "100 GFLOP/s", "slow: compiled in", "share",
                                   "one by one", "slow takes"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    options.layers = false;
    const benchmark_result whole = benchmark(small, random_weights(small, 1), places, options);
    CHECK(whole.runs[0].layers.empty());
    CHECK(lines_of(whole.csv()) == 1 + 2);
}

TEST_CASE("a constant model is timed by name, with random weights or with its own") {
    const benchmark_result r = benchmark<small>(random_weights(small, 2), slow_backend{std::chrono::microseconds(20)});
    CHECK(r.runs.size() == 1);
    REQUIRE(r.limits);
    CHECK(r.limits->peak > 0);
}

TEST_CASE("how far it is never falls, and ends at 1") {
    static std::vector<double> parts;
    parts.clear();
    benchmark_options options = quick();
    options.progress = [](double part) { parts.push_back(part); };
    const std::vector<backend::any> places{slow_backend{std::chrono::microseconds(1)}};
    benchmark(small, random_weights(small, 1), places, options);
    CHECK(std::is_sorted(parts.begin(), parts.end()));
    CHECK(parts.size() > 5);
    CHECK(parts.back() == 1);
}

TEST_CASE("benchmarks without sense are errors") {
    const weight_store weights = random_weights(small, 1);
    CHECK_THROWS_AS(benchmark(small, weights, std::span<const backend::any>()), error);
    const std::vector<backend::any> places{slow_backend{}};
    CHECK_THROWS_AS(benchmark(small, weights, places, {.seconds = 0}), error);
    CHECK_THROWS_AS(benchmark(small, weights, places, {.rounds = 0}), error);
    CHECK_THROWS_AS(benchmark(small, weights, places, {.threads = 0}), error);
    CHECK_THROWS_AS(benchmark(small, {}, std::vector<backend::any>{backend::cpu{}}, quick()), error); // no weights
}
