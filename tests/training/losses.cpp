// Losses against their definitions in double precision, also at the ends of fp16 on every generation, and typed models that
// train with them.

#include "step_runner.hpp"
#include <anemone/model.hpp>
#include <anemone/training/update.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

using namespace ane;
using training_tests::reals;
using training_tests::step_runner;

namespace {

/// A prediction [4, 3] as a weight, so that a step shows the derivative by it.
constexpr auto bare_prediction = graph([](auto& g) {
    auto zero = g.input("zero"_s, f16<4, 3>, within(0, 0));
    g.output("p"_s, zero + g.weight("p", f16<4, 3>));
});

struct scored {
    double loss = 0;
    reals slope;
};

/// The definition of a loss, in double precision.
scored by_definition(const loss_options& o, const reals& p, reals w, const reals& mask) {
    constexpr std::size_t classes = 3;
    scored r{0, reals(p.size())};
    if (o.smoothing > 0) {
        for (double& each : w) {
            each = each * (1 - o.smoothing) + o.smoothing / (o.kind == loss_kind::cross_entropy ? 3 : 2);
        }
    }
    const bool rows = o.kind == loss_kind::cross_entropy;
    double marked = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        marked += rows ? (i % classes == 0 ? mask[i / classes] : 0) : mask[i];
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double share = (rows ? mask[i / classes] : mask[i]) / marked;
        const double d = p[i] - w[i];
        switch (o.kind) {
        case loss_kind::cross_entropy: {
            const auto row = static_cast<std::ptrdiff_t>(i - i % classes);
            const double most = *std::max_element(p.begin() + row, p.begin() + row + 3);
            double sum = 0;
            for (std::size_t c = 0; c < classes; ++c) {
                sum += std::exp(p[static_cast<std::size_t>(row) + c] - most);
            }
            r.loss += share * w[i] * (most + std::log(sum) - p[i]);
            r.slope[i] = share * (std::exp(p[i] - most) / sum - w[i]);
            break;
        }
        case loss_kind::mean_squared:
            r.loss += share * d * d;
            r.slope[i] = share * 2 * d;
            break;
        case loss_kind::mean_absolute:
            r.loss += share * std::fabs(d);
            r.slope[i] = share * (d > 0 ? 1 : d < 0 ? -1 : 0);
            break;
        case loss_kind::huber:
            r.loss += share * (std::fabs(d) <= o.delta ? d * d / 2 : o.delta * (std::fabs(d) - o.delta / 2));
            r.slope[i] = share * std::clamp(d, -o.delta, o.delta);
            break;
        case loss_kind::binary_cross_entropy:
            r.loss += share * (std::max(p[i], 0.0) - p[i] * w[i] + std::log1p(std::exp(-std::fabs(p[i]))));
            r.slope[i] = share * (1 / (1 + std::exp(-p[i])) - w[i]);
            break;
        }
    }
    return r;
}

template <class Backend>
scored by_a_step(const Backend& backend, const loss_options& o, const reals& p, const reals& w, const reals& mask) {
    step_runner<Backend> run(make_training_step(bare_prediction, {.loss = o}), backend);
    const int weight = bare_prediction.view().find(op::weight, "p");
    run.set(weight, state_role::weight, p);
    run.give("zero", reals(p.size()));
    run.give(run.step.wanted, w);
    run.give(run.step.rate, {-1}); // the state moves by the derivative itself, from zero
    if (o.masked) {
        run.give(run.step.mask, mask);
    }
    scored r;
    r.loss = run();
    r.slope = run.get(weight, state_role::weight);
    for (std::size_t i = 0; i < p.size(); ++i) {
        r.slope[i] -= static_cast<double>(half(p[i]));
    }
    return r;
}

std::vector<loss_options> every_loss() {
    return {{.kind = loss_kind::cross_entropy},
            {.kind = loss_kind::cross_entropy, .smoothing = 0.25, .masked = true},
            {.kind = loss_kind::mean_squared},
            {.kind = loss_kind::mean_squared, .masked = true},
            {.kind = loss_kind::mean_absolute},
            {.kind = loss_kind::huber, .delta = 0.5},
            {.kind = loss_kind::huber, .delta = 2, .masked = true},
            {.kind = loss_kind::binary_cross_entropy},
            {.kind = loss_kind::binary_cross_entropy, .smoothing = 0.125, .masked = true}};
}

