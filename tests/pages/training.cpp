// The snippets of docs/training.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>
#include <anemone/gradient/jvp.hpp>
#include <anemone/segments/recompute.hpp>
#include <anemone/training/constant.hpp>
#include <anemone/training/update.hpp>

#include <doctest/doctest.h>

using namespace ane::literals;

namespace training_page {
namespace {

ane::training_step step_of(const ane::graph_view& model) {
    constexpr std::string_view frozen[] = {"backbone.*"};
    return ane::make_training_step(model, {.loss = {.kind = ane::loss_kind::cross_entropy, .labels = true},
                                           .by = ane::adamw{.decay = 0.05},
                                           .clip = {.norm = 1},
                                           .scale = ane::dynamic_loss_scale,
                                           .frozen = frozen});
}

constexpr auto model = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<16, 4>, ane::within(-2, 2));
    auto inner = relu(linear(x, g.weight("backbone.w", ane::f16<8, 4>)));
    g.output("y"_s, linear(inner, g.weight("head.w", ane::f16<3, 8>)));
});

constexpr ane::training_options how{.loss = {.kind = ane::loss_kind::mean_squared}, .by = ane::momentum{}};
static_assert(ane::conforms<ane::training_graph<model, how>, ane::macs>);

constexpr auto trains = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<16, 4>, ane::within(-2, 2));
    auto wanted = g.input("wanted"_s, ane::f16<16>, ane::within(0, 2)); // numbers of classes
    auto rate = g.input("rate"_s, ane::f16<1>, ane::within(0, 1));
    auto w = g.state("w"_s, ane::f16<3, 4>, ane::within(-8, 8));
    auto loss = cross_entropy(linear(x, read(w)), wanted);
    update(ane::momentum{}, loss, {.rate = rate}, w); // a state more, w_momentum
    g.output("loss"_s, loss.value);
});
static_assert(ane::conforms<trains, ane::macs>);

ane::recomputed_step in_less_memory(const ane::training_step& step) {
    return ane::recompute(step, ane::target::h13, {.most_bytes = 64 << 20});
}

constexpr auto sensitive = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<1, 8>, ane::within(-1, 1));
    auto along = g.input("along"_s, ane::f16<1, 8>, ane::within(-1, 1));
    auto y = tanh(linear(x, g.weight("w", ane::f16<64, 8>)));
    g.output("change"_s, jvp(y, x, along)); // of all 64 at once
});
static_assert(ane::conforms<sensitive, ane::macs>);

} // namespace

TEST_CASE("the page of the training has the ports that it says") {
    const ane::training_step s = step_of(model);
    CHECK(s.frozen.size() == 1);
    CHECK(s.states.size() == 4); // the weight, its momentum, the root and its low part
    CHECK(s.graph.view().called(s.states[1].input) == "head.w.momentum");
    CHECK(s.output_name(s.finite) == "finite");
    CHECK(in_less_memory(s).repeated == 0); // it has room
    CHECK(sensitive.view()[sensitive.view().outputs[0].node].shape == ane::extents{1, 64});
    CHECK(trains.view().find(ane::op::input, "w_momentum") >= 0);
}

} // namespace training_page
