#include <anemone/numerics/elementwise.hpp>
#include <anemone/numerics/power.hpp>
#include <anemone/numerics/row_kernels.hpp>
#include <anemone/numerics/row_reduction.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

using namespace ane;
using namespace ane::numerics;

namespace {

/// Patterns of several kinds: any, middling, tiny with subnormals, and ordinary ones with infinities and NaN among them.
std::vector<half> row_patterns(std::size_t count, std::mt19937_64& engine) {
    const auto kind = engine() % 4;
    std::vector<half> values(count);
    for (half& h : values) {
        const auto drawn = static_cast<unsigned>(engine() & 0xFFFFU);
        const auto biased = [&](unsigned low, unsigned span) {
            return (drawn & 0x83FFU) | (low + drawn % span) << 10U;
        };
        const unsigned special = engine() % 8 == 0 ? 0x7E01U : 0x7C00U;
        const unsigned bits = kind == 0            ? drawn
                              : kind == 1          ? biased(10, 8)
                              : kind == 2          ? biased(0, 4)
                              : engine() % 30 == 0 ? (drawn & 0x8000U) | special
                                                   : biased(12, 3);
        h.bits = static_cast<std::uint16_t>(bits);
    }
    return values;
}

bool equal_sums(const reduction_sum& a, const reduction_sum& b) {
    const bool infinite = a.positive_infinity || a.negative_infinity;
    return a.positive_infinity == b.positive_infinity && a.negative_infinity == b.negative_infinity &&
           (infinite || a.units == b.units);
}

struct round_data {
    const row_kernels& kernels;
    datapath path;
    std::vector<half> a;
    std::vector<half> b;
    std::vector<half> c;
    std::int64_t step_a;
    std::int64_t step_b;
    std::vector<half> out;

    std::int64_t count() const { return static_cast<std::int64_t>(a.size()); }
    half left(std::int64_t i) const { return a[static_cast<std::size_t>(i * step_a)]; }
    half right(std::int64_t i) const { return b[static_cast<std::size_t>(i * step_b)]; }

    template <class Scalar> void check(row_kernels::binary_row row, const Scalar& scalar) {
        row(path, {a.data(), step_a}, {b.data(), step_b}, out.data(), count());
        for (std::int64_t i = 0; i < count(); ++i) {
            CAPTURE(left(i).bits);
            CAPTURE(right(i).bits);
            REQUIRE(out[static_cast<std::size_t>(i)].bits == scalar(left(i), right(i)).bits);
        }
    }
};

/// Random rows for every level; the generation changes with the round.
template <class Check> void for_each_round(const Check& check) {
    constexpr std::uint64_t seed = 20261123;
    CAPTURE(seed);
    for (const isa_level level : available_levels()) {
        std::mt19937_64 engine(seed);
        for (int round = 0; round < 120; ++round) {
            CAPTURE(name(level));
            CAPTURE(round);
            const std::size_t count = 1 + static_cast<std::size_t>(engine() % (round % 10 == 0 ? 700 : 90));
            round_data data{row_kernels_for(level),      datapath_of(round % 2 == 0 ? family::a13 : family::a17),
                            row_patterns(count, engine), row_patterns(count, engine),
                            row_patterns(count, engine), engine() % 4 == 0 ? 0 : 1,
                            engine() % 4 == 0 ? 0 : 1,   std::vector<half>(count)};
            check(data, engine);
        }
    }
}

} // namespace

// Below, the same, above: what C++ says of -1, 0 and 1 beside 0.
template <op Kind, class Compare> constexpr bool holds_as(Compare compare) {
    return holds(Kind, -1) == compare(-1, 0) && holds(Kind, 0) == compare(0, 0) && holds(Kind, 1) == compare(1, 0);
}
static_assert(holds_as<op::equal>([](int a, int b) { return a == b; }));
static_assert(holds_as<op::not_equal>([](int a, int b) { return a != b; }));
static_assert(holds_as<op::greater>([](int a, int b) { return a > b; }));
static_assert(holds_as<op::greater_equal>([](int a, int b) { return a >= b; }));
static_assert(holds_as<op::less>([](int a, int b) { return a < b; }));
static_assert(holds_as<op::less_equal>([](int a, int b) { return a <= b; }));

TEST_CASE("elementwise rows are the scalar functions, at every level") {
    for_each_round([](round_data& d, std::mt19937_64&) {
        const datapath& path = d.path;
        d.check(d.kernels.add, [&](half x, half y) { return add(path, x, y); });
        d.check(d.kernels.subtract, [&](half x, half y) { return subtract(path, x, y); });
        d.check(d.kernels.multiply, [&](half x, half y) { return multiply(path, x, y); });
        d.check(d.kernels.minimum, [&](half x, half y) { return binary<op::minimum>(path, x, y); });
        d.check(d.kernels.maximum, [&](half x, half y) { return binary<op::maximum>(path, x, y); });
        d.check(d.kernels.prelu, [&](half x, half y) { return prelu(path, x, y); });
    });
}

