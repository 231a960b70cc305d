#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/graph/weights_of.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/random.hpp>
#include <anemone/weights/statistics.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

std::vector<std::uint16_t> first_bits(const weight_store& store, std::string_view name, std::size_t count) {
    std::vector<std::uint16_t> bits;
    for (const half value : to_half(store.at(name))) {
        if (bits.size() < count) {
            bits.push_back(value.bits);
        }
    }
    return bits;
}

/// The extremes of a weight's values.
std::pair<float, float> ends(const weight_store& store, std::string_view name) {
    const std::vector<float> values = to_float(store.at(name));
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {*low, *high};
}

constexpr auto layer = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 48>);
    g.output("y"_s, linear(x, g.weight("layer.weight"_s, f16<64, 48>), g.weight("layer.bias"_s, f16<64>)));
});

} // namespace

TEST_CASE("random weights are the philox words of the seed and the name, on every machine") {
    // Computed with Python: Philox4x32-10 keyed by the seed, counted by element and FNV-1a of the name; 24 bits of each
    // word over the interval +-sqrt(3 / 48), or +-0.1, whose ends are fp16.
    const std::vector<std::uint16_t> weight{0xb1d7, 0x25eb, 0xb025, 0x9ae7, 0xb04c, 0xaeeb};
    const std::vector<std::uint16_t> bias{0xaa1a, 0x27dd, 0x244f, 0xad3f, 0xa8a1, 0xa34b};
    CHECK(first_bits(random_weights(layer, 42), "layer.weight", 6) == weight);
    CHECK(first_bits(random_weights(layer, (std::uint64_t{1} << 40U) + 7), "layer.bias", 6) == bias);
    CHECK(random_weights(layer, 42) == random_weights(layer, 42));
    CHECK(random_weights(layer, 42) != random_weights(layer, 43));
}

TEST_CASE("random weights of one layer stay when another is added") {
    const auto of = [](int layers) {
        dynamic_builder g;
        dynamic_tensor x = g.input("x", {1, 8});
        for (int i = 0; i < layers; ++i) {
            x = g.add(op::linear, {x, g.weight("layers." + std::to_string(i), {8, 8})});
        }
        g.output("y", x);
        return random_weights(g.finish(), 5);
    };
    const weight_store two = of(2);
    const weight_store three = of(3);
    CHECK(two.at("layers.0") == three.at("layers.0"));
    CHECK(two.at("layers.1") == three.at("layers.1"));
    CHECK(to_half(three.at("layers.1")) != to_half(three.at("layers.2")));
}

TEST_CASE("random weights are scaled by what reads them") {
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 8, 16, 16>);
        auto h = relu(conv2d<conv{.padding = same}>(x, g.weight("conv", f16<32, 8, 3, 3>)));
        h = batch_norm(h, g.weight("mean", f16<32>), g.weight("variance", f16<32>), g.weight("gamma", f16<32>),
                       g.weight("beta", f16<32>));
        auto t = conv_transpose2d<conv_transpose{.stride = 2}>(h, g.weight("up", f16<32, 4, 2, 2>));
        auto rows = reshape<4, 1024>(t);
        auto y = linear(rows, scaled<6>(g.weight("scaled", f16<600, 1024>)));
        auto z = matmul(y, transpose<permutation{1, 0}>(g.weight("turned", f16<100, 600>)));
        auto gain = g.weight("gain", f16<100>) * z + g.weight("offset", f16<100>);
        g.output("y"_s, gain);
        g.output("rows"_s, gather<axis{0}>(z, g.weight("indices", f16<50>)));
        g.output("table"_s, gather<axis{0}>(g.weight("table", f16<7, 3>), g.input("i"_s, f16<2>)));
    });
    const weight_store store = random_weights(model, 1);
    CHECK_NOTHROW(verify_weights(model, store));
    const auto within_and_wide = [&](std::string_view name, double low, double high) {
        CAPTURE(name);
        const auto [least, most] = ends(store, name);
        const double slack = (high - low) * 0.001; // the ends are rounded to fp16
        CHECK(least >= low - slack);
        CHECK(most <= high + slack);
        CHECK(most - least > 0.8 * (high - low)); // of 32 uniform values, missing this is a matter of 1 in 200
    };
    const auto centred = [&](std::string_view name, double width) { within_and_wide(name, -width, width); };
    centred("conv", std::sqrt(6.0 / 72));
    within_and_wide("variance", 0.5, 1.5);
    within_and_wide("gamma", 0.5, 1.5);
    centred("mean", 0.1);
    centred("beta", 0.1);
    centred("up", std::sqrt(3.0 / 32));
    centred("scaled", std::sqrt(3.0 / 1024)); // what the factor of the product hides
    centred("turned", std::sqrt(3.0 / 600));
    within_and_wide("gain", 0.5, 1.5);
    centred("offset", 0.1);
    within_and_wide("indices", 0, 3);
    for (const float index : to_float(store.at("indices"))) {
        CHECK(index == std::floor(index));
    }
    centred("table", 1);
}

