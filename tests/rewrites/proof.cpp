// What a proof shows: that steps keep what they say, and that a model which is another one is told.

#include "models.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/proof/proof.hpp>
#include <anemone/report/optimize_drawing.hpp>
#include <anemone/report/optimize_report.hpp>
#include <anemone/rewrites/registry.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace ane;
using namespace rewriting;

namespace {

/// A search that took one rewrite.
optimized one_step(const graph_view& model, int rewrite, target t) {
    const rewritten made = rewrite_table[rewrite].apply(model, describe(t));
    REQUIRE(made.places > 0);
    optimized found{made.graph, {}, 2e-3, 1e-3};
    found.steps.push_back({rewrite, made.places, 2e-3, 1e-3});
    return found;
}

int row_of(std::string_view id) {
    for (int r = 0; r < static_cast<int>(std::size(rewrite_table)); ++r) {
        if (id == rewrite_table[r].id) {
            return r;
        }
    }
    FAIL("no rewrite ", std::string(id));
    return -1;
}

} // namespace

TEST_CASE("proof: every step of a search holds") {
    for (const dynamic_graph& model : {block_model(true), exported_model(), token_model(), factors_model()}) {
        for (const target t : {h13, h17s}) {
            const optimized found = optimize(model, t);
            const rewrite_proof proof = prove(model, found, random_weights(model, 5), t);
            CHECK(proof.steps.size() == found.steps.size());
            CHECK(proof.holds());
            CHECK(proof_text(proof).find("FAILS") == std::string::npos);
        }
    }
}

TEST_CASE("proof: it fails for a model that computes something else") {
    dynamic_builder g;
    g.output("y", g.add(op::mul, {g.add(op::mul, {g.input("x", {4, 16}), g.constant(0.3)}), g.weight("w", {16})}));
    dynamic_builder h;
    h.output("y", h.add(op::mul, {h.add(op::mul, {h.input("x", {4, 16}), h.constant(0.4)}), h.weight("w", {16})}));
    const dynamic_graph model = g.finish();
    optimized found = one_step(model, row_of("merge_factors"), h13);
    const weight_store weights = random_weights(model, 1);
    CHECK(prove(model, found, weights, h13).holds());
    found.graph = h.finish();
    const rewrite_proof proof = prove(model, found, weights, h13);
    CHECK_FALSE(proof.holds());
    CHECK(proof.steps[0].difference.relative == doctest::Approx(1.0 / 3).epsilon(0.01));
    CHECK(proof_text(proof).find("FAILS") != std::string::npos);
}

TEST_CASE("proof: one rounding is too much where bits are promised, and a bound can be set") {
    const dynamic_graph model = factors_model();
    optimized found = one_step(model, row_of("merge_factors"), h13);
    const weight_store weights = random_weights(model, 3);
    const rewrite_proof proof = prove(model, found, weights, h13);
    REQUIRE(proof.whole.differing > 0);
    CHECK(proof.holds());
    CHECK_FALSE(prove(model, found, weights, h13, {.most_relative = 1e-9}).holds());
    found.steps[0].rewrite = row_of("cancel_transposes"); // keeps bits, and does not apply
    CHECK_THROWS_WITH(prove(model, found, weights, h13), doctest::Contains("applies at 0 places of this model, at 1"));
    found.steps[0].rewrite = 99;
    CHECK_THROWS_WITH(prove(model, found, weights, h13), doctest::Contains("is rewrite 99, there are"));
    found.steps = {};
    CHECK_FALSE(prove(model, found, weights, h13).holds()); // no step, another model
}

namespace {

/// Rows whose norms nearly cancel in what is summed up, beside an output of large numbers.
dynamic_graph cancelling_model() {
    dynamic_builder g;
    const auto x = g.input("x", {16, 8}, within(-20000, 20000));
    const auto y = g.add(op::linear, {x, g.weight("w", {8, 8}, bounded(1))});
    const auto z = g.add(op::layer_norm, {y, g.constant({8}, 1.0), g.constant({8}, 0.0)}, stabilizer{1e-3F, 1});
    const auto part = g.add(op::slice, {z}, window{{0, 0}, {16, 7}});
    g.output("large", g.add(op::mul, {x, g.constant(0.5)}));
    g.output("whole", g.add(op::reduce_sum, {z}, axes{1}));   // exactly zero: all of it is rounding
    g.output("part", g.add(op::reduce_sum, {part}, axes{1})); // minus the last of each row
    return g.finish();
}

} // namespace

TEST_CASE("proof: an output where terms cancel has the bound of its own digits, or none") {
    dynamic_builder g;
    const auto x = g.input("x", {16, 8}, within(-20000, 20000));
    const auto y = g.add(op::linear, {x, g.weight("w", {8, 8}, bounded(1))});
    const auto z = g.add(op::layer_norm, {y, g.constant({8}, 1.0), g.constant({8}, 0.0)}, stabilizer{1e-3F, 1});
    g.output("large", y);
    g.output("steep", g.add(op::sub, {g.add(op::add, {z, g.constant(200.0)}), g.constant(200.0)})); // 3 to 4 bits left
    const dynamic_graph steep = g.finish();
    const rewrite_proof proof = prove(steep, one_step(steep, row_of("scale_sums"), h13), random_weights(steep, 3), h13);
    REQUIRE(proof.steps.size() == 1);
    MESSAGE(proof_text(proof));
    CHECK(proof.steps[0].difference.relative > 0x1p-8);
    CHECK(proof.steps[0].most_relative > proof.steps[0].difference.relative);
    CHECK(proof.holds());

    const dynamic_graph lost = cancelling_model(); // by 2^-3 at most: no bound makes a proof of noise
    const rewrite_proof none = prove(lost, one_step(lost, row_of("scale_sums"), h13), random_weights(lost, 3), h13);
    MESSAGE(proof_text(none));
    CHECK(none.steps[0].most_relative == step_proof::least_digits);
    CHECK_FALSE(none.holds());
}

