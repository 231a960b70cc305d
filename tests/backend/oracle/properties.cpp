// Properties of whole graphs on the oracle: batches, order of nodes, reruns, exact scalings.

#include "../composer.hpp"
#include "whole_graphs.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/function_tables.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ane;
using namespace whole_graphs;

namespace {

/// A convolution, a norm, a table, a pool, a product and a softmax: every path of the arithmetic.
template <int Batch> dynamic_graph small_network() {
    return build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<Batch, 3, 10, 10>);
        auto y = conv2d<conv{.padding = 1}>(x, b.weight("c", f16<8, 3, 3, 3>), b.weight("cb", f16<8>));
        auto z = instance_norm(y, b.weight("g", f16<8>), b.weight("h", f16<8>));
        auto p = avg_pool<pool{.kernel = 2}>(silu(z));
        auto s = reshape<Batch, 200>(p);
        b.output("y"_s, softmax<axis{1}>(linear(s, b.weight("w", f16<12, 200>), b.weight("b", f16<12>))));
    });
}

constexpr std::int64_t image = 3 * 10 * 10;

template <int Batch> halves run_network(target t, const weight_store& weights, const halves& x) {
    return run(ane::backend::oracle{t}, small_network<Batch>(), weights, x);
}

} // namespace

TEST_CASE("N153: the answer for one element depends neither on the batch nor on its place in it") {
    constexpr unsigned seed = 153;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const weight_store weights = random_weights(small_network<1>(), 0.2, random);
    const halves pool = gaussian(32 * image, 1.0, random);
    for (const target t : {h13g, h17s}) {
        std::vector<halves> alone;
        for (std::ptrdiff_t i = 0; i < 16; ++i) {
            alone.push_back(run_network<1>(t, weights, {pool.begin() + i * image, pool.begin() + (i + 1) * image}));
        }
        const auto row = [](const halves& all, std::size_t i) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(i) * 12;
            return halves(from, from + 12);
        };
        const auto first = [&](std::ptrdiff_t batch) { return halves(pool.begin(), pool.begin() + batch * image); };
        CHECK(equal_bits(row(run_network<2>(t, weights, first(2)), 0), alone[0]));
        CHECK(equal_bits(row(run_network<8>(t, weights, first(8)), 0), alone[0]));
        CHECK(equal_bits(row(run_network<32>(t, weights, first(32)), 0), alone[0]));
        const halves sixteen = run_network<16>(t, weights, first(16));
        for (std::size_t i = 0; i < 16; ++i) {
            CHECK(equal_bits(row(sixteen, i), alone[i]));
        }
        halves turned(pool.begin() + image, pool.begin() + 16 * image); // every image one place earlier
        turned.insert(turned.end(), pool.begin(), pool.begin() + image);
        const halves shifted = run_network<16>(t, weights, turned);
        for (std::size_t i = 0; i < 16; ++i) {
            CHECK(equal_bits(row(shifted, i), alone[(i + 1) % 16]));
        }
    }
}

TEST_CASE("N153: a row of a product at batch 1, 2, 8, 32 and 128") {
    constexpr unsigned seed = 1530;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto of = [](auto rows) {
        return build_graph([](builder& b) {
            auto x = b.input("x"_s, f16<decltype(rows)::value, 96>);
            b.output("y"_s, linear(x, b.weight("w", f16<40, 96>)));
        });
    };
    const auto one = of(std::integral_constant<std::int64_t, 1>{});
    const weight_store weights = random_weights(one, 0.3, random);
    const halves x = gaussian(128 * 96, 2.0, random);
    const ane::backend::oracle oracle{h13g};
    const halves alone = run(oracle, one, weights, halves(x.begin(), x.begin() + 96));
    const auto check = [&](auto rows) {
        const halves y = run(oracle, of(rows), weights, halves(x.begin(), x.begin() + rows.value * 96));
        CHECK(equal_bits(halves(y.begin(), y.begin() + 40), alone));
    };
    check(std::integral_constant<std::int64_t, 2>{});
    check(std::integral_constant<std::int64_t, 8>{});
    check(std::integral_constant<std::int64_t, 32>{});
    check(std::integral_constant<std::int64_t, 128>{});
}

TEST_CASE("N150-N152: reruns and new compiles give the same bits") {
    constexpr unsigned seed = 150;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const weight_store weights = random_weights(small_network<1>(), 0.2, random);
    const halves x = gaussian(image, 1.0, random);
    const dynamic_graph g = small_network<1>();
    auto program = compile(g, ane::backend::oracle{h13g}, weights);
    const halves first = run(ane::backend::oracle{h13g}, g, weights, x); // another compile
    for (int i = 0; i < 20; ++i) {
        halves y(12);
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
        program.run(in, out);
        REQUIRE(equal_bits(y, first));
    }
}

