// Intervals of values: closed forms, and random graphs evaluated in double.

#include "anemone/analysis/ranges.hpp"

#include "anemone/build.hpp"
#include "anemone/dynamic_builder.hpp"
#include "anemone/ops/ops.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace ane;

namespace {

/// The range of the output of a model of one function of an input.
template <class Function> interval output_range(contract promise, Function f) {
    const dynamic_graph g = build_graph([&](builder& b) {
        auto x = b.input("x"_s, f16<1, 4, 8, 8>, promise);
        b.output("y"_s, f(b, x));
    });
    return ranges(g)[static_cast<std::size_t>(g.outputs[0].node)];
}
void check(const interval& r, double low, double high, bool declared = true) {
    CHECK(r.low == doctest::Approx(low));
    CHECK(r.high == doctest::Approx(high));
    CHECK(r.declared == declared);
}

} // namespace

TEST_CASE("sources") {
    const auto itself = [](auto&, auto x) { return x; };
    check(output_range(within(-1, 3), itself), -1, 3);
    check(output_range({}, itself), -65504, 65504, false);
    check(output_range(within(0, 1), [](auto& g, auto) { return g.constant(f16<3>, {2.0f, -5.0f, 1.0f}); }), -5, 2);
    const dynamic_graph image =
        build_graph([](builder& g) { g.output("y"_s, to_f16(g.input("x"_s, u8<1, 3, 8, 8>))); });
    check(ranges(image)[1], 0, 255);
}

TEST_CASE("elementwise operations with exact ends") {
    const contract p = within(-2, 3);
    check(output_range(p, [](auto&, auto x) { return x + x; }), -4, 6);
    check(output_range(p, [](auto&, auto x) { return x - x; }), -5, 5);
    check(output_range(p, [](auto&, auto x) { return x * x; }), 0, 9);
    check(output_range(p, [](auto&, auto x) { return x * -2.0; }), -6, 4);
    check(output_range(p, [](auto&, auto x) { return relu(x); }), 0, 3);
    check(output_range({}, [](auto&, auto x) { return relu6(x); }), 0, 6);
    check(output_range({}, [](auto&, auto x) { return clamp(x, -1, 2); }), -1, 2);
    check(output_range({}, [](auto&, auto x) { return sigmoid(x); }), 0, 1);
    check(output_range({}, [](auto&, auto x) { return tanh(x); }), -1, 1);
    check(output_range(p, [](auto&, auto x) { return abs(x); }), 0, 3);
    check(output_range(within(-5, -2), [](auto&, auto x) { return abs(x); }), 2, 5);
    check(output_range(p, [](auto&, auto x) { return maximum(x, 1); }), 1, 3);
    check(output_range({}, [](auto&, auto x) { return minimum(x, 1); }), -65504, 1, false);
    check(output_range(p, [](auto&, auto x) { return leaky_relu(x, 0.5); }), -1, 3);
    check(output_range({}, [](auto&, auto x) { return softmax(x); }), 0, 1);
}

TEST_CASE("contractions add the magnitudes of their products") {
    // 4 channels of 3 x 3: 36 products of at most 0.5.
    check(output_range(within(0, 1),
                       [](auto& g, auto x) { return conv2d(x, g.weight("w", f16<8, 4, 3, 3>, bounded(0.5))); }),
          -18, 18);
    check(output_range(within(1, 1),
                       [](auto& g, auto x) { return conv2d(x, g.weight("w", f16<8, 4, 3, 3>, within(0.5, 0.5))); }),
          18, 18);
    // Padding leaves products out.
    check(output_range(within(1, 1),
                       [](auto& g, auto x) {
                           return conv2d<conv{.padding = same}>(x, g.weight("w", f16<8, 4, 3, 3>, within(0.5, 0.5)));
                       }),
          0, 18);
    check(output_range(within(0, 1), [](auto& g, auto x) { return linear(x, g.weight("w", f16<5, 8>, bounded(2))); }),
          -16, 16);
    check(output_range(within(0, 1),
                       [](auto& g, auto x) {
                           return linear(x, g.weight("w", f16<5, 8>, bounded(2)), g.weight("b", f16<5>, within(1, 2)));
                       }),
          -15, 18);
    check(output_range(within(-1, 2), [](auto&, auto x) { return matmul(x, x); }), -16, 32);
    // From 32768 on the engine stores infinity.
    const interval wide =
        output_range(within(0, 4096), [](auto& g, auto x) { return linear(x, g.weight("w", f16<5, 8>, bounded(1))); });
    CHECK_FALSE(wide.bounded());
    CHECK_FALSE(
        output_range({}, [](auto& g, auto x) { return linear(x, g.weight("w", f16<5, 8>, bounded(1))); }).declared);
}

