// Models of a thousand and two thousand nodes conform on every Mac within the compilers' default limits.
// benchmarks/compile_time.py measures what such models cost.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/rules/conforms.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

using namespace ane;

namespace {
constexpr auto thousand = graph([](auto& g) {
    auto w = g.weight("w", f16<16, 16, 3, 3>);
    auto x = g.input("x"_s, f16<1, 16, 64, 64>, within(0, 1));
    for (int i = 0; i < 250; ++i) {
        const auto skip = x;
        x = relu(conv2d<conv{.padding = same}>(x, w));
        x = add(sigmoid(x), skip);
    }
    g.output("y"_s, x);
});
static_assert(thousand.view().size() == 1002);
static_assert(conforms<thousand, macs>);

/// Every block with weights of its own: names are looked up, not searched.
constexpr auto two_thousand = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 32, 32>, within(0, 1));
    for (int i = 0; i < 400; ++i) {
        auto block = g.scope("block", i);
        auto y =
            conv2d<conv{.padding = same}>(x, block.weight("weight", f16<16, 16, 3, 3>), block.weight("bias", f16<16>));
        x = relu(y) + x;
    }
    g.output("y"_s, x);
});
static_assert(two_thousand.view().size() == 2001);
static_assert(conforms<two_thousand, macs>);

/// A scan of a thousand steps, written out.
constexpr auto scan = graph([](auto& g) {
    auto w = g.weight("w", f16<64, 64>, bounded(0.1));
    auto h = g.input("x"_s, f16<1, 64>, within(-1, 1));
    for (int i = 0; i < 1000; ++i) {
        h = tanh(linear(h, w) + h);
    }
    g.output("y"_s, h);
});
static_assert(scan.view().size() == 3002);
static_assert(conforms<scan, h13>);

/// The weights of a product as a constant.
constexpr std::array<float, 32768> table = [] {
    std::array<float, 32768> values{};
    for (std::size_t i = 0; i < 128; ++i) {
        values[i * 255] = 0.5F;
    }
    return values;
}();
constexpr auto many_weights = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 256>, within(-1, 1));
    g.output("y"_s, linear(x, g.constant(f16<128, 256>, table)));
});
static_assert(conforms<many_weights, h13>);
} // namespace

TEST_CASE("the run time agrees") {
    CHECK(accepting_targets(thousand, macs) == macs);
    CHECK(accepting_targets(two_thousand, macs) == macs);
    CHECK(accepting_targets(scan, macs) == macs);
    CHECK(accepting_targets(many_weights, target_set{h13}) == target_set{h13});
    CHECK(two_thousand.view().find(op::weight, "block.399.bias") > 0);
}
