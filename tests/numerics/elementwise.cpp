#include <anemone/numerics/elementwise.hpp>
#include <anemone/numerics/movement.hpp>
#include <anemone/numerics/softmax.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

using namespace ane;
using namespace ane::numerics;

namespace {

const datapath m1 = datapath_of(family::a13);
const datapath m6 = datapath_of(family::a18);
const datapath oldest = datapath_of(family::older);
constexpr half infinity = half::from_bits(0x7C00);
constexpr half not_a_number = half::from_bits(0x7E00);

double value(half h) { return static_cast<double>(h); }

} // namespace

static_assert(binary(datapath{}, op::add, half(1.0), half(2.0)).bits == half(3.0).bits);

TEST_CASE("one rounding, of the exact result") {
    std::mt19937_64 engine(31);
    for (int i = 0; i < 200000; ++i) {
        const half a = half::from_bits(static_cast<std::uint16_t>(engine()));
        const half b = half::from_bits(static_cast<std::uint16_t>(engine()));
        if (!is_finite(a) || !is_finite(b)) {
            continue;
        }
        for (const datapath& path : {m1, m6}) {
            REQUIRE(binary(path, op::add, a, b).bits == round_to_half(value(a) + value(b), path.elementwise_ties).bits);
            REQUIRE(binary(path, op::sub, a, b).bits == round_to_half(value(a) - value(b), path.elementwise_ties).bits);
            REQUIRE(binary(path, op::mul, a, b).bits == round_to_half(value(a) * value(b), path.elementwise_ties).bits);
        }
        REQUIRE(value(binary(m6, op::maximum, a, b)) == std::fmax(value(a), value(b)));
        REQUIRE(value(binary(m6, op::minimum, a, b)) == std::fmin(value(a), value(b)));
    }
}

TEST_CASE("ties by generation") {
    CHECK(value(binary(m1, op::add, half(2048.0), half(1.0))) == 2048); // N033
    CHECK(value(binary(m6, op::add, half(2048.0), half(1.0))) == 2050);
    CHECK(value(binary(m6, op::sub, half(-2048.0), half(1.0))) == -2050);
}

TEST_CASE("no operation of two values emits a NaN or a negative zero") {
    std::vector<half> special = {half{},
                                 -half{},
                                 infinity,
                                 -infinity,
                                 not_a_number,
                                 half::from_bits(0xFC01),
                                 half(1.0),
                                 half(-1.0),
                                 half::from_bits(1),
                                 half::from_bits(0x8001),
                                 half(65504.0),
                                 half(-65504.0)};
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum, op::pow, op::floor_div}) {
        for (const half a : special) {
            for (const half b : special) {
                for (const datapath& path : {m1, m6, oldest}) {
                    const half got = binary(path, kind, a, b);
                    CHECK_FALSE(is_nan(got));
                    CHECK(got.bits != 0x8000);
                    CHECK_FALSE(is_nan(scale_offset(path, a, b, a)));
                    CHECK_FALSE(is_nan(prelu(path, a, b)));
                    CHECK_FALSE(is_nan(parametric_softplus(path, a, b, a)));
                }
            }
        }
    }
}

TEST_CASE("division is a product with a reciprocal") {
    for (int i = 0; i <= 15; ++i) {
        CHECK(value(binary(m6, op::div, half(3.0), half(std::ldexp(1.0, i)))) == std::ldexp(3.0, -i)); // exact powers
    }
    std::mt19937_64 engine(8);
    std::uniform_real_distribution<double> uniform(0.1, 10.0);
    for (int i = 0; i < 10000; ++i) {
        const half a(uniform(engine));
        const half b(uniform(engine));
        const double exact = value(a) / value(b);
        CHECK(std::fabs(value(binary(m6, op::div, a, b)) - exact) <= 2.5 * exact * 0x1p-10);
    }
}

