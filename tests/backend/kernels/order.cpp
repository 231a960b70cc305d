// Order along an axis, arg-reductions by the layer for a whole axis, and random numbers, on both backends.

#include "../both_backends.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/kernels/order.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/build.hpp>
#include <anemone/numerics/random.hpp>
#include <anemone/ops/filling.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

using namespace both;

namespace {

/// Few different values, so that there are ties; with `wild`, zeros of both signs, infinities and NaN among them.
dense with_ties(const extents& shape, random_engine& random, bool wild) {
    constexpr std::uint16_t special[] = {0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001, 0x8001, 0x7BFF};
    dense d(shape);
    for (half& h : d.values) {
        h = wild && below(random, 2) == 0 ? half::from_bits(special[below(random, 9)])
                                          : half(0.5 * (below(random, 7) - 3));
    }
    return d;
}

/// The definition: a stable sort of the indices of every row. NaN is above everything, its like are equal.
struct ranked_rows {
    dense values;
    dense indices;
};
ranked_rows reference(const dense& x, const selection& s) {
    extents shape = x.shape;
    shape[s.axis] = s.k;
    ranked_rows r{dense(shape), dense(shape)};
    const auto along = static_cast<std::size_t>(s.axis);
    const auto before = [](half a, half b) { return is_nan(b) ? !is_nan(a) : a < b; };
    x.each([&](place at) {
        if (at[along] != 0) {
            return;
        }
        std::vector<half> row;
        for (std::int64_t i = 0; i < x.shape[s.axis]; ++i) {
            at[along] = i;
            row.push_back(x(at));
        }
        std::vector<std::size_t> order(row.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const bool first = s.ascending ? before(row[a], row[b]) : before(row[b], row[a]);
            const bool last = s.ascending ? before(row[b], row[a]) : before(row[a], row[b]);
            return first || (!last && a < b);
        });
        for (int i = 0; i < s.k; ++i) {
            at[along] = i;
            r.values(at) = row[order[static_cast<std::size_t>(i)]];
            r.indices(at) = half(static_cast<double>(order[static_cast<std::size_t>(i)]));
        }
    });
    return r;
}

dense without_nan(dense d) {
    for (half& h : d.values) {
        h = is_nan(h) ? std::numeric_limits<half>::infinity() : h;
    }
    return d;
}

} // namespace

