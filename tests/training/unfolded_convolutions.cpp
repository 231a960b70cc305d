// Trained convolutions: as patches and a product they are what they were, and every Mac takes their step at batch 16.

#include "../from_environment.hpp"
#include "step_runner.hpp"
#include <anemone/backend/cpu/kernel_needs.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>
#include <anemone/rules/acceptance.hpp>
#include <anemone/training/constant.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

using namespace ane;
using training_tests::reals;
using training_tests::step_runner;

namespace {

constexpr auto small_network = graph([](auto& g) {
    auto x = g.input("x"_s, f16<16, 1, 8, 8>, within(-1, 1));
    auto a = relu(conv2d<conv{.padding = 1}>(x, g.weight("a.w", f16<4, 1, 3, 3>), g.weight("a.b", f16<4>)));
    auto b = relu(conv2d<conv{.stride = 2, .padding = 1}>(a, g.weight("b.w", f16<6, 4, 3, 3>)));
    auto p = reduce_mean<axes{2, 3}>(b);
    g.output("logits"_s, linear(reshape<16, 6>(p), g.weight("head.w", f16<3, 6>)));
});
constexpr training_options on_the_engine{
    .loss = {.labels = true}, .by = momentum{}, .scale = {.fixed = 32}, .weight_limit = 1, .unfolds = true};

// The same as constants.
inline constexpr auto& unfolded_step = training_graph<small_network, on_the_engine>;
static_assert(conforms<unfolded_step, macs>);
// What its program needs is found within the steps that compilers count.
static_assert(cpu::needs_of(unfolded_step).contains(op::matmul));

std::string broken_rules(const graph_view& g, target t) {
    std::string all;
    for (const violation& v : blockers_of(g, t)) {
        all += std::string(name(v.rule)) + " of " + std::string(name(v.operation)) + "; ";
    }
    return all;
}

struct convolution_case {
    conv c;
    extents x;
    extents w;
    bool transposes = false;
};

/// A transposed convolution by a trained weight, at a batch above 1.
constexpr auto small_decoder = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 4, 4, 4>, within(-1, 1));
    auto up =
        conv_transpose2d<conv_transpose{.stride = 2}>(x, g.weight("up.w", f16<4, 3, 2, 2>), g.weight("up.b", f16<3>));
    g.output("y"_s, relu(up));
});
constexpr training_options decoder_training{.loss = {.kind = loss_kind::mean_absolute},
                                            .by = momentum{},
                                            .scale = {.fixed = 32},
                                            .weight_limit = 1,
                                            .unfolds = true};

} // namespace

TEST_CASE("unfolded convolutions give the loss and the gradients of those as they are") {
    const convolution_case cases[] = {
        {{}, {2, 3, 5, 6}, {4, 3, 1, 1}},
        {{.padding = 1}, {2, 3, 5, 6}, {4, 3, 3, 3}},
        {{.stride = 2, .padding = padding2(0, 1, 2, 1)}, {3, 2, 7, 6}, {4, 2, 3, 2}},
        {{.dilation = size2(2, 1), .padding = 2, .groups = 2}, {2, 4, 6, 5}, {6, 2, 2, 3}},
        {{.padding = 1, .groups = 3}, {2, 3, 4, 4}, {3, 1, 3, 3}},
        {{.stride = 3}, {2, 2, 8, 8}, {2, 2, 3, 3}},
        {{}, {2, 3, 4, 5}, {3, 2, 2, 2}, true},
        {{.stride = 2, .padding = padding2(0, 1, 1, 0)}, {3, 2, 4, 3}, {2, 4, 3, 2}, true},
        {{.stride = size2(1, 2), .dilation = size2(2, 1), .groups = 2}, {2, 4, 3, 4}, {4, 3, 2, 3}, true},
    };
    std::mt19937 random(from_environment::seed());
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const convolution_case& each : cases) {
        dynamic_builder b;
        const auto x = b.input("x", each.x);
        const auto scaled = b.add(op::mul, {x, b.weight("scale", each.x)});
        const auto trained = b.weight("w", each.w);
        const conv_transpose back{each.c.stride, each.c.dilation, each.c.padding, each.c.groups};
        const auto first = each.transposes ? b.add(op::conv_transpose2d, {scaled, trained}, back)
                                           : b.add(op::conv2d, {scaled, trained}, each.c);
        b.output("y", first);
        const dynamic_graph model = b.finish();
        const auto some = [&](const extents& shape) {
            reals all;
            for (std::int64_t i = 0; i < shape.count(); ++i) {
                all.push_back(uniform(random));
            }
            return all;
        };
        const extents out = model.view()[model.outputs[0].node].shape;
        const reals data = some(each.x);
        const reals scale = some(each.x);
        const reals w = some(each.w);
        const reals wanted = some(out);
        std::vector<reals> results[2];
        double losses[2]{};
        for (const bool unfolds : {false, true}) {
            step_runner<backend::wide> run(
                make_training_step(model, {.loss = {.kind = loss_kind::mean_squared}, .unfolds = unfolds}),
                backend::wide{});
            run.give("x", data);
            run.give(run.step.wanted, wanted);
            run.give(run.step.rate, {16});
            const int scale_node = model.view().find(op::weight, "scale");
            const int weight_node = model.view().find(op::weight, "w");
            run.set(scale_node, state_role::weight, scale);
            run.set(weight_node, state_role::weight, w);
            losses[unfolds ? 1 : 0] = run();
            results[unfolds ? 1 : 0] = {run.get(scale_node, state_role::weight),
                                        run.get(weight_node, state_role::weight)};
            const graph_view g = run.step.graph;
            for (int i = 0; i < g.size(); ++i) {
                const bool convolves = g[i].kind == op::conv2d || g[i].kind == op::conv_transpose2d;
                CHECK_FALSE((unfolds && convolves && !is_known_when_compiled(g, g.operands(i)[1])));
                CHECK_FALSE((unfolds && convolves && !each.transposes));
            }
        }
        CHECK(losses[0] == doctest::Approx(losses[1]).epsilon(2e-3));
        for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t i = 0; i < results[0][k].size(); ++i) {
                CHECK(std::fabs(results[0][k][i] - results[1][k][i]) <= 2e-3 * (1 + std::fabs(results[0][k][i])));
            }
        }
    }
}

TEST_CASE("a step with trained convolutions at batch 16 breaks no rule of a Mac once it is unfolded") {
    for (const target t : {h13, h14, h15, h16, h17s}) {
        CHECK(broken_rules(make_training_step(small_network, on_the_engine).graph, t) == "");
    }
    training_options folded = on_the_engine;
    folded.unfolds = false;
    CHECK(broken_rules(make_training_step(small_network, folded).graph, h13).find("dynamic_weight_batch_exceeds_one") !=
          std::string::npos);
}

TEST_CASE("so does one with a trained transposed convolution") {
    for (const target t : {h13, h14, h15, h16, h17s}) {
        CHECK(broken_rules(make_training_step(small_decoder, decoder_training).graph, t) == "");
    }
    training_options folded = decoder_training;
    folded.unfolds = false;
    CHECK(broken_rules(make_training_step(small_decoder, folded).graph, h13) != "");
}