TEST_CASE("scale and offset round once") {
    CHECK(value(scale_offset(m6, half(3.0), half(2.0), half(0.5))) == 6.5);
    // 2049 - 2^-24: in two roundings the product 2048 + 1 would tie first.
    const half x(683.0);
    CHECK(value(scale_offset(m6, x, half(3.0), half::from_bits(0x8001))) == 2048);
    CHECK(value(scale_offset(m1, x, half(3.0), half::from_bits(0x0001))) == 2050);
    CHECK(value(scale_offset(m1, x, half(3.0), half{})) == 2048);
    CHECK(scale_offset(m1, half{}, infinity, half(2.0)) == half(2.0));
    std::mt19937_64 engine(12);
    for (int i = 0; i < 20000; ++i) {
        const half a = half::from_bits(static_cast<std::uint16_t>(engine() % 0x7C00));
        const half s = half::from_bits(static_cast<std::uint16_t>(engine() % 0x7C00));
        const half o = half::from_bits(static_cast<std::uint16_t>(engine() % 0x7C00 | 0x8000));
        const long double exact = static_cast<long double>(value(a)) * value(s) + value(o); // 64 bits
        if (std::fabs(exact) < 65000) {
            const half got = scale_offset(m6, a, s, o);
            const long double half_ulp = static_cast<long double>(
                std::fmax(std::ldexp(1.0, std::ilogb(static_cast<double>(exact) + 1e-30) - 11), 0x1p-25));
            REQUIRE(std::fabs(value(got) - exact) <= half_ulp);
        }
    }
}

TEST_CASE("the simple functions of one value, for every fp16 value") {
    for (const datapath& path : {m1, m6}) {
        const auto rounded = [&path](double x) { return value(round_to_half(x, path.elementwise_ties)); };
        for (std::uint32_t bits = 0; bits < 65536; ++bits) {
            const half x = half::from_bits(static_cast<std::uint16_t>(bits));
            const double v = is_nan(x) ? INFINITY : value(x);
            const double w = std::isinf(v) ? std::copysign(0x1p16, v) : v; // an infinity as a factor (N100)
            REQUIRE(value(unary(path, op::relu, x)) == std::fmax(v, 0.0));
            REQUIRE(value(unary(path, op::relu6, x)) == std::fmin(std::fmax(v, 0.0), 6.0));
            REQUIRE(value(unary(path, op::clamp, x, -2.0F, 3.0F)) == std::fmin(std::fmax(v, -2.0), 3.0));
            REQUIRE(value(unary(path, op::abs, x)) == std::fabs(v));
            REQUIRE(value(unary(path, op::leaky_relu, x, 0.25F)) == (v < 0 ? rounded(0.25 * w) : v));
            REQUIRE(value(unary(path, op::thresholded_relu, x, 1.5F)) == (v >= 1.5 ? v : 0));
            REQUIRE(value(unary(path, op::thresholded_relu, x, -2.0F)) == (v >= -2 ? v : 0));
            REQUIRE(value(unary(path, op::clamped_relu, x, 0.3125F, 6.0F)) ==
                    std::fmin(6, v < 0 ? rounded(0.3125 * w) : v));
            REQUIRE(value(unary(path, op::hard_sigmoid, x, 0.1875F, 0.5F)) ==
                    std::fmin(std::fmax(rounded(0.1875 * w + 0.5), 0), 1));
            REQUIRE(value(unary(path, op::sign, x)) == (v > 0 ? 1 : (v < 0 ? -1 : 0)));
            REQUIRE(value(unary(path, op::floor, x)) == std::floor(v));
            REQUIRE(value(unary(path, op::ceil, x)) == std::ceil(v));
            REQUIRE(value(unary(path, op::square, x)) == rounded(w * w));
            REQUIRE(dropout(path, x).bits == (v == 0 ? 0 : (is_nan(x) ? infinity.bits : bits)));
        }
        CHECK_THROWS_AS(unary(path, op::add, half(1.0)), error);
        CHECK_THROWS_AS(binary(path, op::relu, half(1.0), half(1.0)), error);
        CHECK_THROWS_AS(compare(path, op::add, half(1.0), half(1.0)), error);
    }
}

TEST_CASE("round adds one half in fp16") {
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
        const half x = half::from_bits(static_cast<std::uint16_t>(bits));
        const double v = value(x);
        const double y = value(unary(m6, op::round, x));
        REQUIRE(value(unary(m6, op::round, -x)) == -y);
        REQUIRE(value(unary(m1, op::round, x)) == (v >= 1024 && v < 2048 ? v + std::fmod(v, 2.0) : y)); // to even
        if (v >= 1024 && v < 2048) {
            REQUIRE(y == v + 1); // measured M5: 1024 becomes 1025
        } else {
            wrong += y != std::round(v) ? 1 : 0; // halves away from zero
        }
    }
    CHECK(wrong == 1);
    CHECK(value(unary(m6, op::round, half(0.499755859375))) == 1); // the sum with 0.5 is a tie at 1
}

