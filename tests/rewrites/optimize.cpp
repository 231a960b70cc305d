#include "../../examples/encoder/block.hpp"
#include "models.hpp"
#include "same.hpp"
#include <anemone/backend/samples.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/rewrites/constant.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

using namespace ane;
using namespace ane::literals;
using rewriting::compare;

namespace {

/// The encoder of a vision transformer: 197 tokens of 768, 12 heads, as a framework writes it.
dynamic_graph encoder(std::int64_t tokens, int blocks) {
    constexpr std::int64_t width = 768, heads = 12;
    dynamic_builder g;
    auto x = g.input("x", {tokens, width});
    const auto linear = [&](const std::string& name, const dynamic_tensor& v, std::int64_t out) {
        return g.add(op::linear, {v, g.weight(name, {out, v.shape().width()}), g.weight(name + ".bias", {out})});
    };
    const auto norm = [&](const std::string& name, const dynamic_tensor& v) {
        return g.add(op::layer_norm, {v, g.weight(name, {width}), g.weight(name + ".bias", {width})},
                     stabilizer{1e-5F, -1});
    };
    const auto split = [&](const dynamic_tensor& v) {
        return g.add(op::transpose, {g.reshape(v, {1, tokens, heads, width / heads})}, permutation{0, 2, 1, 3});
    };
    for (int b = 0; b < blocks; ++b) {
        const std::string at = "block" + std::to_string(b) + ".";
        const auto n = norm(at + "norm1", x);
        const auto a = g.add(
            op::attention,
            {split(linear(at + "q", n, width)), split(linear(at + "k", n, width)), split(linear(at + "v", n, width))},
            score_scaling{0.125F});
        const auto joined = g.reshape(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {tokens, width});
        x = g.add(op::add, {x, linear(at + "o", joined, width)});
        const auto m = g.add(op::gelu, {linear(at + "up", norm(at + "norm2", x), 4 * width)});
        x = g.add(op::add, {x, linear(at + "down", m, width)});
    }
    g.output("y", x);
    return g.finish();
}

constexpr auto small = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 14, 14>);
    g.output("y"_s, relu(conv2d(x, g.weight("w"_s, f16<2048, 64, 1, 1>))));
});

/// Of values between layers that do not fit on the chip.
std::int64_t spilled_bytes(const graph_view& g, target t) {
    std::int64_t all = 0;
    for (const layer_demand& layer : demand_of(lower(g).view(), t).layers) {
        all += layer.spilled_bytes;
    }
    return all;
}