constexpr auto typed_step = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 2>, within(-2, 2));
    auto wanted = g.input("wanted"_s, f16<4>, within(0, 2));
    auto rate = g.input("rate"_s, f16<1>, within(0, 1));
    auto w = g.state("w"_s, f16<3, 2>, within(-8, 8));
    auto loss = cross_entropy(linear(x, read(w)), wanted);
    update(momentum{}, loss, {.rate = rate}, w);
    g.output("loss"_s, loss.value);
});
static_assert(conforms<typed_step, macs>);

} // namespace

TEST_CASE("each loss and its derivative are their definitions") {
    const reals p{0.5, -1, 2, 0, 0.25, -0.75, 3, 1, -2, 0.125, 0.5, 1.5};
    const reals w{1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0};
    for (loss_options o : every_loss()) {
        CAPTURE(std::string(name(o.kind)));
        const bool rows = o.kind == loss_kind::cross_entropy;
        reals mask(rows ? 4 : 12, 1);
        if (o.masked) {
            mask[1] = 0;
            mask[2] = 0;
        }
        const scored expected = by_definition(o, p, w, mask);
        const scored found = by_a_step(backend::wide{}, o, p, w, mask);
        CHECK(found.loss == doctest::Approx(expected.loss).epsilon(2e-3));
        const scored on_cpu = by_a_step(backend::cpu{}, o, p, w, mask);
        CHECK(on_cpu.loss == doctest::Approx(expected.loss).epsilon(4e-3));
        for (std::size_t i = 0; i < p.size(); ++i) {
            CAPTURE(i); // the state is rounded: half an ulp of p and of the derivative
            CHECK(std::fabs(found.slope[i] - expected.slope[i]) < 2e-3);
            CHECK(std::fabs(on_cpu.slope[i] - expected.slope[i]) < 3e-3);
        }
    }
}

TEST_CASE("numbers of classes are rows of ones") {
    const reals p{0.5, -1, 2, 0, 0.25, -0.75, 3, 1, -2, 0.125, 0.5, 1.5};
    const scored rows = by_a_step(backend::cpu{}, {}, p, {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0}, {});
    const scored labels = by_a_step(backend::cpu{}, {.labels = true}, p, {0, 2, 1, 1}, {});
    CHECK(rows.loss == doctest::Approx(labels.loss).epsilon(2e-3)); // a mean times 3, and the one product
    CHECK(rows.slope == labels.slope);
}

TEST_CASE("losses and derivatives at the ends of fp16 are finite on every generation") {
    const reals p{60000, -60000, 60000, -60000, 60000, -60000, 0, 60000, 0, -60000, -60000, -60000};
    const reals w{0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0};
    for (const loss_options& o : every_loss()) {
        CAPTURE(std::string(name(o.kind)));
        const reals mask(o.kind == loss_kind::cross_entropy ? 4 : 12, 1);
        const auto judge = [&](const scored& s) {
            CHECK(std::isfinite(s.loss));
            for (const double each : s.slope) {
                CHECK(std::isfinite(each));
            }
        };
        judge(by_a_step(backend::cpu{}, o, p, w, mask));
        for (const target t : {h11, h12, h13, h14, h15, h16, h17s}) {
            judge(by_a_step(backend::oracle{t}, o, p, w, mask));
        }
    }
}

TEST_CASE("a typed model trains with momentum, and its states have names of their own") {
    const graph_view g = typed_step;
    CHECK(g.find(op::input, "w_momentum") >= 0);
    auto program = compile<typed_step>(backend::cpu{}, weight_store{});
    ndarray<shape<4, 2>> x;
    const double values[] = {1, 0.5, -1, 0.25, 0.5, -1.5, -0.5, 1};
    for (std::size_t i = 0; i < 8; ++i) {
        x[i] = half(values[i]);
    }
    ndarray<shape<4>> labels;
    const double numbers_of_classes[] = {0, 1, 2, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        labels[i] = half(numbers_of_classes[i]);
    }
    ndarray<shape<1>> rate;
    rate[0] = half(0.25);
    double first = 0;
    double last = 0;
    for (int step = 0; step < 60; ++step) {
        last = static_cast<double>(program({"x"_s = x, "wanted"_s = labels, "rate"_s = rate})["loss"_s][0]);
        first = step == 0 ? last : first;
    }
    CHECK(first == doctest::Approx(std::log(3)).epsilon(2e-3));
    CHECK(last < 0.2);
}
