// The rules of the accumulator's precision, on both sides of their limits.

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/rules/conforms.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

using namespace ane;
using namespace one_node;

namespace {
dynamic_graph product(std::int64_t k, contract x, contract w) {
    return make(op::matmul, transposed{}, {in({8, k}, x), weight({k, 8}, w)});
}
/// Operands of deviation 1 / sqrt(K), as in the published table.
dynamic_graph published(std::int64_t k) {
    const contract c = deviating(1 / std::sqrt(static_cast<double>(k)));
    return product(k, c, c);
}
} // namespace

TEST_CASE("many products of which nothing is declared") {
    CHECK_BREAKS(product(256, {}, {}), products_are_many, h13, 256, 256);
    CHECK_KEEPS(product(255, {}, {}), products_are_many, h13);
    CHECK_BREAKS(product(4096, {}, bounded(1)), products_are_many, h17s, 4096, 256);
    CHECK_BREAKS(make(op::linear, no_attributes{}, {in({8, 300}), weight({8, 300})}), products_are_many, h13, 300, 256);
    // Declared operands are computed, and products of one sign do not cancel.
    CHECK_KEEPS(product(4096, bounded(1), bounded(1)), products_are_many, h13);
    CHECK_KEEPS(product(4096, deviating(1), deviating(1)), products_are_many, h13);
    const dynamic_graph positive = build_graph([](builder& b) {
        auto x = relu(b.input("x"_s, f16<8, 4096>));
        b.output("y"_s, matmul(x, b.weight("w", f16<4096, 8>, within(0, 1))));
    });
    CHECK_KEEPS(positive, products_are_many, h13);
}

TEST_CASE("products near the quantum") {
    // The published relative errors are 0.00125 at K = 256 and 0.002578 at 512.
    CHECK_KEEPS(published(256), products_are_near_the_quantum, h13);
    CHECK_BREAKS(published(512), products_are_near_the_quantum, h13, 26, 20);
    CHECK_BREAKS(published(4096), products_are_near_the_quantum, h17s, 273, 20);
    // At the limit: 20 and 21 units.
    const auto near_limit = [](double sigma) { return product(512, deviating(sigma), deviating(sigma)); };
    CHECK_KEEPS(near_limit(0.0513), products_are_near_the_quantum, h13);
    CHECK_BREAKS(near_limit(0.0486), products_are_near_the_quantum, h13, 21, 20);
    // By ranges too, for the other contractions, and not where nothing is known.
    CHECK(breaks(make(op::conv2d, conv{}, {in({1, 64, 8, 8}, bounded(0.01)), weight({8, 64, 3, 3}, bounded(0.01))}),
                 rule::products_are_near_the_quantum));
    CHECK_KEEPS(product(512, {}, bounded(0.001)), products_are_near_the_quantum, h13);
    CHECK_KEEPS(product(512, bounded(1), bounded(1)), products_are_near_the_quantum, h13);
    // The scale that the report recommends silences it.
    const auto layer = [](auto scale) {
        return build_graph([](builder& b) {
            const contract c = bounded(0.1) & deviating(1.0 / 64);
            auto x = b.input("x"_s, f16<8, 4096>, c);
            auto w = b.weight("w", f16<8, 4096>, c);
            b.output("y"_s, linear(x, scaled<decltype(scale)::value>(w)));
        });
    };
    CHECK(breaks(layer(std::integral_constant<int, 0>{}), rule::products_are_near_the_quantum));
    CHECK_KEEPS(layer(std::integral_constant<int, 7>{}), products_are_near_the_quantum, h13);
    // Behind other operations too, by the spread of what they give.
    const dynamic_graph deep = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 2, 64, 4096>);
        b.output("y"_s, matmul(softmax(x), b.weight("v", f16<4096, 64>, bounded(0.25))));
    });
    CHECK(breaks(deep, rule::products_are_near_the_quantum));
    const auto attended = [](auto length, contract values) {
        return build_graph([values](builder& b) {
            auto q = b.input("q"_s, f16<1, 2, decltype(length)::value, 64>, bounded(4));
            auto v = b.input("v"_s, f16<1, 2, decltype(length)::value, 64>, values);
            b.output("y"_s, attention(q, q, v));
        });
    };
    CHECK(breaks(attended(std::integral_constant<int, 1024>{}, bounded(1)), rule::products_are_near_the_quantum));
    CHECK_KEEPS(attended(std::integral_constant<int, 64>{}, bounded(1)), products_are_near_the_quantum, h13);
    CHECK_KEEPS(attended(std::integral_constant<int, 1024>{}, bounded(64)), products_are_near_the_quantum, h13);
}

namespace {
constexpr auto narrow = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 4096>, bounded(0.1) & deviating(1.0 / 64));
    auto hidden = relu(linear(x, g.weight("a", f16<4096, 4096>, bounded(0.1) & deviating(1.0 / 64))));
    g.output("y"_s, linear(hidden, g.weight("b", f16<8, 4096>, bounded(0.1) & deviating(1.0 / 64))));
});
static_assert(conforms<narrow, macs>);
static_assert(!conforms<narrow, h13, as_error(rule::products_are_near_the_quantum)>);
static_assert(conforms<narrow, h13, as_error(rule::products_are_many)>);
} // namespace
