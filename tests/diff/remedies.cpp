// What helps a model that fp16 breaks: each change is run, and what does not help is not told.

#include "wide_models.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace wide_models;

namespace {

template <class Judged>
remedy_search search(const graph_view& model, const Judged& judged, const model_samples& samples,
                     const weight_store& weights = {}, const wide_diff_options& how = {}) {
    const wide_difference d = diff(model, judged, exact, weights, samples, how);
    return find_remedies(model, judged, exact, weights, samples, d, {.diff = how, .chip = h13});
}

/// The remedy of one step of a kind, or null.
const remedy* of_kind(const remedy_search& found, remedy_kind kind) {
    const auto at = std::find_if(found.helpful.begin(), found.helpful.end(),
                                 [kind](const remedy& r) { return r.steps.size() == 1 && r.steps[0].kind == kind; });
    return at == found.helpful.end() ? nullptr : &*at;
}

/// The outputs of a changed model in an arithmetic, against those of the model in double precision, by a run of both.
template <class Judged>
double error_by_runs(const graph_view& model, const graph_view& changed, const Judged& judged,
                     const model_samples& samples, const weight_store& weights = {}) {
    const model_results want = run_samples(model, weights, samples, exact);
    const model_results got = run_samples(changed, weights, samples, judged);
    return relative_error(want, got);
}

} // namespace

TEST_CASE("a square that overflows is held as a power of two less, or computed on the host") {
    const auto model = root_mean_square();
    const model_samples samples = sample_of({large_row});
    const auto check = [&](const auto& judged) {
        const remedy_search found = search(model, judged, samples);
        CHECK(found.before.affected == 1);
        const remedy* const scaled = of_kind(found, remedy_kind::scale);
        REQUIRE(scaled != nullptr);
        CHECK(scaled->after.affected == 0);
        CHECK(scaled->after.worst.relative < 0.001);
        CHECK(scaled->steps[0].power > 0);
        CHECK(model.view()[scaled->steps[0].node].kind == op::square);
        CHECK(error_by_runs(model, scaled->graph, judged, samples) < 0.001); // beside what was told
        CHECK(error_by_runs(model, model, judged, samples) > 0.3);
        const remedy* const host = of_kind(found, remedy_kind::host);
        REQUIRE(host != nullptr);
        CHECK(host->on_host.size() == 3); // the square, the mean and its root, which fit again
        CHECK(host->after.affected == 0);
        CHECK(of_kind(found, remedy_kind::clamp) == nullptr);       // the ratios would be wrong
        CHECK(of_kind(found, remedy_kind::cpu_segment) == nullptr); // fp16 overflows there too
        CHECK(found.tried > static_cast<int>(found.helpful.size()));
    };
    check(plain.rounding(rounding::each_operation));
    check(oracle13);
}

TEST_CASE("squares that vanish are held as more than themselves") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        g.output("y"_s, sqrt(square(x)));
    });
    const remedy_search found = search(model, plain, sample_of({{1e-4, 2e-4}}));
    const remedy* const scaled = of_kind(found, remedy_kind::scale);
    REQUIRE(scaled != nullptr);
    CHECK(scaled->steps[0].power < 0);
    CHECK(scaled->after.affected == 0);
}

TEST_CASE("an exponential that overflows before a softmax by hand is clamped where that is the same") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 2>);
        g.output("y"_s, minimum(exp(x), g.constant(f16<1>, {1000})));
    });
    const remedy_search found = search(model, oracle13, sample_of({{12, 3}}));
    CHECK(found.before.affected == 0); // the minimum of infinity is right already
    CHECK(found.helpful.empty());
    CHECK(found.tried == 0);
    const auto ratio = build_graph([](auto& g) {
        auto e = exp(g.input("x"_s, f16<1, 2>));
        g.output("y"_s, e / reduce_sum<1>(e));
    });
    const remedy_search other = search(ratio, oracle13, sample_of({{12, 3}})); // infinity / infinity
    CHECK(other.before.affected == 1);
    const remedy* const clamped = of_kind(other, remedy_kind::clamp);
    REQUIRE(clamped != nullptr);
    CHECK(clamped->after.affected == 0); // e^11 beside e^3 is as good as e^12
}

TEST_CASE("a sum beyond the engine's register is scaled or cut, or goes to the CPU") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, matmul(x, g.weight("w"_s, f16<4, 1>)) * 0.25F);
    });
    weight_store weights;
    weights.add("w", {4, 1}, {1.0F, 0.5F, 1.0F, 0.5F});
    const model_samples samples = sample_of({{12000, 11000, 13000, 12000}}); // 36500
    const remedy_search found = search(model, oracle13, samples, weights);
    CHECK(found.before.affected == 1);
    REQUIRE(of_kind(found, remedy_kind::scale) != nullptr);
    REQUIRE(of_kind(found, remedy_kind::cpu_segment) != nullptr);
    for (const remedy& r : found.helpful) {
        CHECK(r.after.affected == 0);
        if (r.on_host.empty()) {
            CHECK(error_by_runs(model, r.graph, oracle13, samples, weights) < 0.001);
        }
    }
    CHECK(of_kind(found, remedy_kind::paired_sum) == nullptr); // it slices the width, where A13 ends at 4094
    const remedy_search later = search(model, backend::oracle(h16), samples, weights);
    const remedy* const paired = of_kind(later, remedy_kind::paired_sum);
    REQUIRE(paired != nullptr); // 17500 and 19000, added beside the register
    CHECK(error_by_runs(model, paired->graph, backend::oracle(h16), samples, weights) < 0.001);
}

