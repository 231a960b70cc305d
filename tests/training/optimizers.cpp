// Optimizers against their definitions in double precision, and where plain fp16 stalls.

#include "step_runner.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using namespace ane;
using training_tests::reals;
using training_tests::step_runner;

namespace {

/// A weight [1, 4] times an input, so that the input is, up to the factor of the loss, the gradient.
dynamic_graph pulled_weight() {
    dynamic_builder b;
    const auto x = b.input("x", {1, 4});
    b.output("y", b.add(op::mul, {b.weight("w", {1, 4}), x}));
    return b.finish();
}
/// The loss mean |w x - wanted| has the gradient x sign(w x - wanted) / 4.
constexpr loss_options pull{.kind = loss_kind::mean_absolute};

/// An optimizer of one weight, from its definition.
struct exact {
    optimizer o;
    double w = 0;
    double m = 0;
    double v = 0;
    int steps = 0;

    void step(double g, double rate) {
        ++steps;
        const bool apart = o.kind == optimizer_kind::adamw || o.kind == optimizer_kind::lion;
        if (!apart) {
            g += o.decay * w;
        } else {
            w -= rate * o.decay * w;
        }
        switch (o.kind) {
        case optimizer_kind::sgd: w -= rate * g; break;
        case optimizer_kind::momentum:
            m = o.beta1 * m + g;
            w -= rate * m;
            break;
        case optimizer_kind::nesterov:
            m = o.beta1 * m + g;
            w -= rate * (g + o.beta1 * m);
            break;
        case optimizer_kind::adam:
        case optimizer_kind::adamw: {
            m = o.beta1 * m + (1 - o.beta1) * g;
            v = o.beta2 * v + (1 - o.beta2) * g * g;
            const double mean = m / (1 - std::pow(o.beta1, steps));
            const double square = v / (1 - std::pow(o.beta2, steps));
            w -= rate * mean / (std::sqrt(square) + 1e-8);
            break;
        }
        case optimizer_kind::lion: {
            const double c = o.beta1 * m + (1 - o.beta1) * g;
            w -= rate * (c > 0 ? 1 : c < 0 ? -1 : 0);
            m = o.beta2 * m + (1 - o.beta2) * g;
            break;
        }
        }
    }
};

std::vector<optimizer> every_optimizer() {
    return {sgd{},
            sgd{.decay = 0.01},
            momentum{},
            nesterov{},
            adam{},
            adam{.beta2 = 0.9, .decay = 0.01},
            adamw{},
            adam{.beta2 = 0.99},
            lion{.decay = 0.1},
            momentum{.share = 0.5, .decay = 0.01}};
}

struct trajectory {
    reals found;
    reals expected;
    double largest_move = 0;
};
template <class Backend>
trajectory compare_steps(const Backend& backend, const training_options& how, double rate, int steps, double size) {
    step_runner<Backend> run(make_training_step(pulled_weight(), how), backend);
    const int weight = pulled_weight().view().find(op::weight, "w");
    const reals start{0.5, -0.25, 1, -1};
    run.set(weight, state_role::weight, start);
    run.give(run.step.wanted, reals(4, -30000));
    std::vector<exact> all;
    for (const double w : start) {
        all.push_back({.o = how.by, .w = w});
    }
    for (int k = 0; k < steps; ++k) {
        reals x;
        for (std::size_t i = 0; i < 4; ++i) {
            const double g = size * (1 + 0.5 * std::sin(0.7 * k + static_cast<double>(i))) * (i % 2 == 0 ? 1 : -1);
            x.push_back(static_cast<double>(half(4 * g)));
            all[i].step(x.back() / 4, rate);
        }
        run.give("x", x);
        run.give(run.step.rate, {rate});
        if (run.step.correction >= 0) {
            run.give(run.step.correction, {how.by.correction(k + 1)});
        }
        if (run.step.loss_scale >= 0) {
            run.give(run.step.loss_scale, {1024});
        }
        if (run.step.inverse_scale >= 0) {
            run.give(run.step.inverse_scale, {1.0 / 1024});
        }
        run();
    }
    trajectory r;
    r.found = run.get(weight, state_role::weight);
    for (std::size_t i = 0; i < 4; ++i) {
        r.expected.push_back(all[i].w);
        r.largest_move = std::max(r.largest_move, std::fabs(all[i].w - start[i]));
        if (how.pairs) {
            r.found[i] += run.get(weight, state_role::low)[i];
        }
    }
    return r;
}
void check_close(const trajectory& t, double relative) {
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        CHECK(std::fabs(t.found[i] - t.expected[i]) < relative * t.largest_move);
    }
}

} // namespace

TEST_CASE("each optimizer takes the steps of its definition") {
    for (const optimizer& o : every_optimizer()) {
        CAPTURE(std::string(name(o.kind)));
        CAPTURE(o.beta2);
        const bool small =
            o.kind != optimizer_kind::sgd && o.kind != optimizer_kind::momentum && o.kind != optimizer_kind::nesterov;
        const double rate = small ? 1.0 / 64 : 1.0 / 16;
        check_close(compare_steps(backend::cpu{}, {.loss = pull, .by = o, .pairs = true}, rate, 30, 0.5), 0.01);
        check_close(compare_steps(backend::cpu{}, {.loss = pull, .by = o}, rate, 30, 0.5), 0.03);
        for (const target t : {h13, h17s}) {
            check_close(compare_steps(backend::oracle{t}, {.loss = pull, .by = o}, rate, 30, 0.5), 0.04);
        }
    }
}