TEST_CASE("the order in which independent nodes are written changes no bits") {
    constexpr unsigned seed = 77;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    // Three branches of one input, written in every order, joined in one.
    const auto build = [](const std::array<int, 3>& order) {
        return build_graph([&](builder& b) {
            auto x = b.input("x"_s, f16<1, 4, 6, 6>);
            auto c = x;
            auto d = x;
            auto e = x;
            for (const int branch : order) {
                if (branch == 0) {
                    c = conv2d<conv{.padding = 1}>(x, b.weight("w", f16<4, 4, 3, 3>));
                } else if (branch == 1) {
                    d = gelu(x * 0.7) + x;
                } else {
                    e = softmax<axis{1}>(x - 0.25);
                }
            }
            b.output("y"_s, c * d + e);
        });
    };
    const halves x = gaussian(4 * 36, 1.0, random);
    const weight_store weights = random_weights(build({0, 1, 2}), 0.3, random);
    for (const target t : {h13g, h16g}) {
        std::array<int, 3> order{0, 1, 2};
        const halves first = run(ane::backend::oracle{t}, build(order), weights, x);
        while (std::next_permutation(order.begin(), order.end())) {
            CHECK(equal_bits(run(ane::backend::oracle{t}, build(order), weights, x), first));
        }
    }
}

TEST_CASE("powers of two pass exactly where the arithmetic is linear") {
    constexpr unsigned seed = 8;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto scaled = [](halves values, double factor) {
        for (half& v : values) {
            v = half(static_cast<double>(v) * factor);
        }
        return values;
    };
    // In range: no result is subnormal, none overflows, and sums of products have no bits below 2^-16.
    const dynamic_graph sums =
        build_graph([](builder& b) { b.output("y"_s, reduce_sum<axes{1}>(b.input("x"_s, f16<8, 33>))); });
    const dynamic_graph product =
        build_graph([](builder& b) { b.output("y"_s, matmul(b.input("x"_s, f16<8, 33>), b.weight("w", f16<33, 5>))); });
    const dynamic_graph elementwise = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<8, 33>);
        b.output("y"_s, relu(x * 0.7) + abs(x)); // homogeneous of degree one
    });
    const halves x = gaussian(8 * 33, 1.0, random);
    halves coarse = x; // multiples of 2^-6, as the weights are: products are multiples of 2^-12
    for (half& v : coarse) {
        v = half(std::round(static_cast<double>(v) * 64) / 64);
    }
    weight_store weights;
    std::vector<float> w;
    for (const half v : gaussian(33 * 5, 1.0, random)) {
        w.push_back(std::round(static_cast<float>(v) * 64) / 64);
    }
    weights.add("w", {33, 5}, std::span<const float>(w));
    for (const target t : {h13g, h16g}) {
        const ane::backend::oracle oracle{t};
        for (const double factor : {2.0, 8.0, 0.25, 0.0625}) {
            CAPTURE(factor);
            CHECK(equal_bits(run(oracle, sums, {}, scaled(x, factor)), scaled(run(oracle, sums, {}, x), factor)));
            CHECK(equal_bits(run(oracle, product, weights, scaled(coarse, factor)),
                             scaled(run(oracle, product, weights, coarse), factor)));
            CHECK(equal_bits(run(oracle, elementwise, {}, scaled(x, factor)),
                             scaled(run(oracle, elementwise, {}, x), factor)));
        }
    }
    // Below 2^-16 products are lost: the multiply-accumulate path is not linear there.
    CHECK_FALSE(equal_bits(run(ane::backend::oracle{h16g}, product, weights, scaled(coarse, 0x1p-9)),
                           scaled(run(ane::backend::oracle{h16g}, product, weights, coarse), 0x1p-9)));
}

TEST_CASE("a user's own parameters reach the kernels: the order of a sum at the ceiling") {
    const dynamic_graph g = build_graph(
        [](builder& b) { b.output("y"_s, conv2d(b.input("x"_s, f16<1, 2, 1, 2>), b.weight("w", f16<1, 2, 1, 2>))); });
    weight_store weights;
    weights.add("w", {1, 2, 1, 2}, std::span<const float>(std::vector<float>(4, 1.0F)));
    const halves x = repeated({20000, 20000, -20000, -20000}, 1);
    numerics::datapath path = numerics::datapath_of(h16g);
    CHECK(is_infinite(run(ane::backend::oracle{path}, g, weights, x)[0]));
    path.order = numerics::contraction_order::row_column_channel;
    CHECK(run(ane::backend::oracle{path}, g, weights, x)[0].bits == 0);
    path.order = numerics::contraction_order::channel_row_column;
    path.mac_ceiling = false;
    CHECK(run(ane::backend::oracle{path}, g, weights, x)[0].bits == 0);
}

