// The tables and the steps around them at single points; exhaustive_functions.cpp runs through every value.

#include <anemone/numerics/activation.hpp>
#include <anemone/numerics/table_fit.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

using namespace ane;
using namespace ane::numerics;

namespace {

const datapath m1 = datapath_of(family::a13);
const datapath m6 = datapath_of(family::a18);

double value(half h) { return static_cast<double>(h); }

double true_gelu(double x) { return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0))); }
double true_gelu_sigmoid(double x) { return x / (1.0 + std::exp(-1.702 * x)); }
double true_silu(double x) { return x / (1.0 + std::exp(-x)); }

} // namespace

static_assert(sigmoid(datapath{}, half(0.0)).bits == half(0.5).bits);
static_assert(exponential(datapath{}, half(0.0)).bits == half(1.0).bits);
static_assert(exponential_base_2(datapath{}, half(-3.0)).bits == half(0.125).bits);
static_assert(sine(datapath{}, half{}).bits == 0 && cosine(datapath{}, half{}).bits == half(1.0).bits);
static_assert(softsign(datapath{}, half(1.0)).bits == half(0.5).bits);
static_assert(elu(datapath{}, half(2.0), half(1.0)).bits == half(2.0).bits);

TEST_CASE("the samples of the knots are the functions") {
    for (double x = -4.0; x <= 4.0; x += 0.125) {
        CHECK(numerics::detail::sample_exp(x) == doctest::Approx(std::exp(x)).epsilon(1e-13));
        CHECK(numerics::detail::sample_tanh(x) == doctest::Approx(std::tanh(x)).epsilon(1e-12));
        CHECK(numerics::detail::sample_erf(x) == doctest::Approx(std::erf(x)).epsilon(1e-12));
        CHECK(numerics::detail::sample_sin(x / 2) == doctest::Approx(std::sin(x / 2)).epsilon(1e-13));
        CHECK(numerics::detail::sample_sqrt(x + 4.5) == doctest::Approx(std::sqrt(x + 4.5)).epsilon(1e-14));
        CHECK(numerics::detail::sample_log(x / 4 + 1.5) == doctest::Approx(std::log(x / 4 + 1.5)).epsilon(1e-13));
        CHECK(numerics::detail::sample_atan(2 * x + 8) == doctest::Approx(std::atan(2 * x + 8)).epsilon(1e-13));
        CHECK(numerics::detail::sample_atan(x / 4 + 1) == doctest::Approx(std::atan(x / 4 + 1)).epsilon(1e-13));
        CHECK(numerics::detail::sample_elu_below(x + 4) == doctest::Approx(std::expm1(-x - 4)).epsilon(1e-12));
    }
}

TEST_CASE("the knots are the samples, reached from either side") {
    struct row {
        const activation_table& table;
        double (*function)(double);
    };
    const row rows[] = {{sigmoid_table, [](double x) { return 1 / (1 + std::exp(-x)); }},
                        {tanh_table, [](double x) { return std::tanh(x); }},
                        {erf_table, [](double x) { return std::erf(x); }},
                        {sine_table, [](double x) { return std::sin(x); }},
                        {exp2_table, [](double x) { return std::exp2(x); }},
                        {log2_table, [](double x) { return std::log2(x); }},
                        {inverse_table, [](double x) { return 1 / x; }},
                        {sqrt_table, [](double x) { return std::sqrt(x); }},
                        {rsqrt_table, [](double x) { return 1 / std::sqrt(x); }},
                        {elu_table, [](double t) { return std::expm1(-t); }},
                        {atan_table, [](double x) { return std::atan(x); }}};
    for (const row& r : rows) {
        for (int i = 0; i < activation_table::segments; ++i) {
            const double x = r.table.first + i * r.table.step;
            CAPTURE(x);
            CHECK(r.table.at(x, tie_rule::half_away) == half(r.function(x)));
        }
    }
    // A line between two knots, from the knot nearer to zero: the middle of [-0.5, 0] of sigmoid.
    const half step = round_to_half(value(half(0.5)) - value(sigmoid_table.knots[15]), tie_rule::half_even);
    CHECK(value(sigmoid_table.at(-0.25, tie_rule::half_even)) ==
          doctest::Approx(0.5 - value(step) / 2).epsilon(1e-3).scale(0));
}

TEST_CASE("the ends of sigmoid and exp") {
    for (const datapath& path : {m1, m6}) {
        CHECK(value(sigmoid(path, half(8.328125))) == 1); // N116
        CHECK(value(sigmoid(path, half(-9.9453125))) == 0);
        CHECK(exponential(path, half(11.09375)).bits == 0x7C00); // N111
        CHECK(is_finite(exponential(path, half(11.0859375))));
        CHECK(exponential(path, half(-60000.0)).bits == 0);
        CHECK(exponential_base_2(path, half(16.0)).bits == 0x7C00);
        CHECK(is_finite(exponential_base_2(path, half(15.9921875))));
        CHECK(value(exponential_base_2(path, half(-24.0))) == 0x1p-24);
    }
}

TEST_CASE("exact arguments of the functions of a mantissa") {
    for (const datapath& path : {m1, m6}) {
        for (int e = -14; e <= 15; ++e) {
            const half x(std::ldexp(1.0, e));
            CHECK(value(reciprocal(path, x)) == std::ldexp(1.0, -e));
            CHECK(value(exponential_base_2(path, half(static_cast<double>(e)))) == std::ldexp(1.0, e));
            if (e % 2 == 0) {
                CHECK(value(square_root(path, x)) == std::ldexp(1.0, e / 2));
                CHECK(value(reciprocal_square_root(path, x)) == std::ldexp(1.0, -e / 2));
            }
        }
        CHECK(value(logarithm(path, half(1.0))) == 0);
        CHECK(value(logarithm(path, half{}, 1.0)) == 0);
        CHECK(value(reciprocal_square_root(path, half{}, 0.25)) == 2);
        CHECK(value(reciprocal(path, half(0.5), 0.5)) == 1);
        CHECK(reciprocal(path, half(-0.5), 0.5).bits == 0x7C00);
        CHECK(reciprocal(path, -half{}).bits == 0x7C00);             // N102
        CHECK(reciprocal_square_root(path, -half{}).bits == 0x7C00); // N103
        CHECK(square_root(path, -half{}).bits == 0);                 // N104
        CHECK(value(logarithm(path, -half{})) == -45440);            // N096
    }
}

