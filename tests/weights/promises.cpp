// Contracts from data, against sums done by hand.

#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/evaluate.hpp>
#include <anemone/weights/promises.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// y = w x, twice with one weight, of which nothing is promised.
dynamic_graph tied() {
    return build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 4>);
        auto w = g.weight("w"_s, f16<4, 4>);
        g.output("y"_s, linear(linear(x, w), w));
    });
}

const contract& promised(const dynamic_graph& g, op kind, std::string_view name) {
    return g.view()[g.view().find(kind, name)].get<contract>();
}

bool breaks(const dynamic_graph& g, rule wanted) {
    for (const violation& v : violations(g, h13)) {
        if (v.rule == wanted) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("a weight promises its extremes, the largest sum of a row and of a column, and its mean square") {
    dynamic_graph g = tied();
    weight_store store;
    store.add("w", {4, 4}, {1, -2, 0, 0, /**/ 0, 0, 0, 0, /**/ 0, 4, 0, 0, /**/ 0, 0, 0, 0.5F});
    CHECK(promise_statistics(g, store).empty());
    const contract& c = promised(g, op::weight, "w");
    CHECK(c.declared);
    CHECK(c.low == -2);
    CHECK(c.high == 4);
    CHECK(c.row_l1 == 4);    // of the third row
    CHECK(c.column_l1 == 6); // of the second column
    CHECK(c.deviation == doctest::Approx(std::sqrt((1 + 4 + 16 + 0.25) / 16)));
}

TEST_CASE("what was promised stays where it is narrower") {
    dynamic_graph g = tied();
    const int w = g.view().find(op::weight, "w");
    g.nodes[static_cast<std::size_t>(w)].attributes = bounded(0.75) & column_l1(1);
    weight_store store;
    store.add("w", {4, 4}, std::vector<float>(16, 0.5F));
    promise_statistics(g, store);
    CHECK(promised(g, op::weight, "w").low == 0.5); // the data are narrower
    CHECK(promised(g, op::weight, "w").high == 0.5);
    CHECK(promised(g, op::weight, "w").row_l1 == 2);
    CHECK(promised(g, op::weight, "w").column_l1 ==
          1); // the promise is, though the data break it: verify_weights tells
}

TEST_CASE("with promises of its input too, a rule decides about sums") {
    dynamic_graph g = tied();
    weight_store store;
    store.add("w", {4, 4}, std::vector<float>(16, 50.0F)); // rows of 200
    promise_statistics(g, store);
    CHECK_FALSE(breaks(g, rule::contraction_may_reach_ceiling)); // nothing is known of x
    dynamic_graph narrow = g;
    promise_input(narrow, "x", within(-0.5, 0.5)); // 100 after the first layer, 20000 after the second
    CHECK_FALSE(breaks(narrow, rule::contraction_may_reach_ceiling));
    promise_input(g, "x", within(-1, 1)); // 200, 40000
    CHECK(breaks(g, rule::contraction_may_reach_ceiling));
    CHECK_THROWS_WITH_AS(promise_input(g, "z", within(0, 1)), doctest::Contains("is no input"), error);
    CHECK_THROWS_WITH_AS(promise_input(g, "x", within(-1e9, 1e9)), doctest::Contains("(-1000000000, not -65504)"),
                         error);
}

TEST_CASE("elements that fp16 loses are counted") {
    dynamic_graph g = tied();
    weight_store store;
    std::vector<float> values(16, 1.0F);
    values[0] = 1e-9F;  // becomes 0
    values[1] = -1e-9F; // and so does this
    values[2] = 3e-6F;  // subnormal
    values[3] = 0;
    store.add("w", {4, 4}, values);
    const std::vector<lost_digits> lost = promise_statistics(g, store);
    REQUIRE(lost.size() == 1); // one weight, though two layers read it
    CHECK(lost[0].weight == "w");
    CHECK(lost[0].elements == 16);
    CHECK(lost[0].vanished == 2);
    CHECK(lost[0].subnormal == 1);
    CHECK(lost[0].fault.empty());
    CHECK(promised(g, op::weight, "w").low == 0);
}

TEST_CASE("what is not finite, of another shape or absent promises nothing") {
    for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e6F}) {
        CAPTURE(bad);
        dynamic_graph g = tied();
        weight_store store;
        std::vector<float> values(16, 1.0F);
        values[5] = bad;
        store.add("w", {4, 4}, values);
        const std::vector<lost_digits> lost = promise_statistics(g, store);
        REQUIRE(lost.size() == 1);
        CHECK(lost[0].fault.find("element 5") != std::string::npos);
        CHECK_FALSE(promised(g, op::weight, "w").declared);
    }
    dynamic_graph g = tied();
    weight_store other;
    other.add("w", {2, 8}, std::vector<float>(16, 1.0F));
    CHECK(promise_statistics(g, other).empty());
    CHECK(promise_statistics(g, {}).empty());
    CHECK_FALSE(promised(g, op::weight, "w").declared);
}

TEST_CASE("a batch norm's parameters are held by channel, and bound its result by channel") {
    dynamic_builder b;
    const dynamic_tensor x = b.input("x", {1, 3, 2, 2}, within(-100, 100));
    std::vector<dynamic_tensor> operands{x};
    for (const char* const name : {"mean", "variance", "gamma", "beta"}) {
        operands.push_back(b.weight(name, {3}));
    }
    b.output("y", b.add(op::batch_norm, operands, stabilizer{.epsilon = 0, .axis = 1}));
    dynamic_graph g = b.finish();
    weight_store store;
    store.add("mean", {3}, {0, 100, -100});
    store.add("variance", {3}, {0.01F, 1, 100}); // standard deviations of 0.1, 1 and 10
    store.add("gamma", {3}, {0.5F, 5, 50});      // scales of 5, 5 and 5
    store.add("beta", {3}, {1, 2, -3});
    promise_statistics(g, store);
    const auto most = [&g] { return ranges(g)[static_cast<std::size_t>(g.outputs[0].node)]; };
    CHECK(most().high > 50000); // the largest gamma by the smallest deviation, and the farthest mean
    hold_norm_parameters(g, store);
    CHECK(most().declared);
    CHECK(most().high == doctest::Approx(5 * 200 - 3).epsilon(0.02)); // of the third channel
    CHECK(most().low == doctest::Approx(-5 * 200 + 2).epsilon(0.02)); // of the second
    CHECK(g.view().find(op::weight, "gamma") < 0);

    dynamic_graph other = b.finish();
    store = {};
    store.add("gamma", {3}, {1, std::numeric_limits<float>::infinity(), 1});
    store.add("mean", {1, 3}, {1, 2, 3});
    hold_norm_parameters(other, store);
    CHECK(other.view().find(op::weight, "gamma") >= 0);
    CHECK(other.view().find(op::weight, "mean") >= 0);
}