bool takes(const optimized& o, std::string_view rewrite) {
    for (const rewrite_step& step : o.steps) {
        if (rewrite == step.record().id) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("optimize: an attention as its parts, 3.7 to 5.3 times (guide 18)") {
    dynamic_builder g;
    const extents shape{1, 12, 197, 64};
    g.output("y",
             g.add(op::attention, {g.input("q", shape), g.input("k", shape), g.input("v", shape)}, score_scaling{}));
    const optimized o = optimize(g.finish(), h13);
    CHECK(takes(o, "attention_as_parts"));
    CHECK(o.gain() > 3.7 / 1.3);
    CHECK(o.gain() < 5.3 * 1.3);
    CHECK(o.kept() == rewrite_exactness::bits);
}

TEST_CASE("optimize: a plain encoder gets channels first, 33 and 5.7 ms in a public thread") {
    const optimized o = optimize(encoder(197, 12), h13);
    CHECK(takes(o, "channels_first"));
    CHECK(o.before == doctest::Approx(33e-3).epsilon(0.4));
    CHECK(o.after == doctest::Approx(5.7e-3).epsilon(0.4));
    CHECK(o.gain() > 33 / 5.7 / 1.4);
    const optimized strict = optimize(encoder(197, 1), h13, {.rounding = false});
    CHECK(strict.kept() == rewrite_exactness::bits);
    CHECK(strict.gain() > 1);
}

TEST_CASE("optimize: the encoder of the examples keeps its values") {
    const optimized o = optimize(block, h17s);
    CHECK(o.gain() > 1);
    CHECK(o.after < o.before);
    const auto c = compare(block, o.graph, h17s, 3);
    CHECK(c.worst < 0x1p-8);
    const optimized again = optimize(block, h17s);
    REQUIRE(again.steps.size() == o.steps.size());
    for (std::size_t i = 0; i < o.steps.size(); ++i) {
        CHECK(again.steps[i].rewrite == o.steps[i].rewrite);
    }
    const std::string text = optimize_text(o, h17s);
    CHECK(text.find("channels_first") != std::string::npos);
    CHECK(text.find("times as fast") != std::string::npos);
}

TEST_CASE("optimize: an output projection over a vocabulary is split where its weights are read again and again") {
    dynamic_builder g;
    g.output("y", g.add(op::linear, {g.input("x", {512, 4096}), g.weight("w", {32768, 4096})}));
    const optimized o = optimize(g.finish(), h13);
    CHECK(takes(o, "split_outputs"));
    CHECK(o.gain() > 1.2);
}

TEST_CASE("optimize: a block of MobileNetV2 whose values leave the chip is cut, on one image and on eight") {
    for (const std::int64_t images : {1, 8}) {
        dynamic_builder g;
        const std::int64_t side = images == 1 ? 112 : 56;
        const auto x = g.input("x", {images, 24, side, side});
        const auto wide = g.add(op::relu6, {g.add(op::conv2d, {x, g.weight("a", {144, 24, 1, 1})}, conv{})});
        const auto y = g.add(
            op::relu6, {g.add(op::conv2d, {wide, g.weight("b", {144, 1, 3, 3})}, conv{.padding = 1, .groups = 144})});
        g.output("y", g.add(op::conv2d, {y, g.weight("c", {24, 144, 1, 1})}, conv{}));
        const dynamic_graph model = g.finish();
        for (const target t : {h13, h17s}) {
            const optimized o = optimize(model, t);
            CHECK(takes(o, "tile_layers"));
            CHECK(o.gain() > 1.05);
            CHECK(spilled_bytes(model, t) > 4 << 20);
            CHECK(spilled_bytes(o.graph, t) == 0);
        }
    }
}

TEST_CASE("optimize: layers apart and in one program, 222 and 6.3 us each (fus_001)") {
    dynamic_builder g;
    auto x = g.input("x", {1, 8, 16, 16});
    for (int i = 0; i < 32; ++i) {
        x = g.add(op::relu,
                  {g.add(op::conv2d, {x, g.weight("w" + std::to_string(i), {8, 8, 3, 3})}, conv{.padding = same})});
    }
    g.output("y", x);
    const optimized o = optimize(g.finish(), h13);
    CHECK(o.apart / 32 == doctest::Approx(222e-6).epsilon(0.1));
    CHECK(o.before / 32 == doctest::Approx(6.3e-6).epsilon(0.15));
    CHECK(optimize_text(o, h13).find("each layer as a program of its own") != std::string::npos);
}

TEST_CASE("optimize: values that may overflow come first where they are asked for, and are never added") {
    const dynamic_graph model = rewriting::large_sums_model();
    CHECK_FALSE(proves(model, h17s, hazard::accumulator));
    const optimized fast = optimize(model, h17s);
    CHECK(fast.refuted_after == fast.refuted_before);
    for (const target t : {h13, h17s}) {
        const optimized sound = optimize(model, t, {.values = true});
        CHECK(sound.refuted_before == 2); // the sum, and the value that it is stored as
        CHECK(sound.refuted_after == 0);
        CHECK(proves(sound.graph, t, hazard::accumulator));
        CHECK((takes(sound, "scale_sums") || takes(sound, "split_sums")));
        CHECK(optimize_text(sound, t).find("let 2 values of the model pass a limit, and 0 after it") !=
              std::string::npos);
    }
    CHECK(optimize(model, h17s, {.rounding = false, .values = true}).refuted_after == 2); // no rewrite keeps the bits
    // The sum that overflowed is finite: 1024 times 50, of which a linear layer makes infinity.
    dynamic_builder g;
    const auto x = g.input("x", {1, 1024}, within(49, 50));
    g.output("y", g.add(op::linear, {x, g.weight("w", {1, 1024}, within(0.9, 1))}));
    const dynamic_graph certain = g.finish();
    const weight_store weights = random_weights(certain, 3);
    const model_samples samples = random_samples(certain, 1);
    const backend::any place{backend::oracle{h17s}};
    const float before = run_samples(certain, weights, samples, place)[0][0][0];
    const float after = run_samples(optimize(certain, h17s, {.values = true}).graph, weights, samples, place)[0][0][0];
    CHECK(std::isinf(before));
    CHECK(after > 40000);
    CHECK(after < 52000);
}

TEST_CASE("optimize: a search that keeps to the chip admits nothing that leaves it") {
    const dynamic_graph model = encoder(197, 1);
    const auto streamed = [](const graph_view& g) { return summarize(residency(lower(g).view(), h13), h13).streamed; };
    const optimized o = optimize(model, h13, {.resident = true});
    CHECK(streamed(o.graph) <= streamed(model));
    CHECK(o.after <= o.before);
}

TEST_CASE("optimize: where nothing pays or no clock is known, the model stays") {
    dynamic_builder g;
    g.output("y", g.add(op::relu, {g.input("x", {1, 64})}));
    const dynamic_graph model = g.finish();
    CHECK(optimize(model, h13).steps.empty());
    CHECK(optimize_text(optimize(model, h13), h13).find("no rewrite pays") != std::string::npos);
    const optimized unknown = optimize(model, u1);
    CHECK(unknown.steps.empty());
    CHECK(optimize_text(unknown, u1).find("no clock") != std::string::npos);
}

TEST_CASE("optimize: in constant expressions") {
    constexpr const auto& fast = optimized_model<small, h13>;
    static_assert(graph_view(fast).outputs.size() == 1);
    static_assert(estimate(lower(fast).view(), h13).clock.typical < estimate(lower(small).view(), h13).clock.typical);
    CHECK(compare(small, fast, h13, 5).worst < 0x1p-9);
}
