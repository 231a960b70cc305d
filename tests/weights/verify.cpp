#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/fold_constants.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ane;

namespace {

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2>);
    auto w = g.weight("layer.weight"_s, f16<3, 2>, bounded(0.9));
    auto b = g.weight("layer.bias"_s, f16<3>, within(-1, 2));
    g.output("y"_s, linear(x, w, b));
});

weight_store with(const std::vector<float>& weight, const std::vector<float>& bias) {
    weight_store store;
    store.add("layer.weight", extents{3, 2}, std::span<const float>(weight));
    store.add("layer.bias", extents{3}, std::span<const float>(bias));
    return store;
}

const std::vector<float> good_weight{0.1F, -0.2F, 0.3F, -0.4F, 0.5F, 0.9F};
const std::vector<float> good_bias{-1, 0, 2};

/// The error must be of the weights and name all of these.
template <class Action>
void refuses(const Action& action, const std::string& subject, const std::vector<std::string>& parts) {
    try {
        action();
        FAIL("nothing was thrown");
    } catch (const error& e) {
        CHECK(e.code() == errc::weights);
        CHECK(e.subject() == subject);
        const std::string text = e.what();
        CAPTURE(text);
        for (const std::string& part : parts) {
            CAPTURE(part);
            CHECK(text.find(part) != std::string::npos);
        }
    }
}

} // namespace

TEST_CASE("verify: weights that fit") {
    CHECK_NOTHROW(verify_weights(model, with(good_weight, good_bias)));
    const std::vector<half> values =
        verified_weight(model, model.view().find(op::weight, "layer.weight"), with(good_weight, good_bias));
    REQUIRE(values.size() == 6);
    CHECK(values[5].bits == half(0.9).bits);
}

TEST_CASE("verify: a missing tensor is named with the shape and the line of the model") {
    weight_store store;
    store.add("layer.weight", extents{3, 2}, std::span<const float>(good_weight));
    refuses([&] { verify_weights(model, store); }, "layer.bias", {"missing", "[3]", "verify.cpp:"});
    refuses([&] { verify_weights(model, weight_store{}); }, "layer.weight", {"missing", "[3, 2]"});
}

TEST_CASE("verify: an extra tensor is named with its shape") {
    weight_store store = with(good_weight, good_bias);
    store.add("leftover", extents{2}, std::span<const float>(std::vector<float>{1, 2}));
    refuses([&] { verify_weights(model, store); }, "leftover", {"extra", "[2]"});
}

TEST_CASE("verify: a misshapen tensor is named with both shapes") {
    weight_store store;
    store.add("layer.weight", extents{2, 3}, std::span<const float>(good_weight));
    store.add("layer.bias", extents{3}, std::span<const float>(good_bias));
    refuses([&] { verify_weights(model, store); }, "layer.weight", {"[2, 3]", "[3, 2]", "verify.cpp:"});
    weight_store flat;
    flat.add("layer.weight", extents{6}, std::span<const float>(good_weight)); // as many elements, another rank
    flat.add("layer.bias", extents{3}, std::span<const float>(good_bias));
    refuses([&] { verify_weights(model, flat); }, "layer.weight", {"[6]", "[3, 2]"});
}

TEST_CASE("verify: an element that is not finite in fp16 is named with its value") {
    std::vector<float> bias = good_bias;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(), 65520.0F, -1e9F}) {
        bias[1] = bad;
        refuses([&] { verify_weights(model, with(good_weight, bias)); }, "layer.bias", {"element 1"});
    }
    bias[1] = 65520.0F; // rounds to infinity; 65519 would round to the largest value
    refuses([&] { verify_weights(model, with(good_weight, bias)); }, "layer.bias", {"65520", "65504"});
    std::vector<half> halves{half(0.0), half(0.0), half::from_bits(0x7E00)};
    weight_store store;
    store.add("layer.weight", extents{3, 2}, std::span<const float>(good_weight));
    store.add("layer.bias", extents{3}, std::span<const half>(halves));
    refuses([&] { verify_weights(model, store); }, "layer.bias", {"element 2", "nan"});
}