TEST_CASE("comparisons and choices of the values as they enter") {
    const std::vector<half> all = {half{},   -half{},   half::from_bits(1), half(1.0),     half(-1.0),
                                   infinity, -infinity, not_a_number,       half(65504.0), half::from_bits(0x8001)};
    for (const half a : all) {
        for (const half b : all) {
            const double x = is_nan(a) ? INFINITY : value(a);
            const double y = is_nan(b) ? INFINITY : value(b);
            CHECK(compare(m1, op::equal, a, b) == (x == y));
            CHECK(compare(m1, op::not_equal, a, b) == (x != y));
            CHECK(compare(m6, op::greater, a, b) == (x > y));
            CHECK(compare(m6, op::greater_equal, a, b) == (x >= y));
            CHECK(compare(m6, op::less, a, b) == (x < y));
            CHECK(compare(m6, op::less_equal, a, b) == (x <= y));
            CHECK(value(select(m6, true, a, b)) == x);
            CHECK(value(select(m6, false, a, b)) == y);
            if (x >= 0) {
                CHECK(value(prelu(m6, a, b)) == x);
            } else {
                CHECK(prelu(m6, a, b).bits == multiply(m6, a, b).bits);
            }
        }
    }
}

TEST_CASE("an infinity as a factor is 2^16, or absorbs") {
    CHECK(value(binary(m1, op::mul, infinity, half(-0.8))) == -52416); // N100, for x = fp16(-0.8)
    CHECK(value(binary(m6, op::mul, half(0.25), -infinity)) == -16384);
    CHECK(binary(m6, op::mul, infinity, half(1.0)).bits == infinity.bits); // 65536 is beyond fp16
    CHECK(binary(m6, op::mul, not_a_number, half(1.0)).bits == infinity.bits);
    datapath ieee = m6;
    ieee.infinite_factor = infinity_rule::absorbing;
    CHECK(binary(ieee, op::mul, infinity, half(-0.8)).bits == 0xFC00);
    CHECK(binary(ieee, op::mul, infinity, half{}).bits == 0);
}

TEST_CASE("floor_div is the floor of a rounded quotient, and of a product on the oldest parts") {
    CHECK(value(binary(oldest, op::floor_div, half(6.0), half(3.0))) == 1); // N123
    CHECK(value(binary(m1, op::floor_div, half(6.0), half(3.0))) == 2);
    CHECK(value(binary(m6, op::floor_div, half(6.0), half(3.0))) == 2);
    CHECK(value(binary(oldest, op::floor_div, half(7.0), half(2.0))) == 3);
    CHECK(value(binary(oldest, op::floor_div, half(-7.0), half(2.0))) == -4);
    CHECK(value(binary(oldest, op::div, half(6.0), half(3.0))) == 2);
    CHECK(binary(oldest, op::div, half(1.0), half{}).bits == infinity.bits);
    CHECK(binary(oldest, op::floor_div, half{}, half{}).bits == 0);
    for (const datapath& path : {m1, m6, oldest}) {
        for (int a = -64; a <= 64; ++a) {
            for (int b = 1; b <= 64; ++b) {
                const double exact = std::floor(static_cast<double>(a) / b);
                const double got =
                    value(binary(path, op::floor_div, half(static_cast<double>(a)), half(static_cast<double>(b))));
                CHECK((got == exact || (a % b == 0 && got == exact - 1))); // one too small at a boundary
                CHECK((got == exact || b != 1));
            }
        }
    }
}