TEST_CASE("softplus ends where exp does, softsign at infinity") {
    for (const datapath& path : {m1, m6}) {
        CHECK(value(softplus(path, half(11.0859375))) > 11.0);
        for (const double x : {11.09375, 12.0, 1000.0, 65504.0}) { // measured M5: 0 from 11.09 on
            CHECK(softplus(path, half(x)).bits == 0);
        }
        CHECK(softplus(path, half::from_bits(0x7C00)).bits == 0); // N098
        CHECK(softsign(path, half::from_bits(0x7C00)).bits == 0); // N099
        CHECK(value(softsign(path, half(-65504.0))) == doctest::Approx(-1.0).epsilon(2e-3));
        CHECK(value(parametric_softplus(path, half(2.0), half(3.0), half(0.5))) ==
              doctest::Approx(3 * std::log1p(std::exp(1.0))).epsilon(2e-3));
        CHECK(value(scaled_tanh(path, half(0.5), half(-2.0), half(2.0))) ==
              doctest::Approx(-2 * std::tanh(1.0)).epsilon(2e-3));
        CHECK(value(elu(path, half(-8.0), half(0.5))) ==
              doctest::Approx(0.5 * std::expm1(-8.0)).epsilon(1e-3).scale(0));
        CHECK(elu(path, half::from_bits(0xFC00), half(1.0)) == elu(path, half(-8.0), half(1.0)));
    }
}

TEST_CASE("sine and cosine") {
    for (const datapath& path : {m1, m6}) {
        for (int place = 0; place <= 0x7BFF; place += 7) {
            const half x = half::from_bits(static_cast<std::uint16_t>(place));
            REQUIRE(value(sine(path, -x)) == -value(sine(path, x)));
            REQUIRE(cosine(path, -x) == cosine(path, x));
        }
    }
    CHECK(value(sine(m6, half(1.5703125))) == 1);
    CHECK(value(cosine(m6, half(3.140625))) == -1);
    // The worst error in ulp of the study, 45, is in the last segment before pi.
    CHECK((value(sine(m6, half(3.140625))) - std::sin(3.140625)) / 0x1p-21 == doctest::Approx(-45).epsilon(0.01));
    CHECK(value(sine(m1, half(3.140625))) == doctest::Approx(-0.075).epsilon(0.03).scale(0)); // N120
    CHECK(value(cosine(m1, half(1.5703125))) == doctest::Approx(-0.075).epsilon(0.03).scale(0));
}

TEST_CASE("gelu and silu: the published points of their fits") {
    datapath third = m6;
    third.tables = table_variant::m5;
    CHECK(value(gelu(m6, half{})) == -12632 * 0x1p-24); // worst error in ulp of a true 0
    CHECK(value(silu(m6, half{})) == -28560 * 0x1p-24);
    CHECK(std::round(value(gelu(third, half{})) * 1e6) == -754); // N115
    CHECK(value(gelu(datapath_of(family::a17), half{})) ==
          doctest::Approx(-0.0007538795).epsilon(1e-7).scale(0)); // N209
    CHECK(value(gelu(datapath_of(family::a17), half{})) == -0.0007538795471191406);
    CHECK(silu(third, half{}) == silu(m6, half{}));
    CHECK(value(gelu(m6, half(0.25))) == doctest::Approx(0.1436).epsilon(5e-4).scale(0));
    CHECK(value(silu(m6, half(0.5))) == doctest::Approx(0.296).epsilon(2e-3).scale(0));
    CHECK(std::round(value(gelu(m1, half{})) * 1e6) == -543);  // N113
    CHECK(std::round(value(silu(m1, half{})) * 1e6) == -1259); // N114
    for (const datapath& path : {m1, m6}) {
        CHECK(value(gelu(path, half(100.0))) == 100);
        CHECK(value(gelu(path, half(-100.0))) == 0);
        CHECK(value(gelu_sigmoid(path, half(100.0))) == 100);
        CHECK(gelu(path, half::from_bits(0x7E00)).bits == 0x7C00);
        CHECK(silu(path, half::from_bits(0xFC00)).bits == 0);
    }
}

TEST_CASE("the stored tables are what the generator gives") {
    for (const table_variant v : {table_variant::m1, table_variant::m6, table_variant::m5}) {
        const activation_table g = fit_table(gelu_recipe(v), true_gelu);
        const activation_table q =
            fit_table(gelu_recipe(v == table_variant::m5 ? table_variant::m6 : v), true_gelu_sigmoid);
        const activation_table s = fit_table(silu_recipe(v), true_silu);
        CHECK(g.first == gelu_table(v).first);
        CHECK(s.step == silu_table(v).step);
        for (std::size_t i = 0; i <= activation_table::segments; ++i) {
            CAPTURE(i);
            CHECK(ulp_distance(g.knots[i], gelu_table(v).knots[i]) == 0);
            CHECK(ulp_distance(q.knots[i], gelu_sigmoid_table(v).knots[i]) == 0);
            CHECK(ulp_distance(s.knots[i], silu_table(v).knots[i]) == 0);
        }
    }
}