TEST_CASE("proof: each output has to hold, however small beside the others") {
    const auto model_with = [](float factor) {
        dynamic_builder g;
        const auto x = g.input("x", {4, 16});
        g.output("large", g.add(op::mul, {x, g.constant(1000.0)}));
        g.output("small", g.add(op::mul, {g.add(op::mul, {x, g.constant(0.01)}), g.constant(factor)}));
        return g.finish();
    };
    const dynamic_graph model = model_with(0.3F);
    optimized found = one_step(model, row_of("merge_factors"), h13);
    CHECK(prove(model, found, {}, h13).holds());
    found.graph = model_with(0.4F);
    const rewrite_proof proof = prove(model, found, {}, h13);
    CHECK_FALSE(proof.holds());
    CHECK(proof.steps[0].difference.relative == doctest::Approx(1.0 / 3).epsilon(0.01));
}

TEST_CASE("proof: samples and a backend of one's own; what is not finite counts") {
    const dynamic_graph model = factors_model();
    const optimized found = one_step(model, row_of("merge_factors"), h13);
    const weight_store weights = random_weights(model, 3);
    const backend::any cpu{backend::cpu{}};
    model_samples samples = random_samples(model, 2, 7);
    CHECK(prove(model, found, weights, h13, {.samples = &samples, .place = &cpu}).holds());
    const std::vector<half> odd(64, half(std::numeric_limits<double>::quiet_NaN()));
    samples.add(std::span<const half>(odd));
    const output_difference d = prove(model, found, weights, h13, {.samples = &samples}).whole;
    CHECK(d.values == 3 * 64);
    CHECK_THROWS_AS(static_cast<void>(prove(transposes_model(), found, weights, h13)), error);
    dynamic_builder g;
    const auto x = g.input("x", {4, 16});
    g.output("y", x);
    g.output("z", x);
    const model_samples one = random_samples(model, 1);
    CHECK_THROWS_WITH(difference_between(model, g.finish(), weights, one, cpu),
                      doctest::Contains("outputs of the models: 1"));
}

TEST_CASE("proof: what overflowed and is finite counts apart, where the step removes overflows") {
    dynamic_builder g;
    g.output("y", g.add(op::slice, {g.input("x", {2, 16}, within(-10000, 10000))}, window{{0, 8}, {2, 8}}));
    const dynamic_graph model = g.finish();
    model_samples samples;
    std::vector<half> values;
    for (int i = 0; i < 32; ++i) {
        values.emplace_back(i % 4 == 0 ? 8000.0 : 1.0);
    }
    samples.add(std::span<const half>(values));
    optimized found = optimize(model, h13, {.values = true});
    REQUIRE(found.steps.size() == 1);
    const rewrite_proof proof = prove(model, found, {}, h13, {.samples = &samples});
    CHECK(proof.holds());
    CHECK(proof.whole.mended == 4); // 2 of 8 in each row
    CHECK(proof.whole.differing == 0);
    CHECK(proof_text(proof).find("4 overflowed before it, and do not after it") != std::string::npos);
    found.steps[0].refuted = found.refuted_before; // a step that claims no such thing
    CHECK_FALSE(prove(model, found, {}, h13, {.samples = &samples}).holds());
}

TEST_CASE("random samples: indices are whole numbers that their operation takes, the same for the same seed") {
    dynamic_builder g;
    const auto table = g.weight("table", {7, 4});
    g.output("y", g.add(op::gather, {table, g.input("tokens", {1, 50})}, axis{0}));
    g.output("z", g.add(op::relu, {g.input("x", {50}, within(3, 4))}));
    const dynamic_graph model = g.finish();
    const model_samples samples = random_samples(model, 3, 9);
    CHECK(samples.size() == 3);
    bool high = false;
    for (std::size_t run = 0; run < 3; ++run) {
        const auto inputs = samples.inputs(run);
        const auto* const tokens = reinterpret_cast<const half*>(inputs[0].data());
        const auto* const x = reinterpret_cast<const half*>(inputs[1].data());
        for (int i = 0; i < 50; ++i) {
            const auto token = static_cast<double>(tokens[i]);
            CHECK(token == static_cast<int>(token));
            CHECK(token >= 0);
            CHECK(token < 7);
            high = high || token == 6;
            CHECK(static_cast<double>(x[i]) >= 3);
            CHECK(static_cast<double>(x[i]) <= 4);
        }
    }
    CHECK(high);
    CHECK_THROWS_WITH(static_cast<void>(samples.inputs(3)), doctest::Contains("there are 3"));
    const model_samples again = random_samples(model, 1, 9);
    CHECK(std::equal(again.inputs(0)[0].begin(), again.inputs(0)[0].end(), samples.inputs(0)[0].begin()));
}

TEST_CASE("drawing of a model before and after") {
    const dynamic_graph model = exported_model(197, 768, 12);
    const optimized found = optimize(model, h13);
    CHECK(found.gain() > 1.4); // a dispatch of 0.2 ms is part of both
    const std::string svg = draw_optimized(model, found, {.title = "a < b"});
    CHECK(svg.find("a &lt; b") != std::string::npos);
    CHECK(svg.find("Before, ") != std::string::npos);
    CHECK(svg.find("After, ") != std::string::npos);
    CHECK(svg.find("channels_first") != std::string::npos);
    CHECK(svg.find("times as fast") != std::string::npos);
    CHECK(svg.find("before-node") != std::string::npos);
}
