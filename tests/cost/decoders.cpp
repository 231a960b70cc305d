// A whole decoder on an M5 Pro (field-2026, section 1), a study that no constant of the model was taken from but the gain of
// zeros: Qwen3-4B, 8 positions for a token and 64 for a chunk of the prompt, over caches of the context and 256 more. The
// source's graph is not published: decoder.hpp is ours.

#include "decoder.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/cost/device_flow.hpp>
#include <anemone/cost/device_placement.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>

using namespace ane;
using decoders::key_layout;

namespace {

double seconds(std::int64_t positions, std::int64_t capacity, key_layout keys) {
    return *estimate(lower(decoders::decoder(decoders::qwen3_4b, positions, capacity, keys)).view(), h17s).seconds;
}

} // namespace

TEST_CASE("field-2026: a token and a chunk of the prompt of Qwen3-4B, however the graph has its keys") {
    struct measurement {
        std::int64_t positions, capacity;
        double seconds;
    };
    // 15.03, 13.70, 7.47 tokens/s, 3.11 at a capacity of 32K; 938.5, 764.0, 315.6 positions/s in chunks of 64.
    const measurement all[] = {{8, 756, 1 / 15.03},   {8, 2304, 1 / 13.70},  {8, 8448, 1 / 7.47},
                               {8, 32768, 1 / 3.11},  {64, 756, 64 / 938.5}, {64, 2304, 64 / 764.0},
                               {64, 8448, 64 / 315.6}};
    for (const key_layout keys : {key_layout::columns, key_layout::rows}) {
        for (const measurement& m : all) {
            CAPTURE(m.positions);
            CAPTURE(m.capacity);
            CHECK(std::exp(std::abs(std::log(seconds(m.positions, m.capacity, keys) / m.seconds))) < 1.25);
        }
    }
}

TEST_CASE("a transpose costs nothing where only products read it, and it swaps the last two axes") {
    const auto permuted = [](const extents& shape, const permutation& order, op reader, bool leaves) {
        dynamic_builder g;
        const auto keys = g.add(op::relu, {g.input("keys", shape)}); // on the chip
        const auto turned = g.add(op::transpose, {g.add(op::softmax, {keys}, axis{-1})}, order);
        const auto x = g.input("x", {shape[0], 8, turned.shape().height()});
        g.output("y", reader == op::matmul ? g.add(op::matmul, {x, turned}, transposed{}) : g.add(reader, {turned}));
        if (leaves) {
            g.output("turned", turned);
        }
        if (reader != op::matmul) {
            g.output("z", g.add(op::relu, {x}));
        }
        const dynamic_graph graph = lower(g.finish()).graph;
        bool moves = false;
        for (const layer_demand& layer : demand_of(graph, h17s).layers) {
            moves = moves || layer.permutes;
        }
        return moves;
    };
    CHECK(!permuted({4, 96, 64}, permutation{0, 2, 1}, op::matmul, false));
    CHECK(permuted({4, 96, 64}, permutation{0, 2, 1}, op::matmul, true));    // the host reads it too
    CHECK(permuted({4, 96, 64}, permutation{0, 2, 1}, op::softmax, false));  // not a product
    CHECK(permuted({64, 96, 64}, permutation{1, 0, 2}, op::softmax, false)); // other axes
}

TEST_CASE("a run of all layers of a decoder costs what its estimate says") {
    const dynamic_graph g = lower(decoders::decoder({2, 256, 8, 2, 32, 512, 1024}, 8, 1024, key_layout::rows)).graph;
    const device_flow flow = flow_of(g, describe(h17s));
    const cost_rates rates = rates_of(h17s);
    engine_run run(flow, rates);
    run.start(0);
    for (int i = 0; i < flow.layers(); ++i) {
        run.add();
    }
    CHECK(run.seconds() == doctest::Approx(*estimate(g, h17s).seconds).epsilon(1e-9));
}

TEST_CASE("64 rows meet the weights of a product once, more in tiles; one norm alone is what takes its factors") {
    const auto reads = [](std::int64_t rows) {
        dynamic_builder g;
        g.output("y", g.add(op::linear, {g.input("x", {rows, 9728}), g.weight("w", {2560, 9728})}));
        const auto program = demand_of(lower(g.finish()).graph, h17s);
        return ane::detail::weight_reads(program.layers.back(), rates_of(h17s));
    };
    CHECK(reads(64) == 1);
    CHECK(reads(65) > 1);
    const auto scaled = [](bool alone) {
        dynamic_builder g;
        const auto x = g.input("x", {256, 1024});
        const auto inside = alone ? x : g.add(op::softmax, {x}, axis{-1});
        g.output("y", g.add(op::rms_norm, {inside, g.weight("gamma", {1024})}, stabilizer{}));
        std::int64_t all = 0;
        for (const layer_demand& layer : demand_of(lower(g.finish()).graph, h17s).layers) {
            all += layer.row_scaled;
        }
        return all;
    };
    CHECK(scaled(true) == 256 * 1024);
    CHECK(scaled(false) == 0);
}

TEST_CASE("field-2026: the GPU of an M5 Pro leads in whole decoders, under a framework that encodes a whole graph") {
    const device_rates gpu = one_graph(device_rates_of(h17s, compute_device::gpu));
    const auto on_gpu = [&](std::int64_t positions, std::int64_t context) {
        const dynamic_graph g = lower(decoders::decoder(decoders::qwen3_4b, positions, context)).graph;
        const device_plan p = device_placement(g, h17s, {.gpu = &gpu});
        CHECK(p.fastest == compute_device::gpu);
        return p.on(compute_device::gpu).seconds;
    };
    struct measurement {
        std::int64_t context;
        double engine, gpu; // tokens/s
    };
    for (const measurement& m :
         {measurement{500, 15.03, 29.9}, measurement{2048, 13.70, 29.8}, measurement{8192, 7.47, 26.8}}) {
        CAPTURE(m.context);
        const double lead = seconds(8, m.context + 256, key_layout::columns) / on_gpu(1, m.context);
        CHECK(std::exp(std::abs(std::log(lead / (m.gpu / m.engine)))) < 1.25);
    }
}