TEST_CASE("the loss scale cancels in what every optimizer does") {
    for (const optimizer& o : every_optimizer()) {
        CAPTURE(std::string(name(o.kind)));
        const training_options fixed{.loss = pull, .by = o, .scale = {.fixed = 1024}, .pairs = true};
        check_close(compare_steps(backend::cpu{}, fixed, 1.0 / 64, 20, 0.25), 0.01);
        const training_options given{.loss = pull, .by = o, .scale = dynamic_loss_scale, .pairs = true};
        check_close(compare_steps(backend::cpu{}, given, 1.0 / 64, 20, 0.25), 0.01);
    }
}

TEST_CASE("the root of the second moment holds where its square is nothing in fp16") {
    // (1 - 0.999) (1/256)^2 = 1.5e-8 is less than half of the smallest number: as a sum of squares the moment stays 0.
    REQUIRE(static_cast<double>(half(0.001 / 65536)) == 0);
    step_runner<backend::cpu> run(make_training_step(pulled_weight(), {.loss = pull, .by = adam{}}), backend::cpu{});
    const int weight = pulled_weight().view().find(op::weight, "w");
    run.give(run.step.wanted, reals(4, -30000));
    run.give("x", reals(4, 4.0 / 256));
    run.give(run.step.rate, {0});
    run.give(run.step.correction, {1});
    for (int k = 1; k <= 3000; ++k) {
        run();
        if (k == 30 || k == 300 || k == 3000) {
            const double expected = std::sqrt(1 - std::pow(0.999, k)) / 256;
            CAPTURE(k);
            CHECK(run.get(weight, state_role::root)[0] == doctest::Approx(expected).epsilon(0.03));
        }
    }
}

TEST_CASE("an update below half an ulp is lost to plain fp16, and kept by a pair") {
    const double rate = 0x1p-13; // of weights at 1, whose half ulp below is 2^-12
    for (const bool pairs : {false, true}) {
        step_runner<backend::cpu> run(make_training_step(pulled_weight(), {.loss = pull, .pairs = pairs}),
                                      backend::cpu{});
        const int weight = pulled_weight().view().find(op::weight, "w");
        run.set(weight, state_role::weight, reals(4, 1));
        run.give(run.step.wanted, reals(4, -30000));
        run.give("x", reals(4, 4));
        run.give(run.step.rate, {rate});
        for (int k = 0; k < 100; ++k) {
            run();
        }
        const double moved = 1 - run.get(weight, state_role::weight)[0];
        CHECK(std::fabs(moved - (pairs ? 100 * rate : 0)) < 0x1p-11);
    }
}

TEST_CASE("gradients are clipped by value and by their common norm, in units of the loss") {
    for (const double scale : {1.0, 256.0}) {
        for (const bool by_norm : {false, true}) {
            training_options how{.loss = pull, .scale = {.fixed = scale}};
            how.clip = by_norm ? clipping{.norm = 0.25} : clipping{.value = 0.25};
            step_runner<backend::cpu> run(make_training_step(pulled_weight(), how), backend::cpu{});
            const int weight = pulled_weight().view().find(op::weight, "w");
            run.give(run.step.wanted, reals(4, -30000));
            run.give("x", {4, 2, 0.5, 0}); // gradients 1, 0.5, 0.125 and 0
            run.give(run.step.rate, {1});
            run();
            const double norm = std::sqrt(1 + 0.25 + 0.125 * 0.125);
            const reals expected =
                by_norm ? reals{0.25 / norm, 0.125 / norm, 0.125 * 0.25 / norm, 0} : reals{0.25, 0.25, 0.125, 0};
            const reals found = run.get(weight, state_role::weight);
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(-found[i] == doctest::Approx(expected[i]).epsilon(3e-3));
            }
        }
    }
}

TEST_CASE("a step of which a gradient is not finite says so, and changes nothing") {
    for (const optimizer& o : every_optimizer()) {
        training_options how{.loss = {.kind = loss_kind::mean_squared}, .by = o, .scale = dynamic_loss_scale};
        step_runner<backend::cpu> run(make_training_step(pulled_weight(), how), backend::cpu{});
        const int weight = pulled_weight().view().find(op::weight, "w");
        run.set(weight, state_role::weight, {1, 2, 3, 4});
        run.give(run.step.wanted, reals(4, 0));
        run.give("x", {1, 1, 32, 1});
        run.give(run.step.rate, {0.25});
        if (run.step.correction >= 0) {
            run.give(run.step.correction, {1});
        }
        // 2 * 96 / 4 * 32 = 1536, which a momentum takes, is infinite times 32768.
        for (const double scale : {32768.0, 1.0}) {
            run.give(run.step.loss_scale, {scale});
            if (run.step.inverse_scale >= 0) {
                run.give(run.step.inverse_scale, {1 / scale});
            }
            run();
            CHECK(run.output(run.step.finite)[0] == (scale > 1 ? 0 : 1));
            CHECK((run.get(weight, state_role::weight) == reals{1, 2, 3, 4}) == (scale > 1));
            for (const training_state& s : run.step.states) {
                if (s.role != state_role::weight && s.role != state_role::root_low && scale > 1) {
                    CHECK(run.get(weight, s.role) == reals(4, 0));
                }
            }
        }
    }
}
