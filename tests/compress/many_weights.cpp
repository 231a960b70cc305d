#include <anemone/backend/samples.hpp>
#include <anemone/compress/compress.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/targets/target.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

// Models of many weights: how often the samples run does not grow with them.

using namespace ane;

namespace {

struct layers {
    dynamic_graph graph;
    weight_store weights;

    explicit layers(int count) {
        dynamic_builder g;
        dynamic_tensor x = g.input("x", {2, 16});
        for (int i = 0; i < count; ++i) {
            const std::string name = "w" + std::to_string(i);
            std::vector<float> values; // rows that add up to about 1, so that nothing vanishes
            for (int k = 0; k < 256; ++k) {
                values.push_back(static_cast<float>((1 + 0.2 * std::sin(k * (i + 1.0))) / 16));
            }
            weights.add(name, {16, 16}, std::span<const float>(values));
            x = g.add(op::linear, {x, g.weight(name, {16, 16})});
        }
        g.output("y", x);
        graph = g.finish();
    }
};

compression_plan plan_of(const layers& model, double most_loss) {
    compression_options options;
    options.most_loss = most_loss;
    options.forms = {{.form = weight_form::palette, .bits = 4}};
    options.error_feedback = false;
    options.file = weight_file::any;
    return choose_compression(model.graph, model.weights, h17s, random_samples(model.graph, 2, 1), options);
}

} // namespace

TEST_CASE("thousands of weights take no more runs than a hundred") {
    const layers model(400);
    const compression_plan plan = plan_of(model, 1000);
    CHECK(plan.weights.size() == 400);
    CHECK(plan.runs < 6 * 96); // a run for each group alone, one for each step, and a few: 400 weights alone took 800
    for (const weight_choice& w : plan.weights) {
        CHECK(w.chosen == 1); // any loss was allowed
    }
    CHECK(plan.after.bytes < plan.before.bytes / 2);
}

TEST_CASE("the bound holds for weights that are changed together, and some of them change") {
    const layers model(200);
    const double all = plan_of(model, 1000).after.loss;
    const compression_plan plan = plan_of(model, all / 2);
    CHECK(plan.after.loss <= all / 2);
    std::size_t changed = 0;
    for (const weight_choice& w : plan.weights) {
        changed += w.chosen;
    }
    CHECK(changed > 0);
    CHECK(changed < 200);
}

TEST_CASE("a weight that the caller decided on is tried alone and keeps its form beside its neighbours") {
    const layers model(200);
    compression_options options;
    options.most_loss = 1000;
    options.forms = {{.form = weight_form::palette, .bits = 4}};
    options.error_feedback = false;
    options.file = weight_file::any;
    options.required = {{"w0", std::nullopt}, {"w7", compression{.form = weight_form::palette, .bits = 8}}};
    const compression_plan plan =
        choose_compression(model.graph, model.weights, h17s, random_samples(model.graph, 2, 1), options);
    REQUIRE(plan.weights.size() == 200);
    CHECK(plan.weights[0].chosen == 0);
    REQUIRE(plan.weights[7].chosen == 1);
    CHECK(plan.weights[7].form().form->bits == 8);
    CHECK(plan.weights[1].chosen == 1);
    CHECK(plan.weights[1].form().form->bits == 4);
}