TEST_CASE("powers have one rounding") {
    const auto pow_of = [](const datapath& path, double a, double b) {
        return value(binary(path, op::pow, half(a), half(b)));
    };
    for (const datapath& path : {m1, m6}) {
        for (int n = 0; n <= 15; ++n) {
            CHECK(pow_of(path, 2, n) == std::ldexp(1.0, n));
            CHECK(pow_of(path, 2, -n) == std::ldexp(1.0, -n));
            CHECK(pow_of(path, -1, n) == (n % 2 == 0 ? 1 : -1));
        }
        CHECK(pow_of(path, 4, 0.5) == 2);
        CHECK(pow_of(path, 169, 1.5) == value(round_to_half(2197, path.elementwise_ties))); // a tie
        CHECK(pow_of(path, -3, 3) == -27);
        CHECK(pow_of(path, -3, 0.5) == 0);
        CHECK(pow_of(path, 0, 0) == 1);
        CHECK(std::isinf(pow_of(path, 0, -1)));
        CHECK(pow_of(path, 0.5, 24) == 0x1p-24);
        CHECK(binary(path, op::pow, infinity, half(-1.0)).bits == 0);
        CHECK(binary(path, op::pow, half(0.5), -infinity).bits == infinity.bits);
        CHECK(binary(path, op::pow, -infinity, half(3.0)).bits == 0xFC00);
        for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
            const half x = half::from_bits(static_cast<std::uint16_t>(bits));
            REQUIRE(binary(path, op::pow, x, half(1.0)).bits == x.bits);
            REQUIRE(binary(path, op::pow, -x, half(2.0)).bits == multiply(path, x, x).bits);
        }
    }
    const unsigned seed = 77;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 100000; ++i) {
        const half x = half::from_bits(static_cast<std::uint16_t>(random() % 0x7C00));
        const half y(static_cast<double>(static_cast<std::int64_t>(random() % 4001) - 2000) / 256);
        REQUIRE(binary(m6, op::pow, x, y).bits ==
                round_to_half(std::pow(value(x), value(y)), tie_rule::half_away).bits);
    }
}

TEST_CASE("softmax") {
    const auto run = [](const datapath& path, std::vector<half> x) {
        softmax(path, x.data(), x.data(), static_cast<std::int64_t>(x.size()), 1);
        return x;
    };
    for (const datapath& path : {m1, m6}) {
        const auto far = run(path, {half(1000.0), half(1.0), half(2.0), half(3.0)}); // N109
        CHECK(value(far[0]) == 1);
        CHECK((value(far[1]) == 0 && value(far[2]) == 0 && value(far[3]) == 0));
        for (const double a : {0.0, -3.5, 65504.0}) { // N110
            for (const half share : run(path, std::vector<half>(4, half(a)))) {
                CHECK(value(share) == 0.25);
            }
        }
        const auto lane = run(path, {half(1.0), not_a_number, half(2.0)}); // N087
        CHECK((value(lane[0]) == 0 && value(lane[1]) == 1 && value(lane[2]) == 0));
    }
    std::mt19937_64 engine(3);
    std::normal_distribution<double> normal(0.0, 3.0);
    for (int round = 0; round < 50; ++round) {
        std::vector<half> x(1 + engine() % 200);
        double total = 0.0;
        for (half& h : x) {
            h = half(normal(engine));
            total += std::exp(value(h));
        }
        const auto got = run(m6, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double exact = std::exp(value(x[i])) / total;
            CHECK(std::fabs(value(got[i]) - exact) <= 0.012 * exact + 0x1p-24);
        }
    }
    std::vector<half> strided = {half(1.0), half(9.0), half(1.0), half(9.0)};
    softmax(m6, strided.data(), strided.data(), 2, 2);
    CHECK((value(strided[0]) == 0.5 && value(strided[1]) == 9 && value(strided[2]) == 0.5 && value(strided[3]) == 9));
}

TEST_CASE("a width slice with an offset, by generation") {
    for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) { // nothing is lost below the limit
        const half x = half::from_bits(static_cast<std::uint16_t>(bits));
        CHECK(slice_width_offset(m1, x).bits == (value(x) > 4094 ? 0x7C00U : bits));
    }
}

TEST_CASE("an activation before int8 weights") {
    for (const family f : {family::a13, family::a14, family::a17}) {
        CHECK(value(int8_activation(datapath_of(f), half(4094.0))) == 4094); // N076
        CHECK(is_infinite(int8_activation(datapath_of(f), half(4096.0))));   // N077
    }
}

TEST_CASE("a byte converts exactly") {
    for (int i = 0; i < 256; ++i) {
        CHECK(value(convert_uint8(static_cast<std::uint8_t>(i))) == i);
    }
}