TEST_CASE("two faults, one behind the other, take two steps") {
    const auto model = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        auto y = x / sqrt(reduce_mean<1>(square(x)));
        auto z = y * 300; // fits
        g.output("y"_s, sqrt(reduce_sum<1>(square(z))));
    });
    const model_samples samples = sample_of({{300, -310, 290, 280}});
    const remedy_search found = search(model, plain.rounding(rounding::each_operation), samples);
    CHECK(found.before.affected == 1);
    REQUIRE_FALSE(found.helpful.empty());
    const auto two = std::find_if(found.helpful.begin(), found.helpful.end(), [](const remedy& r) {
        return r.steps.size() == 2 && r.steps[0].kind == remedy_kind::scale;
    });
    REQUIRE(two != found.helpful.end());
    CHECK(two->after.affected == 0);
    CHECK(two->steps[0].node != two->steps[1].node); // of the model, not of the one changed once
    CHECK(model.view()[two->steps[1].node].kind == op::square);
    CHECK(error_by_runs(model, two->graph, plain.rounding(rounding::each_operation), samples) < 0.001);
    for (const remedy& r : found.helpful) {
        CHECK(r.after.affected == 0); // half a remedy is none beside a whole one
    }
}

TEST_CASE("what cannot be helped is told so") {
    const auto model = build_graph([](auto& g) { g.output("y"_s, square(g.input("x"_s, f16<1>))); });
    const remedy_search found = search(model, plain, sample_of({{1000}})); // the output itself leaves fp16
    CHECK(found.before.affected == 1);
    CHECK(found.tried > 0);
    for (const remedy& r : found.helpful) {
        CHECK(r.after.affected == 1);
        CHECK(r.steps[0].kind == remedy_kind::clamp); // 65504 instead of infinity, which is nearer
    }
}

TEST_CASE("of a large model the part behind the fault is run") {
    dynamic_builder b;
    dynamic_tensor y = b.add(op::mul, {b.input("x", {1, 8}), b.weight("early", {8})});
    weight_store weights; // of a layer that the part has not
    weights.add("early", {8}, std::vector<float>(8, 1.0F));
    for (int i = 0; i < 300; ++i) {
        y = b.add(op::abs, {y}, no_attributes{});
    }
    const dynamic_tensor squares = b.add(op::square, {y}, no_attributes{});
    y = b.add(op::sqrt, {squares}, no_attributes{});
    for (int i = 0; i < 300; ++i) {
        y = b.add(op::abs, {y}, no_attributes{});
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const model_samples samples = sample_of({std::vector<double>(8, 400)});
    const wide_diff_options quick{.every_layer_alone = false, .part_nodes = 20};
    const wide_difference d = diff(model, plain, exact, weights, samples, quick);
    CHECK(d.part.graph.nodes.size() == 21); // and its input
    const remedy_search found = find_remedies(model, plain, exact, weights, samples, d, {.diff = quick});
    CHECK(found.of_part);
    const remedy* const scaled = of_kind(found, remedy_kind::scale);
    REQUIRE(scaled != nullptr);
    CHECK(model.view()[scaled->steps[0].node].kind == op::square);
    CHECK(scaled->steps[0].node == 303);
}

TEST_CASE("a thousand layers with what helps take less than three runs of them") {
    // Ten faults, one behind the other, of which the search sees one after the other.
    constexpr int layers = 1000;
    dynamic_builder b;
    dynamic_tensor y = b.input("x", {1, 8});
    for (int i = 0; i < layers; ++i) {
        const bool is_squared = i >= 500 && i < 520;
        y = b.add(is_squared && i % 2 == 0 ? op::square : is_squared ? op::sqrt : op::abs, {y}, no_attributes{});
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const model_samples samples = sample_of({std::vector<double>(8, 400)});
    const wide_diff_options how{.every_layer_alone = false, .part_nodes = 16};
    const auto check = [&](const auto& judged) {
        const wide_difference d = diff(model, judged, exact, {}, samples, how);
        const auto run = [&](std::int64_t most) {
            return find_remedies(model, judged, exact, {}, samples, d, {.diff = how, .chip = h13, .most_layers = most});
        };
        const remedy_search all = run(0);
        CHECK_FALSE(all.is_cut_short);
        const remedy_search found = run(all.layers_run / 2);
        CHECK(found.is_cut_short);
        CHECK(found.layers_run <= all.layers_run / 2);
        CHECK(found.layers_run > 0);
        CHECK(found.tried < all.tried);
        const std::int64_t compared = d.work.reference_layers + d.work.judged_layers + d.work.alone_layers;
        CHECK(compared + run(layers / 3).layers_run < 3 * layers);
    };
    check(plain.rounding(rounding::each_operation));
    check(oracle13);
}