TEST_CASE("reductions, windows, norms and moves") {
    const contract p = within(-2, 3);
    check(output_range(p, [](auto&, auto x) { return reduce_sum<axes{-1}>(x); }), -16, 24);
    check(output_range(p, [](auto&, auto x) { return reduce_max<axes{-1}>(x); }), -2, 3);
    check(output_range({}, [](auto&, auto x) { return arg_max<axis{-1}>(x); }), 0, 7);
    check(output_range(p, [](auto&, auto x) { return max_pool<pool{.kernel = 3, .stride = 1, .padding = 1}>(x); }), -2,
          3);
    check(output_range(within(2, 3), [](auto&, auto x) { return concat(x, x * 0.5); }), 1, 3);
    check(output_range(within(2, 3),
                       [](auto&, auto x) {
                           return pad<pads{{0, 0, 1, 0}, {0, 0, 0, 0}}>(x, -1.0);
                       }),
          -1, 3);
    check(output_range(p, [](auto&, auto x) { return transpose<permutation{0, 2, 1, 3}>(x); }), -2, 3);
    check(output_range(p, [](auto&, auto x) { return slice<window{{0, 0, 0, 1}, {1, 4, 8, 2}}>(x); }), -2, 3);

    const interval mean = output_range(p, [](auto&, auto x) { return reduce_mean<axes{-1}>(x); });
    CHECK(mean.low <= -2);
    CHECK(mean.high < 3.01);
    const interval padded = output_range(
        within(2, 3), [](auto&, auto x) { return avg_pool<pool{.kernel = 3, .stride = 1, .padding = 1}>(x); });
    CHECK(padded.low == 0);
    // One of eight elements is at most sqrt(7) deviations from the mean, whatever comes in.
    const interval normal = output_range(
        {}, [](auto& g, auto x) { return layer_norm(x, g.constant(f16<8>, 1.0), g.constant(f16<8>, 0.0)); });
    CHECK(normal.declared);
    CHECK(normal.high >= std::sqrt(7.0));
    CHECK(normal.high < 3);
}