TEST_CASE("verify: an element that breaks the declared bound is named with value and limit") {
    std::vector<float> weight = good_weight;
    weight[4] = -0.95F;
    refuses([&] { verify_weights(model, with(weight, good_bias)); }, "layer.weight",
            {"element 4", "-0.9", "[-0.9, 0.9]"});
    weight[4] = 0.901F; // the next fp16 value but one above 0.9
    refuses([&] { verify_weights(model, with(weight, good_bias)); }, "layer.weight", {"element 4", "0.90"});
    refuses(
        [&] {
            verify_weights(model, with(good_weight, {-1, 2.125F, 0}));
        },
        "layer.bias", {"element 1", "2.125", "[-1, 2]"});
    refuses([&] { verify_weights(model, with(good_weight, {-1.125F, 0, 0})); }, "layer.bias", {"element 0", "-1.125"});
}

TEST_CASE("verify: the first mistake in the order of the model is the one that is told") {
    weight_store store;
    store.add("layer.bias", extents{2}, std::span<const float>(std::vector<float>{0, 0}));
    store.add("other", extents{1}, std::span<const float>(std::vector<float>{0}));
    refuses([&] { verify_weights(model, store); }, "layer.weight", {"missing"});
}

TEST_CASE("verify: a folded value outside fp16 names the operation, the element and the value") {
    constexpr auto folded = graph([](auto& g) {
        auto a = g.weight("a"_s, f16<2>);
        auto x = g.input("x"_s, f16<2>);
        g.output("y"_s, x + a * a);
    });
    weight_store store;
    store.add("a", extents{2}, std::span<const float>(std::vector<float>{10, 300}));
    CHECK_NOTHROW(verify_weights(folded, store));
    refuses([&] { fold_constants(folded, store); }, "mul #2", {"element 1", "90000", "verify.cpp:"});
}

TEST_CASE("verify: a folded extreme of a NaN is the NaN, as at run time") {
    weight_store store;
    store.add("a", extents{2}, std::span<const float>(std::vector<float>{3, 0}));
    for (std::size_t read = 0; read < 4; ++read) {
        const dynamic_graph folded = build_graph([&](auto& g) {
            auto a = g.weight("a"_s, f16<2>);
            auto x = g.input("x"_s, f16<2>);
            auto nan = a / a;
            auto one = g.constant(f16<2>, {1, 1});
            const std::array extremes{minimum(nan, one), minimum(one, nan), maximum(nan, one), maximum(one, nan)};
            g.output("y"_s, x + extremes[read]);
        });
        refuses([&] { fold_constants(folded, store); }, read < 2 ? "minimum #4" : "maximum #4", {"element 1", "nan"});
    }
}

namespace {

/// A store with one tensor "w" of the given values.
weight_store one(const extents& shape, const std::vector<float>& values) {
    weight_store store;
    store.add("w", shape, std::span<const float>(values));
    return store;
}

template <class Shape> dynamic_graph promising(tensor_type<Shape, dtype::f16> type, contract promise) {
    return build_graph([=](auto& g) {
        auto w = g.weight("w", type, promise);
        g.output("y"_s, w + w);
    });
}

} // namespace

TEST_CASE("verify: the sum of magnitudes of each row") {
    const dynamic_graph promised = promising(f16<2, 3>, row_l1(1.5));
    CHECK_NOTHROW(verify_weights(promised, one({2, 3}, {0.5F, -0.5F, 0.5F, 1.5F, 0, 0}))); // both rows at the bound
    // The next fp16 value above a half is 2^-11 further.
    refuses(
        [&] {
            verify_weights(promised, one({2, 3}, {0, 0, 0, 0.5F, -0.5F, 0.50048828125F}));
        },
        "w", {"row 1", "1.50048828125", "row_l1 1.5"});
    refuses([&] { verify_weights(promised, one({2, 3}, {-1, -1, 0, 0, 0, 0})); }, "w", {"row 0", "2", "row_l1 1.5"});
}

TEST_CASE("verify: a row of a convolution's weight is all that belongs to one output channel") {
    const dynamic_graph promised = promising(f16<2, 2, 1, 2>, row_l1(4));
    CHECK_NOTHROW(verify_weights(promised, one({2, 2, 1, 2}, {1, 1, 1, 1, -1, -1, -1, -1})));
    refuses(
        [&] {
            verify_weights(promised, one({2, 2, 1, 2}, {1, 1, 1, 1, -1, -1, -1, -1.5F}));
        },
        "w", {"row 1", "4.5", "row_l1 4"});
}

