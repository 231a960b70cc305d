// Properties of whole graphs on the oracle: products with ones, batches, order of nodes, reruns, exact scalings.

#include "../composer.hpp"
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

namespace {

using halves = std::vector<half>;

halves gaussian(std::int64_t count, double deviation, std::mt19937_64& random) {
    std::normal_distribution<double> normal(0.0, deviation);
    halves values(static_cast<std::size_t>(count));
    for (half& v : values) {
        v = half(normal(random));
    }
    return values;
}

weight_store random_weights(const graph_view& g, double deviation, std::mt19937_64& random) {
    weight_store store;
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind == op::weight) {
            std::vector<float> values;
            for (const half v : gaussian(g[i].shape.count(), deviation, random)) {
                values.push_back(static_cast<float>(v));
            }
            store.add(std::string(g.name(i)), g[i].shape, std::span<const float>(values));
        }
    }
    return store;
}

/// One output of a graph of one input.
template <class Backend>
halves run(const Backend& backend, const dynamic_graph& g, const weight_store& weights, const halves& x) {
    auto program = compile(g, backend, weights);
    const graph_view view = g;
    halves y(static_cast<std::size_t>(view[view.outputs[0].node].shape.count()));
    const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
    const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(y))};
    program.run(in, out);
    return y;
}

bool equal_bits(const halves& a, const halves& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](half s, half t) { return s.bits == t.bits; });
}

std::vector<op> kinds(const lowered_graph& g) {
    std::vector<op> result;
    for (const node& n : g.graph.nodes) {
        if (!is_source(n.kind)) {
            result.push_back(n.kind);
        }
    }
    return result;
}

template <std::int64_t K> double sum_by_product(target t, const halves& v) {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("v"_s, f16<1, K>);
        b.output("y"_s, matmul(x, b.constant(f16<K, 1>, 1.0)));
    });
    return static_cast<double>(run(ane::backend::oracle{t}, g, {}, v)[0]);
}

halves repeated(std::initializer_list<double> values, int times) {
    halves result;
    for (int i = 0; i < times; ++i) {
        for (const double v : values) {
            result.emplace_back(v);
        }
    }
    return result;
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
