// Products with constant ones on the oracle, which are sums by another path.

#include "../composer.hpp"
#include "whole_graphs.hpp"
#include <anemone/backend/oracle/oracle.hpp>
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

template <std::int64_t K> double sum_by_product(target t, const halves& v) {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("v"_s, f16<1, K>);
        b.output("y"_s, matmul(x, b.constant(f16<K, 1>, 1.0)));
    });
    return static_cast<double>(run(ane::backend::oracle{t}, g, {}, v)[0]);
}

} // namespace

TEST_CASE("N001-N005, N01_*: sums that were measured as products with ones, as products with ones in a graph") {
    CHECK(sum_by_product<16000>(h13g, halves(16000, half(1.0))) == 16000); // N001
    CHECK(sum_by_product<16384>(h17s, halves(16384, half(1.0))) == 16384); // N002
    halves v(1025, half(1.0));
    v[0] = half(4096.0);
    CHECK(sum_by_product<1025>(h13g, v) == 5116); // N003
    v.resize(17);
    v[0] = half(8192.0);
    CHECK(sum_by_product<17>(h13g, v) == 8208);                               // N004
    CHECK(sum_by_product<48>(h13g, repeated({4000, -4000, 1}, 16)) == 16);    // N005
    for (const double large : {1024, 3000, 4090, 4096, 8000, 16000, 30000}) { // N01_*
        CAPTURE(large);
        const double expected = large < 4096 ? 16 : 4;
        CHECK(sum_by_product<48>(h13g, repeated({large, -large, 1}, 16)) == expected);
        CHECK(sum_by_product<48>(h13g, repeated({large, 1, -large}, 16)) == expected);
    }
}

namespace {

/// The sum of values on the reduction path, as a graph of its own.
half reduced(target t, const halves& values) {
    composing::composer c;
    c.output(c.add(op::reduce_sum, axes{0}, {c.input({static_cast<std::int64_t>(values.size())})}));
    return run(ane::backend::oracle{t}, c.finish(), {}, values)[0];
}

/// Values of which sums of four lose digits in a narrow register and pass 2^15 now and then.
halves coarse_values(std::int64_t count, std::mt19937_64& random) {
    halves values = gaussian(count, 1.0, random);
    for (half& v : values) {
        v = half(static_cast<double>(v) * (random() % 2 == 0 ? 12000 : 1));
    }
    return values;
}

} // namespace

TEST_CASE("a product with constant ones: a reduction on A13, a product elsewhere and where the ones are an input") {
    constexpr unsigned seed = 31;
    MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    int differing = 0;
    // `form` over x and ones, whichever way round; `terms(i)` are the elements of x in the sum of output i.
    const auto check = [&](op kind, const attributes& form, const extents& x_shape, const extents& ones_shape,
                           bool ones_left, auto terms) {
        composing::composer with_constant;
        composing::composer with_input;
        const auto build = [&](composing::composer& c, bool constant) {
            const int x = c.input(x_shape);
            const int ones = constant ? c.constant(ones_shape, {1.0F}) : c.input(ones_shape);
            c.output(ones_left ? c.add(kind, form, {ones, x}) : c.add(kind, form, {x, ones}));
            return c.finish();
        };
        const dynamic_graph constant = build(with_constant, true);
        const dynamic_graph input = build(with_input, false);
        const std::vector<op> lowered = kinds(lower(constant));
        CHECK(std::count(lowered.begin(), lowered.end(), op::matmul) == 1); // what is written is the product
        for (int round = 0; round < 20; ++round) {
            const halves x = coarse_values(x_shape.count(), random);
            for (const target t : {h13, h14, h15, h16, h17s, h18}) {
                const halves got = run(ane::backend::oracle{t}, constant, {}, x);
                halves product(got.size());
                const halves ones(static_cast<std::size_t>(ones_shape.count()), half(1.0));
                const std::span<const std::byte> in[] = {std::as_bytes(std::span(x)), std::as_bytes(std::span(ones))};
                const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(product))};
                compile(input, ane::backend::oracle{t}, {}).run(in, out);
                if (t != h13) {
                    CHECK(equal_bits(got, product));
                    continue;
                }
                differing += equal_bits(got, product) ? 0 : 1;
                for (std::size_t i = 0; i < got.size(); ++i) {
                    halves summed;
                    for (const std::size_t from : terms(i)) {
                        summed.push_back(x[from]);
                    }
                    CHECK(got[i].bits == reduced(t, summed).bits);
                }
            }
        }
    };
    const auto row = [](std::size_t from, std::size_t step, std::size_t count) {
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < count; ++k) {
            places.push_back(from + k * step);
        }
        return places;
    };
    check(op::matmul, transposed{}, {2, 3, 8}, {8, 1}, false, [&](std::size_t i) { return row(i * 8, 1, 8); });
    check(op::matmul, transposed{}, {3, 8}, {8, 5}, false, [&](std::size_t i) { return row(i / 5 * 8, 1, 8); });
    check(op::matmul, transposed{.a = true}, {8, 3}, {8, 1}, false, [&](std::size_t i) { return row(i, 3, 8); });
    check(op::matmul, transposed{}, {8, 3}, {2, 2, 8}, true, [&](std::size_t i) { return row(i % 3, 3, 8); });
    check(op::matmul, transposed{.b = true}, {3, 8}, {1, 8}, true, [&](std::size_t i) { return row(i * 8, 1, 8); });
    check(op::linear, no_attributes{}, {8}, {2, 8}, false, [&](std::size_t) { return row(0, 1, 8); });
    MESSAGE(differing << " of 120 reductions differ from their products");
    CHECK(differing > 60); // a narrow register, no ceiling
}

TEST_CASE("a product with ones: a weight of ones counts, other constants do not, the bias is added behind the sum") {
    composing::composer c;
    const int x = c.input({1, 4});
    c.output(c.add(op::linear, no_attributes{}, {x, c.weight({1, 4})}));
    c.output(c.add(op::matmul, transposed{}, {x, c.constant({4, 1}, {1, 1, 1, 2})}));
    c.output(c.add(op::linear, no_attributes{}, {x, c.constant({1, 4}, {1}), c.constant({1}, {-1})}));
    const dynamic_graph g = c.finish();
    weight_store ones;
    ones.add("weight.1", {1, 4}, std::vector<float>(4, 1.0F));
    const auto values = [&](target t, const halves& given) {
        halves y(3);
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(given))};
        const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y).subspan(0, 1)),
                                            std::as_writable_bytes(std::span(y).subspan(1, 1)),
                                            std::as_writable_bytes(std::span(y).subspan(2, 1))};
        compile(g, ane::backend::oracle{t}, ones).run(in, out);
        return std::vector<double>(y.begin(), y.end());
    };
    const double infinite = std::numeric_limits<double>::infinity();
    const halves large(4, half(8192.0)); // their sum is 2^15
    CHECK(values(h13, large) == std::vector<double>{32768, infinite, 32768});
    CHECK(values(h16, large) == std::vector<double>{infinite, infinite, 32768}); // from the bias on it is 32767
    const halves odd{half(2048.0), half(1.0), half(0.0), half(0.0)};
    CHECK(values(h13, odd) == std::vector<double>{2048, 2050, 2047}); // 2049 is stored, half to even, before the bias
    CHECK(values(h16, odd) == std::vector<double>{2050, 2050, 2048}); // the bias starts the sum
}
