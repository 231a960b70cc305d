// Training steps made of models: their ports, what one step does in closed form, and what is refused.

#include "step_runner.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ane;
using training_tests::reals;
using training_tests::step_runner;

namespace {

/// A linear layer of two classes, and a frozen scale.
constexpr auto classifier = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 2>, within(-2, 2));
    auto scale = g.weight("scale", f16<1, 2>);
    g.output("logits"_s, linear(x * scale, g.weight("head.w", f16<2, 2>), g.weight("head.b", f16<2>)));
});
constexpr std::string_view only_head[] = {"head.*"};
constexpr training_options head_training{.loss = {.labels = true}, .trained = only_head, .weight_limit = 8};

// The description is known to the compiler.
constexpr bool describes_the_classifier() {
    const training_step s = make_training_step(classifier, head_training);
    return s.states.size() == 2 && s.frozen.size() == 1 && s.input_name(s.states[0].input) == "head_w" &&
           s.graph.view().called(s.states[0].input) == "head.w" && s.input_name(s.wanted) == "wanted" &&
           s.input_name(s.rate) == "rate" && s.output_name(s.loss) == "loss" && s.finite < 0;
}
static_assert(describes_the_classifier());

std::string refusal_of_training(const graph_view& g, const training_options& o) {
    try {
        (void)make_training_step(g, o);
    } catch (const error& e) {
        return e.what();
    }
    return "";
}

} // namespace

TEST_CASE("one step of gradient descent on a linear classifier is the closed form") {
    const training_step s = make_training_step(classifier, head_training);
    const reals x{1, 0.5, -1, 0.25, 0.5, -1.5, -0.5, 1};
    const int labels[] = {1, 0, 1, 0};
    weight_store weights;
    weights.add("scale", {1, 2}, {1.0F, 2.0F});
    step_runner<backend::cpu> run(s, backend::cpu{}, weights);
    run.give("x", x);
    run.give(s.wanted, {1, 0, 1, 0});
    run.give(s.rate, {0.5});
    const double first = run(); // both classes are as likely
    CHECK(first == doctest::Approx(std::log(2)).epsilon(2e-3));
    reals w(4);
    reals b(2);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t c = 0; c < 2; ++c) {
            const double slope = (0.5 - (labels[i] == static_cast<int>(c) ? 1 : 0)) / 4;
            b[c] -= 0.5 * slope;
            w[2 * c] -= 0.5 * slope * x[2 * i];
            w[2 * c + 1] -= 0.5 * slope * 2 * x[2 * i + 1];
        }
    }
    const int weight = classifier.view().find(op::weight, "head.w");
    const int bias = classifier.view().find(op::weight, "head.b");
    const reals moved = run.get(weight, state_role::weight);
    for (std::size_t k = 0; k < 4; ++k) {
        CHECK(moved[k] == doctest::Approx(w[k]).epsilon(2e-3));
    }
    CHECK(run.get(bias, state_role::weight)[0] == doctest::Approx(b[0]).epsilon(2e-3));
    double last = 0;
    for (int step = 0; step < 100; ++step) {
        last = run();
    }
    CHECK(last < 0.1 * first);
}

TEST_CASE("a validation step has the loss of the training step, with weights as inputs") {
    const training_step train = make_training_step(classifier, head_training);
    const training_step check = make_validation_step(classifier, head_training);
    weight_store weights;
    weights.add("scale", {1, 2}, {1.0F, 2.0F});
    step_runner<backend::cpu> a(train, backend::cpu{}, weights);
    step_runner<backend::cpu> b(check, backend::cpu{}, weights);
    REQUIRE(check.states.size() == train.states.size());
    const int weight = classifier.view().find(op::weight, "head.w");
    const int bias = classifier.view().find(op::weight, "head.b");
    const reals w{0.5, -1, 2, 0.25};
    a.set(weight, state_role::weight, w);
    a.set(bias, state_role::weight, {0.25, -0.5});
    a.give("x", {1, 0.5, -1, 0.25, 0.5, -1.5, -0.5, 1});
    b.give("x", {1, 0.5, -1, 0.25, 0.5, -1.5, -0.5, 1});
    a.give(train.wanted, {1, 0, 1, 0});
    b.give(check.wanted, {1, 0, 1, 0});
    a.give(train.rate, {0.5});
    b.give("head_w", w);
    b.give("head_b", {0.25, -0.5});
    CHECK(a() == b());
    CHECK(b.output(check.prediction)[0] == doctest::Approx(0.5 * 1 - 1 * 2 * 0.5 + 0.25));
}