TEST_CASE("random weights keep every promise that a tensor can keep") {
    constexpr std::uint32_t seed = 77123;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
    };
    int kept = 0;
    int impossible = 0;
    for (int round = 0; round < 400; ++round) {
        const std::int64_t rows = 1 + static_cast<std::int64_t>(random() % 20);
        const std::int64_t columns = 1 + static_cast<std::int64_t>(random() % 20);
        contract promise;
        double nearest = 0; // to zero, that the interval allows
        if (random() % 2 == 0) {
            const double a = uniform(-2, 2) * std::pow(10.0, uniform(-4, 4));
            const double b = random() % 4 == 0 ? -a : a * uniform(0.2, 4);
            promise = promise & within(std::min(a, b), std::max(a, b));
            nearest = a * b <= 0 ? 0 : std::min(std::fabs(a), std::fabs(b));
        }
        if (random() % 2 == 0) {
            promise = promise & row_l1(uniform(0, 3));
        }
        if (random() % 2 == 0) {
            promise = promise & column_l1(uniform(0, 3));
        }
        if (random() % 3 == 0) {
            promise = promise & deviating(uniform(1e-4, 1));
        }
        if (!promise.possible()) {
            continue; // refused by the builder
        }
        dynamic_builder g;
        const dynamic_tensor w = g.weight("w", {rows, columns}, promise);
        g.output("y", g.add(op::linear, {g.input("x", {1, columns}), w}));
        const dynamic_graph model = g.finish();
        CAPTURE(round);
        try {
            const weight_store store = random_weights(model, random());
            REQUIRE_NOTHROW(verify_weights(model, store));
            ++kept;
        } catch (const error& e) {
            CAPTURE(std::string(e.what()));
            ++impossible;
            const double spread = promise.deviation > 0 ? promise.deviation : 1e9;
            const bool too_small = nearest * static_cast<double>(columns) > promise.row_l1 * 0.99 ||
                                   nearest * static_cast<double>(rows) > promise.column_l1 * 0.99 || nearest > spread;
            REQUIRE(too_small);
        }
    }
    CHECK(kept > 250);
    CHECK(impossible > 5);
}

TEST_CASE("random weights use the room that their promises leave") {
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 256>);
        auto a = linear(x, g.weight("rows", f16<64, 256>, row_l1(2)));
        auto b = linear(x, g.weight("spread", f16<64, 256>, deviating(0.02)));
        g.output("y"_s, a + linear(x, g.weight("narrow", f16<64, 256>, within(0.001, 0.002))) + b);
    });
    const weight_store store = random_weights(model, 3);
    CHECK_NOTHROW(verify_weights(model, store));
    for (const double sum : l1_sums({64, 256}, to_half(store.at("rows")), 0)) {
        CHECK(sum <= 2);
        CHECK(sum > 1.99);
    }
    const double deviation = root_mean_square(to_half(store.at("spread")));
    CHECK(deviation > 0.0195);
    CHECK(deviation < 0.0202);
    const auto [least, most] = ends(store, "narrow");
    CHECK(least < 0.00102F);
    CHECK(most > 0.00198F);
}

TEST_CASE("promises that no tensor keeps are named") {
    dynamic_builder g;
    const dynamic_tensor w = g.weight("w", {2, 8}, within(1, 2) & row_l1(4));
    g.output("y", g.add(op::linear, {g.input("x", {1, 8}), w}));
    CHECK_THROWS_WITH_AS((void)random_weights(g.finish(), 1),
                         "weights: w: no tensor of its shape keeps its promises: row_l1 is too small for its bounds",
                         error);
}

TEST_CASE("a sparse weight has about as many zeros as it says") {
    constexpr auto model = graph([](auto& g) {
        auto w = compressed<compression{.form = weight_form::sparse, .zeros = 0.75F}>(g.weight("w", f16<64, 256>));
        g.output("y"_s, linear(g.input("x"_s, f16<1, 256>), w));
    });
    const std::vector<float> values = to_float(random_weights(model, 9).at("w"));
    const auto zeros = std::count(values.begin(), values.end(), 0.0F);
    CHECK(zeros > 12288 - 4 * 56); // four deviations of 16384 draws
    CHECK(zeros < 12288 + 4 * 56);
}
