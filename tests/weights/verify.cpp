#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/materialize.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

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
    CHECK(values[5].bits == half(0.9).bits); // above 0.9 as fp16 has it, and inside the bound all the same
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
    refuses([&] { materialize(folded, store); }, "mul #2", {"element 1", "90000", "verify.cpp:"});
}