TEST_CASE("a large node reads a table of its function: the same bits") {
    halves every(65536);
    for (std::size_t i = 0; i < every.size(); ++i) {
        every[i].bits = static_cast<std::uint16_t>(i);
    }
    const auto check = [&](op kind, auto describe, float first, float second) {
        const dynamic_graph g =
            build_graph([&](builder& b) { b.output("y"_s, describe(b.input("x"_s, f16<256, 256>))); });
        for (const target t : {h13g, h16g}) {
            CAPTURE(name(kind));
            const halves y = run(ane::backend::oracle{t}, g, {}, every);
            int wrong = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
                const half one = numerics::unary(numerics::datapath_of(t), kind, every[i], first, second);
                wrong += y[i].bits == one.bits ? 0 : 1;
            }
            CHECK(wrong == 0);
        }
    };
    check(
        op::relu, [](auto x) { return relu(x); }, 0, 0);
    check(
        op::gelu, [](auto x) { return gelu(x); }, 0, 0);
    check(
        op::leaky_relu, [](auto x) { return leaky_relu(x, 0.3F); }, 0.3F, 0);
    check(
        op::rsqrt, [](auto x) { return rsqrt(x); }, 0, 0);
    // Two functions of one kind do not share a table.
    const dynamic_graph two = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<256, 256>);
        b.output("y"_s, leaky_relu(x, 0.25F) - leaky_relu(x, 0.5F));
    });
    const halves y = run(ane::backend::oracle{h16g}, two, {}, halves(65536, half(-2.0)));
    CHECK(static_cast<double>(y[0]) == 0.5);
    // Numbers are told apart by their bits.
    const numerics::datapath path = numerics::datapath_of(h16g);
    ane::oracle::function_tables tables;
    const auto table = [&](float slope) { return tables.unary<op::leaky_relu>(path, slope, 0, 65536); };
    CHECK(table(0.0F) != table(-0.0F));
    CHECK(table(std::nanf("")) == table(std::nanf("")));
}

TEST_CASE("matrices that share their right operand are rows of one product") {
    constexpr unsigned seed = 66;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const dynamic_graph batched = build_graph(
        [](builder& b) { b.output("y"_s, matmul(b.input("x"_s, f16<2, 3, 7, 5>), b.weight("w", f16<5, 6>))); });
    const dynamic_graph single =
        build_graph([](builder& b) { b.output("y"_s, matmul(b.input("x"_s, f16<7, 5>), b.weight("w", f16<5, 6>))); });
    const weight_store weights = random_weights(single, 1.0, random);
    const halves x = gaussian(6 * 35, 60.0, random);
    const halves all = run(ane::backend::oracle{h13g}, batched, weights, x);
    for (std::ptrdiff_t i = 0; i < 6; ++i) {
        const halves one =
            run(ane::backend::oracle{h13g}, single, weights, halves(x.begin() + i * 35, x.begin() + (i + 1) * 35));
        CHECK(equal_bits(one, halves(all.begin() + i * 42, all.begin() + (i + 1) * 42)));
    }
}

TEST_CASE("any number of threads gives the same bits") {
    constexpr unsigned seed = 12;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<2, 32, 24, 24>);
        auto y = conv2d<conv{.padding = 1}>(x, b.weight("w", f16<40, 32, 3, 3>), b.weight("b", f16<40>));
        b.output("y"_s, conv_transpose2d<conv_transpose{.stride = 2}>(y, b.weight("v", f16<40, 8, 2, 2>)));
    });
    const weight_store weights = random_weights(g, 2.0, random); // some sums reach the ceiling
    const halves x = gaussian(2 * 32 * 24 * 24, 60.0, random);
    const halves one = run(ane::backend::oracle{h13g}, g, weights, x);
    CHECK(std::any_of(one.begin(), one.end(), [](half v) { return is_infinite(v); }));
    for (const int threads : {2, 3, 16}) {
        CHECK(equal_bits(run(ane::backend::oracle{h13g}.threads(threads), g, weights, x), one));
    }
    CHECK_THROWS_AS(ane::backend::oracle{h13g}.threads(0), error);
}