TEST_CASE("rows of products with an offset, comparisons and values that enter are the scalar functions") {
    for_each_round([](round_data& d, std::mt19937_64&) {
        const std::int64_t done = d.kernels.scale_offset(d.path, {d.a.data(), d.step_a}, {d.b.data(), d.step_b},
                                                         {d.c.data(), 1}, d.out.data(), d.count());
        std::int64_t finite = 0;
        while (finite < d.count() && is_finite(d.left(finite)) && is_finite(d.right(finite)) &&
               is_finite(d.c[static_cast<std::size_t>(finite)])) {
            ++finite;
        }
        REQUIRE(done == (finite == d.count() ? finite : finite / scale_offset_block * scale_offset_block));
        for (std::int64_t i = 0; i < done; ++i) {
            const auto at = static_cast<std::size_t>(i);
            REQUIRE(d.out[at].bits == scale_offset(d.path, d.left(i), d.right(i), d.c[at]).bits);
        }
        std::vector<std::int8_t> order(d.a.size());
        d.kernels.order({d.a.data(), d.step_a}, {d.b.data(), d.step_b}, order.data(), d.count());
        d.kernels.entered(d.a.data(), d.out.data(), d.count());
        for (std::int64_t i = 0; i < d.count(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto holds_of = [&]<op Kind>() {
                return holds(Kind, order[at]) == compare<Kind>(d.path, d.left(i), d.right(i));
            };
            REQUIRE(holds_of.template operator()<op::equal>());
            REQUIRE(holds_of.template operator()<op::not_equal>());
            REQUIRE(holds_of.template operator()<op::greater>());
            REQUIRE(holds_of.template operator()<op::greater_equal>());
            REQUIRE(holds_of.template operator()<op::less>());
            REQUIRE(holds_of.template operator()<op::less_equal>());
            REQUIRE(d.out[at].bits == numerics::detail::entered(d.a[at]).bits);
        }
    });
}

TEST_CASE("sums, means and extremes of rows and columns are those of the scalar register") {
    for_each_round([](round_data& d, std::mt19937_64& engine) {
        REQUIRE(equal_sums(d.kernels.sum(d.a.data(), d.count()), sum_reduction(d.path, d.a.data(), d.count(), 1)));
        const auto columns = 1 + static_cast<std::int64_t>(engine() % d.a.size());
        const std::int64_t rows = d.count() / columns;
        std::vector<reduction_sum> sums(static_cast<std::size_t>(columns));
        std::vector<half> means(sums.size());
        const auto divisor = 1 + static_cast<std::int64_t>(engine() % 60);
        d.kernels.column_sums(d.a.data(), rows, columns, columns, sums.data());
        d.kernels.store_means(d.path, sums.data(), divisor, means.data(), columns);
        for (const op kind : {op::reduce_max, op::reduce_min}) {
            const bool largest = kind == op::reduce_max;
            REQUIRE(d.kernels.extreme(d.a.data(), d.count(), largest).bits ==
                    reduce(d.path, kind, d.a.data(), d.count(), 1).bits);
            d.kernels.column_extremes(d.a.data(), rows, columns, columns, largest, d.out.data());
            for (std::int64_t c = 0; c < columns; ++c) {
                REQUIRE(d.out[static_cast<std::size_t>(c)].bits ==
                        reduce(d.path, kind, d.a.data() + c, rows, columns).bits);
            }
        }
        for (std::int64_t c = 0; c < columns; ++c) {
            const auto at = static_cast<std::size_t>(c);
            REQUIRE(equal_sums(sums[at], sum_reduction(d.path, d.a.data() + c, rows, columns)));
            REQUIRE(means[at].bits == store_sum(d.path, sums[at], divisor).bits);
        }
    });
}

TEST_CASE("long sums do not leave the integers of a double") {
    const std::vector<half> largest(300000, half::from_bits(0x7BFF));
    for (const isa_level level : available_levels()) {
        const reduction_sum sum = row_kernels_for(level).sum(largest.data(), 300000);
        CHECK(equal_sums(sum, sum_reduction(datapath(), largest.data(), 300000, 1)));
        reduction_sum column;
        row_kernels_for(level).column_sums(largest.data(), 300000, 1, 1, &column);
        CHECK(equal_sums(column, sum));
    }
}

TEST_CASE("other parameters of the sums take the scalar register") {
    std::mt19937_64 engine(7);
    std::vector<datapath> paths(4);
    paths[0].reduction_tile = 3;
    paths[1].reduction_significand_bits = 13;
    paths[2].reduction_alignment = alignment_rule::half_even;
    paths[3].mean = mean_rule::scale_stored_sum;
    for (const datapath& path : paths) {
        const std::vector<half> x = row_patterns(96, engine);
        for (const op kind : {op::reduce_sum, op::reduce_mean}) {
            half rows[4];
            half columns[4];
            reduce_rows(best_row_kernels(), path, kind, x.data(), 4, 24, rows);
            reduce_columns(best_row_kernels(), path, kind, x.data(), 24, 4, 4, columns);
            for (std::int64_t i = 0; i < 4; ++i) {
                CHECK(rows[i].bits == reduce(path, kind, x.data() + i * 24, 24, 1).bits);
                CHECK(columns[i].bits == reduce(path, kind, x.data() + i, 24, 4).bits);
            }
        }
    }
}

TEST_CASE("a power by the table of logarithms is the power") {
    std::mt19937_64 engine(11);
    for (int round = 0; round < 40; ++round) {
        const std::vector<half> x = row_patterns(50, engine);
        const std::vector<half> y = row_patterns(50, engine);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const datapath path = datapath_of(round % 2 == 0 ? family::a13 : family::a17);
            CHECK(power_by_table(path, x[i], y[i]).bits == power(path, x[i], y[i]).bits);
        }
    }
}