TEST_CASE("what cannot be trained is refused by name") {
    const auto with = [](auto change) {
        training_options o = head_training;
        change(o);
        return refusal_of_training(classifier, o);
    };
    CHECK(with([](auto& o) { o.prediction = "lost"; }).find("lost: the model has no output of this name") !=
          std::string::npos);
    static constexpr std::string_view unknown[] = {"tail.*"};
    CHECK(with([](auto& o) { o.trained = unknown; }).find("tail.*: no weight of the model has such a name") !=
          std::string::npos);
    CHECK(with([](auto& o) { o.frozen = only_head; }).find("no weight of the model is left to train") !=
          std::string::npos);
    CHECK(with([](auto& o) { o.loss.smoothing = 1; }).find("label smoothing must lie in [0, 1)") != std::string::npos);
    CHECK(with([](auto& o) { o.loss = {.kind = loss_kind::huber, .delta = 0}; }).find("delta must lie above 0") !=
          std::string::npos);
    CHECK(with([](auto& o) { o.by = adam{.epsilon = 1e-8}; }).find("epsilon must lie between 2^-14") !=
          std::string::npos);
    CHECK(with([](auto& o) { o.scale.fixed = 1e6; }).find("between 2^-14 and 65536") != std::string::npos);
    dynamic_builder b;
    const auto x = b.input("x", {1, 3});
    b.output("y", b.add(op::floor, {b.add(op::linear, {x, b.weight("w", {2, 3})})}));
    CHECK(
        refusal_of_training(b.finish(), {.loss = {.kind = loss_kind::mean_squared}}).find("floor: has no derivative") !=
        std::string::npos);
}

TEST_CASE("ports of the step make room for those of the model") {
    dynamic_builder b;
    const auto x = b.input("wanted", {1, 3});
    b.output("loss", b.add(op::linear, {x, b.weight("rate", {2, 3})}));
    const training_step s = make_training_step(b.finish(), {.loss = {.kind = loss_kind::mean_squared}});
    CHECK(s.input_name(s.wanted) == "wanted_2");
    CHECK(s.input_name(s.states[0].input) == "rate");
    CHECK(s.input_name(s.rate) == "rate_2");
    CHECK(s.output_name(s.loss) == "loss");
}

TEST_CASE("a softmax at the end of a model is what the cross entropy contains itself") {
    const auto with_softmax = [](bool at_the_end) {
        dynamic_builder b;
        const auto y = b.add(op::linear, {b.input("x", {2, 3}), b.weight("w", {4, 3})});
        b.output("y", at_the_end ? b.add(op::softmax, {y}, axis{1}) : y);
        return b.finish();
    };
    reals weights;
    for (const bool at_the_end : {false, true}) {
        const dynamic_graph model = with_softmax(at_the_end);
        step_runner<backend::cpu> run(make_training_step(model, {.predicts = true}), backend::cpu{});
        run.give("x", {1, -2, 0.5, 0.25, 1, -1});
        run.give(run.step.wanted, {1, 0, 0, 0, 0, 0, 0, 1});
        run.give(run.step.rate, {1});
        run();
        const reals after = run.get(model.view().find(op::weight, "w"), state_role::weight);
        CHECK((weights.empty() || weights == after));
        weights = after;
        CHECK(run.output(run.step.prediction)[0] == (at_the_end ? 0.25 : 0));
    }
}

TEST_CASE("a decay that the loss scale takes beyond fp16 skips the step as an infinite gradient does") {
    dynamic_builder b;
    const auto x = b.input("x", {2, 2}, within(-1, 1));
    const auto w = b.weight("w", {2, 2});
    b.output("y", b.add(op::linear, {x, w}));
    const dynamic_graph model = b.finish();
    const int weight = model.view().find(op::weight, "w");
    for (const clipping clip : {clipping{}, clipping{.value = 1}, clipping{.norm = 1}}) {
        for (const bool overflows : {false, true}) {
            CAPTURE(overflows);
            const double scale = overflows ? 65536 : 128; // 65536 x 0.5 x 8 is beyond 65504
            step_runner run(make_training_step(model, {.loss = {.kind = loss_kind::mean_squared},
                                                       .by = momentum{.share = 0.5, .decay = 0.5},
                                                       .clip = clip,
                                                       .scale = {.fixed = scale, .skips = true}}),
                            backend::cpu());
            run.set(weight, state_role::weight, {8, 0, 0, -8});
            run.give("x", {0, 0, 0, 0}); // no gradient but the decay
            run.give(run.step.wanted, {0, 0, 0, 0});
            run.give(run.step.rate, {0.25});
            run();
            CHECK(run.output(run.step.finite)[0] == (overflows ? 0 : 1));
            CHECK(run.get(weight, state_role::weight) == (overflows ? reals{8, 0, 0, -8} : reals{7, 0, 0, -7}));
            CHECK(run.get(weight, state_role::mean) == (overflows ? reals{0, 0, 0, 0} : reals{512, 0, 0, -512}));
        }
    }
}