TEST_CASE("order: keys rise with the numbers") {
    std::size_t wrong = 0;
    for (unsigned a = 0; a < 0x10000U; ++a) {
        const half x = half::from_bits(static_cast<std::uint16_t>(a));
        for (const unsigned other : {a + 1, a ^ 0x8000U, 0x10000U - a, a * 7919U, 0x7C00U, 0U}) {
            const half y = half::from_bits(static_cast<std::uint16_t>(other));
            const bool less = is_nan(y) ? !is_nan(x) : x < y;
            wrong += (kernels::order_key(x) < kernels::order_key(y)) != less ? 1 : 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("order: sort, arg_sort, top_k and its indices against a stable sort of every row") {
    for (unsigned seed = 1; seed <= 120; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        const bool wild = seed % 2 == 0;
        extents shape = random_shape(random, 5, 4);
        const int along = below(random, shape.rank);
        shape[along] = 1 + below(random, 20);
        const dense x = with_ties(shape, random, wild);
        const bool ascending = below(random, 2) == 0;
        const auto all = static_cast<int>(shape[along]);
        const selection whole{.k = all, .axis = along, .ascending = ascending};
        const selection part{.k = 1 + below(random, all), .axis = along, .ascending = ascending};
        for (const bool sorts : {true, false}) {
            const op values = sorts ? op::sort : op::top_k;
            const op indices = sorts ? op::arg_sort : op::top_k_indices;
            const selection& s = sorts ? whole : part;
            CAPTURE(name(values));
            CAPTURE(print(shape));
            CAPTURE(s.k);
            const ranked_rows field = reference(x, s);
            CHECK(unequal_bits(one(ane::backend::cpu{}, values, s, {x}), field.values) == "");
            CHECK(unequal_bits(one(ane::backend::cpu{}, indices, s, {x}), field.indices) == "");
            const ranked_rows engine = reference(without_nan(x), s);
            CHECK(unequal_bits(one(ane::backend::oracle{h16}, values, s, {x}), engine.values) == "");
            CHECK(unequal_bits(one(ane::backend::oracle{h13}, indices, s, {x}), engine.indices) == "");
        }
    }
}

TEST_CASE("order: an axis from the last, and indices that fp16 rounds") {
    const dense x = tensor_of({2, 3}, {3, 1, 2, -1, 5, 0});
    CHECK(unequal_bits(one(ane::backend::cpu{}, op::sort, selection{3, -1, true}, {x}),
                       tensor_of({2, 3}, {1, 2, 3, -1, 0, 5})) == "");
    CHECK(unequal_bits(one(ane::backend::oracle{h16}, op::top_k_indices, selection{2, -2, false}, {x}),
                       tensor_of({2, 3}, {0, 1, 0, 1, 0, 1})) == "");
    // Index 2049 lies between two fp16 numbers (R069): half to even gives 2048.
    dense line({4000});
    line.values[2049] = half(1);
    CHECK(static_cast<double>(one(ane::backend::cpu{}, op::top_k_indices, selection{1, 0, false}, {line}).values[0]) ==
          2048);
    line.values[1999] = half(2);
    CHECK(static_cast<double>(
              one(ane::backend::oracle{h16}, op::arg_sort, selection{4000, 0, false}, {line}).values[0]) == 1999);
}

TEST_CASE("order: global_arg_max and global_arg_min find the first extreme, NaN as each backend has it") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        random_engine random(seed);
        const dense x = with_ties(random_shape(random, 5, 6), random, seed % 2 == 0);
        const int along = below(random, x.shape.rank);
        for (const op kind : {op::global_arg_max, op::global_arg_min}) {
            CAPTURE(name(kind));
            const auto expected = [&](const dense& data) {
                extents shape = x.shape;
                shape[along] = 1;
                dense wanted(shape);
                wanted.each([&](const place& to) {
                    place at = to;
                    std::int64_t best = 0;
                    half held = data(to);
                    for (std::int64_t i = 1; i < x.shape[along] && !is_nan(held); ++i) {
                        at[static_cast<std::size_t>(along)] = i;
                        const half h = data(at);
                        if (is_nan(h) || (kind == op::global_arg_max ? h > held : h < held)) {
                            best = i;
                            held = h;
                        }
                    }
                    wanted(to) = half(static_cast<double>(best));
                });
                return wanted;
            };
            CHECK(unequal_bits(one(ane::backend::cpu{}, kind, axis{along}, {x}), expected(x)) == "");
            CHECK(unequal_bits(one(ane::backend::oracle{h16}, kind, axis{along}, {x}), expected(without_nan(x))) == "");
        }
    }
}

TEST_CASE("random numbers: the generator's published answers") {
    // The known answers that come with the paper's reference implementation (Random123, philox4x32-10).
    using words = std::array<std::uint32_t, 4>;
    CHECK(numerics::philox({0, 0, 0, 0}, {0, 0}) == words{0x6627E8D5U, 0xE169C58DU, 0xBC57AC4CU, 0x9B00DBD8U});
    CHECK(numerics::philox({0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}, {0xFFFFFFFFU, 0xFFFFFFFFU}) ==
          words{0x408F276DU, 0x41C83B0EU, 0xA20BC7C6U, 0x6D5451FDU});
    CHECK(numerics::philox({0x243F6A88U, 0x85A308D3U, 0x13198A2EU, 0x03707344U}, {0xA4093822U, 0x299F31D0U}) ==
          words{0xD16CFE09U, 0x94FDCCEBU, 0x5001E420U, 0x24126EA1U});
}

TEST_CASE("random numbers: rounding down") {
    std::size_t wrong = 0;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const half h = half::from_bits(static_cast<std::uint16_t>(bits));
        if (!is_finite(h)) {
            continue;
        }
        const auto value = static_cast<double>(h);
        wrong += static_cast<double>(numerics::rounded_down(value)) != value ? 1 : 0;
        const double below_it = std::nextafter(value, -1e9);
        const half down = numerics::rounded_down(below_it);
        if (is_finite(down)) {
            wrong += !(static_cast<double>(down) <= below_it) || ulp_distance(down, h) != 1 ? 1 : 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("random numbers: the same in every run and on every backend, and uniform on [low, high)") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<40, 50>);
        b.output("unit"_s, random_uniform(b, f16<40, 50>));
        b.output("again"_s, random_uniform(b, f16<40, 50>));
        b.output("wide"_s, random_uniform(b, f16<2000>, -3, 5));
        b.output("narrow"_s, random_uniform(b, f16<7>, 0.99951171875, 1));
        b.output("x_back"_s, x + 0.0);
    });
    const dense x({40, 50});
    const auto on_cpu = run(g, ane::backend::cpu{}, {x});
    const auto on_oracle = run(g, ane::backend::oracle{h16}, {x});
    const auto again = run(g, ane::backend::cpu{}, {x});
    for (std::size_t i = 0; i < on_cpu.size(); ++i) {
        CHECK(unequal_bits(on_oracle[i], on_cpu[i]) == "");
        CHECK(unequal_bits(again[i], on_cpu[i]) == "");
    }
    CHECK(unequal_bits(on_cpu[0], on_cpu[1]) != ""); // each node has a stream of its own
    // Moments: of 2000 numbers on an interval of length d the mean strays by d / sqrt(12 * 2000) = 0.0065 d.
    const std::pair<double, double> ends[] = {{0, 1}, {0, 1}, {-3, 5}, {0.99951171875, 1}};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [low, high] = ends[i];
        double sum = 0;
        double squares = 0;
        std::array<int, 10> tenths{};
        for (const half h : on_cpu[i].values) {
            const double u = (static_cast<double>(h) - low) / (high - low);
            REQUIRE(u >= 0);
            REQUIRE(u < 1);
            sum += u;
            squares += u * u;
            ++tenths[static_cast<std::size_t>(u * 10)];
        }
        const auto count = static_cast<double>(on_cpu[i].values.size());
        if (count < 2000) {
            continue;
        }
        CHECK(std::fabs(sum / count - 0.5) < 5 * 0.0065);
        CHECK(std::fabs(squares / count - 1.0 / 3) < 5 * 0.0067);
        for (const int seen : tenths) {
            CHECK(std::abs(seen - 200) < 5 * 14); // sqrt(2000 * 0.1 * 0.9) = 13.4
        }
    }
}
