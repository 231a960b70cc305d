// Gradients of max pools without slices that begin inside the last axis: the same bits, and every Mac takes a step of a
// network with a pool in one program.

#include "../from_environment.hpp"
#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/samples.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/gradient/model_gradient.hpp>
#include <anemone/model.hpp>
#include <anemone/proof/proof.hpp>
#include <anemone/rules/acceptance.hpp>
#include <anemone/training/constant.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr auto pooled_network = graph([](auto& g) {
    auto x = g.input("x"_s, f16<16, 1, 8, 8>, within(-1, 1));
    auto a = relu(conv2d<conv{.padding = 1}>(x, g.weight("a.w", f16<4, 1, 3, 3>), g.weight("a.b", f16<4>)));
    auto p = max_pool<pool{.kernel = 2, .stride = 2}>(a);
    auto b = relu(conv2d<conv{.padding = 1}>(p, g.weight("b.w", f16<6, 4, 3, 3>)));
    auto q = max_pool<pool{.kernel = 2, .stride = 2}>(b);
    g.output("logits"_s, linear(reshape<16, 24>(q), g.weight("head.w", f16<3, 24>)));
});
constexpr training_options trained_on_the_engine{.loss = {.labels = true}, .by = momentum{}, .unfolds = true};

int slices_inside_width(const graph_view& g) {
    int count = 0;
    for (const node& n : g.nodes) {
        count += (n.kind == op::slice || n.kind == op::strided_slice) && reads_inside_width(g, n) ? 1 : 0;
    }
    return count;
}

std::string refusals_of(const graph_view& g, target t) {
    std::string all;
    for (const violation& v : blockers_of(g, t)) {
        all += std::string(name(v.rule)) + " of " + std::string(name(v.operation)) + "; ";
    }
    return all;
}

} // namespace

TEST_CASE("a step of a network with pools is taken by every Mac") {
    for (const target t : {h13, h14, h15, h16, h17s}) {
        CHECK(refusals_of(make_training_step(pooled_network, trained_on_the_engine).graph, t) == "");
    }
}

TEST_CASE("gradients of pools by turned slices have the same bits") {
    const pool pools[] = {{.kernel = 2, .stride = 2},
                          {.kernel = 3, .stride = 2, .padding = 1},
                          {.kernel = size2(1, 3), .stride = 1},
                          {.kernel = size2(2, 3), .stride = size2(3, 2), .padding = padding2(0, 1, 1, 0)}};
    for (const pool& p : pools) {
        dynamic_builder b;
        const auto x = b.input("x", {2, 3, 7, 8}); // of any value: not within 4094
        const auto y = b.add(op::max_pool, {b.add(op::mul, {x, b.weight("w", {3, 1, 1})})}, p);
        b.output("loss", b.add(op::reduce_mean, {b.add(op::square, {b.add(op::tanh, {y})})}, axes{0, 1, 2, 3}));
        const dynamic_graph model = with_gradient(b.finish(), "loss", {"x", "w"});
        const dynamic_graph turned = detail::training::turn_slices(model);
        CHECK(slices_inside_width(model) > 0);
        CHECK(slices_inside_width(turned) == 0);
        const weight_store weights = random_weights(model, 3);
        const model_samples samples = random_samples(model, 2, from_environment::seed());
        for (const backend::any& place : {backend::any(backend::cpu{}), backend::any(backend::oracle(h17s))}) {
            const output_difference d = difference_between(model, turned, weights, samples, place);
            CHECK(d.values > 0);
            CHECK(d.differing == 0);
        }
    }
}