TEST_CASE("verify: the sum of magnitudes of each column") {
    const dynamic_graph promised = promising(f16<2, 2, 1, 2>, column_l1(4));
    CHECK_NOTHROW(verify_weights(promised, one({2, 2, 1, 2}, {1, 1, 2, 2, 1, 1, 0, 0})));
    // Column 1 holds elements 2, 3, 6, 7.
    refuses(
        [&] {
            verify_weights(promised, one({2, 2, 1, 2}, {3, 0, 2, -2, 0, 0, 0, 0.25F}));
        },
        "w", {"column 1", "4.25", "column_l1 4"});
}

TEST_CASE("verify: the deviation is the root mean square, held to one percent") {
    const dynamic_graph promised = promising(f16<4>, deviating(1));
    CHECK_NOTHROW(verify_weights(promised, one({4}, {1, -1, 1, -1})));
    CHECK_NOTHROW(verify_weights(promised, one({4}, {1.0078125F, 1.0078125F, -1.0078125F, 1.0078125F}))); // 0.8 % above
    refuses(
        [&] {
            verify_weights(promised, one({4}, {1.015625F, 1.015625F, 1.015625F, 1.015625F}));
        },
        "w", {"root mean square", "1.015625", "deviation 1"});                                // 1.6 % above
    CHECK_NOTHROW(verify_weights(promising(f16<4>, deviating(100)), one({4}, {1, 1, 1, 1}))); // less is no fault
}

TEST_CASE("verify: every part of a combined contract is held") {
    const dynamic_graph promised = promising(f16<2, 2>, bounded(1) & row_l1(1.5) & column_l1(1.75) & deviating(0.7));
    CHECK_NOTHROW(verify_weights(promised, one({2, 2}, {1, 0.5F, 0.5F, -0.5F})));
    refuses([&] { verify_weights(promised, one({2, 2}, {1.25F, 0, 0, 0})); }, "w", {"element 0"});
    refuses([&] { verify_weights(promised, one({2, 2}, {1, 0.75F, 0, 0})); }, "w", {"row 0"});
    refuses([&] { verify_weights(promised, one({2, 2}, {1, 0, 1, 0})); }, "w", {"column 0"});
    refuses([&] { verify_weights(promised, one({2, 2}, {1, 0.5F, 0.5F, -1})); }, "w", {"root mean square"});
}

TEST_CASE("contract: a weight that is asked for twice keeps all that was promised") {
    const auto shared = [](contract first, contract second) {
        const dynamic_graph g = build_graph([=](auto& b) {
            auto w = b.weight("w", f16<2, 2>, first);
            b.output("y"_s, w + b.weight("w", f16<2, 2>, second));
        });
        return g.nodes[static_cast<std::size_t>(g.view().find(op::weight, "w"))].template get<contract>();
    };
    CHECK(shared(deviating(0.5), bounded(1)) == (bounded(1) & deviating(0.5)));
    CHECK(shared(bounded(1), deviating(0.5)) == (bounded(1) & deviating(0.5)));
    CHECK(shared(deviating(0.5), {}) == deviating(0.5));
    CHECK(shared({}, deviating(0.5)) == deviating(0.5));
    CHECK(shared({}, row_l1(2)) == row_l1(2));
    CHECK(shared(row_l1(2), {}) == row_l1(2));
    CHECK(shared(bounded(1), bounded(1)) == bounded(1));
    CHECK_THROWS_AS(shared(bounded(1), bounded(2)), error);
    CHECK_THROWS_AS(shared(row_l1(1), bounded(1)), error);
    CHECK_THROWS_AS(shared(deviating(1), deviating(2)), error);
}

TEST_CASE("contract: what no tensor can keep is refused") {
    for (const contract& impossible :
         {within(1, 0), row_l1(-1), column_l1(-1), deviating(-1), bounded(-1),
          within(std::numeric_limits<double>::quiet_NaN(), 1), deviating(std::numeric_limits<double>::quiet_NaN())}) {
        CHECK_THROWS_AS(promising(f16<2, 2>, impossible), error);
    }
}

TEST_CASE("contract: the conjunction is the tighter of each part, in either order") {
    constexpr contract a = within(-1, 3) & row_l1(2) & deviating(0.5);
    constexpr contract b = within(-2, 1) & column_l1(4) & deviating(0.25);
    static_assert((a & b) == (b & a));
    static_assert((a & b).low == -1 && (a & b).high == 1);
    static_assert((a & b).row_l1 == 2 && (a & b).column_l1 == 4 && (a & b).deviation == 0.25);
    static_assert((a & contract{}) == a && (contract{} & a) == a);
}