TEST_CASE("what is never below zero keeps that where it may be infinite") {
    const auto unknown = [](auto x) { return x * 4.0; }; // of any fp16 value: infinite on either side
    REQUIRE_FALSE(output_range({}, [&](auto&, auto x) { return unknown(x); }).bounded());
    REQUIRE(output_range({}, [&](auto&, auto x) { return unknown(x); }).low == -unbounded);
    const auto is_positive = [](const interval& r) {
        CHECK(r.low == 0);
        CHECK(r.high >= unbounded);
    };
    is_positive(output_range({}, [&](auto&, auto x) { return square(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) {
        auto y = unknown(x);
        return y * y;
    }));
    is_positive(output_range({}, [&](auto&, auto x) { return abs(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return relu(unknown(x)) * relu(x); }));
    is_positive(output_range({}, [&](auto&, auto x) { return relu(unknown(x)) / maximum(x, 1); }));
    is_positive(output_range({}, [&](auto&, auto x) { return square(unknown(x)) / 64.0; }));
    is_positive(output_range({}, [&](auto& g, auto x) { return pow(unknown(x), g.constant(f16<1>, 2.0f)); }));
    is_positive(output_range({}, [&](auto& g, auto x) { return pow(unknown(x), g.constant(f16<1>, -2.0f)); }));
    is_positive(output_range({}, [&](auto& g, auto x) { return pow(relu(unknown(x)), g.constant(f16<1>, 1.5f)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return reduce_sum_square<axes{-1}>(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return reduce_l1_norm<axes{-1}>(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return reduce_l2_norm<axes{-1}>(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return reduce_mean<axes{-1}>(square(unknown(x))); }));
    is_positive(output_range({}, [&](auto&, auto x) { return l2_pool<pool{.kernel = 2, .stride = 2}>(unknown(x)); }));
    is_positive(output_range({}, [&](auto&, auto x) { return cumsum<cumulation{.axis = -1}>(square(unknown(x))); }));
    is_positive(
        output_range({}, [&](auto& g, auto x) { return linear(square(unknown(x)), g.constant(f16<5, 8>, 0.125)); }));
    // An odd power and a product with what may be below zero do not.
    CHECK(output_range({}, [&](auto& g, auto x) { return pow(unknown(x), g.constant(f16<1>, 3.0f)); }).low < 0);
    CHECK(output_range({}, [&](auto&, auto x) { return square(unknown(x)) * x; }).low < 0);
    // Nor does 1 / 0, of whose zero the sign is lost.
    CHECK(output_range({}, [&](auto&, auto x) { return 1.0 / relu(unknown(x)); }).low < 0);
    // What is at least 1 stays so.
    CHECK(output_range(within(1, 65504), [&](auto&, auto x) { return unknown(x) * x; }).low >= 1);
    CHECK(output_range(within(-65504, -1), [&](auto&, auto x) { return square(unknown(x)); }).low >= 1);
    // A bounded power to a fraction, and a quotient, keep it too.
    CHECK(output_range(within(0, 4), [](auto& g, auto x) { return pow(x, g.constant(f16<1>, 0.5f)); }).low == 0);
    CHECK(output_range(within(0, 4), [](auto&, auto x) { return x / 512.0; }).low == 0);
}

TEST_CASE("many weights that are a constant have the bound of few") {
    // Rows of 64 alternate between 1/4 and -1/8, in tables below and above `detail::many_weights`.
    const auto range = [](int rows, contract promise) {
        std::vector<float> values;
        for (int i = 0; i < rows * 64; ++i) {
            values.push_back(i % 2 == 0 ? 0.25F : -0.125F);
        }
        dynamic_builder b;
        const dynamic_tensor x = b.input("x", {1, 64}, promise);
        b.output("y", b.add(op::linear, {x, b.constant({rows, 64}, values)}));
        const dynamic_graph g = b.finish();
        return ranges(g)[static_cast<std::size_t>(g.outputs[0].node)];
    };
    REQUIRE(64 * 64 < detail::many_weights);
    REQUIRE(256 * 64 >= detail::many_weights);
    for (const contract& promise : {within(-1, 3), within(0, 2), within(-2, 0)}) {
        const interval few = range(64, promise);
        const interval many = range(256, promise);
        // 32 of each sign: exactly 32 (high / 4 - low / 8) and so on.
        const double high = 32 * (0.25 * std::max(promise.high, 0.0) - 0.125 * std::min(promise.low, 0.0));
        const double low = 32 * (0.25 * std::min(promise.low, 0.0) - 0.125 * std::max(promise.high, 0.0));
        CHECK(few.high == doctest::Approx(high).epsilon(2e-3));
        CHECK(few.low == doctest::Approx(low).epsilon(2e-3));
        CHECK(many.high >= high);
        CHECK(many.low <= low);
        CHECK(many.high == doctest::Approx(high).epsilon(4e-3));
        CHECK(many.low == doctest::Approx(low).epsilon(4e-3));
        CHECK(many.declared);
    }
}

TEST_CASE("a divisor that is a variance of what may overflow is not zero") {
    const interval r = output_range({}, [](auto&, auto x) {
        auto wide = x * 4.0;
        auto mean = reduce_mean<axes{-1}>(wide);
        return reduce_sum<axes{-1}>(square(wide - mean)) / 8.0 + 1e-5;
    });
    CHECK(r.low > 0);
}

TEST_CASE("exponentials and logarithms") {
    for (const double x : {-15.0, -3.0, -0.1, 0.0, 0.7, 5.0, 11.0}) {
        CHECK(detail::exponential(x) == doctest::Approx(std::exp(x)).epsilon(1e-7));
        CHECK(detail::logarithm(std::exp(x)) == doctest::Approx(x).epsilon(1e-9));
    }
    CHECK_FALSE(output_range(within(0, 12), [](auto&, auto x) { return exp(x); }).bounded());
    CHECK(output_range(within(0, 11), [](auto&, auto x) { return exp(x); }).bounded());
    CHECK_FALSE(output_range(within(-1, 1), [](auto&, auto x) { return 1.0 / x; }).bounded());
}

TEST_CASE("no element leaves its interval: scalar functions in double, rounded to fp16") {
    const unsigned seed = 20240611;
    MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> ends(-12, 10);
    const auto rounded = [](double v) { return static_cast<double>(half(v)); };
    const auto hold = [&](const interval& r, double v) {
        CHECK(r.low <= rounded(v));
        CHECK(rounded(v) <= r.high);
    };
    for (int round = 0; round < 60; ++round) {
        double low = rounded(ends(random));
        double high = rounded(ends(random));
        if (low > high) {
            std::swap(low, high);
        }
        const contract p = within(low, high);
        const interval exps = output_range(p, [](auto&, auto x) { return exp(x); });
        const interval gelus = output_range(p, [](auto&, auto x) { return gelu(x); });
        const interval silus = output_range(p, [](auto&, auto x) { return silu(x); });
        const interval roots = output_range(p, [](auto&, auto x) { return sqrt(x); });
        const interval leaky = output_range(p, [](auto&, auto x) { return leaky_relu(x, -0.3); });
        const interval poly = output_range(p, [](auto&, auto x) { return (x * x - x * 3.0) / 7.0; });
        const interval inverse = output_range(p, [](auto&, auto x) { return rsqrt(abs(x), 0.5); });
        const interval logs = output_range(p, [](auto&, auto x) { return log(abs(x), 0.25); });
        for (int i = 0; i <= 20; ++i) {
            const double x = rounded(low + (high - low) * i / 20);
            hold(exps, std::exp(x));
            hold(gelus, 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))));
            hold(silus, x / (1 + std::exp(-x)));
            hold(roots, x < 0 ? 0 : std::sqrt(x));
            hold(leaky, x < 0 ? -static_cast<double>(0.3f) * x : x);
            hold(poly, rounded(rounded(x * x) - rounded(x * 3)) / 7);
            hold(inverse, 1 / std::sqrt(std::fabs(x) + 0.5));
            hold(logs, std::log(std::fabs(x) + 0.25));
        }
    }
}
