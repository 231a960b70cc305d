#include <anemone/numerics/data_path.hpp>
#include <anemone/numerics/elementwise.hpp>
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
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum}) {
        for (const half a : special) {
            for (const half b : special) {
                for (const datapath& path : {m1, m6}) {
                    const half got = binary(path, kind, a, b);
                    CHECK_FALSE(is_nan(got));
                    CHECK(got.bits != 0x8000);
                    CHECK_FALSE(is_nan(scale_offset(path, a, b, a)));
                }
            }
        }
    }
}

TEST_CASE("the published edge cases") {
    CHECK(binary(m1, op::add, not_a_number, half{}).bits == infinity.bits);        // N080
    CHECK(binary(m1, op::maximum, not_a_number, half(3.0)).bits == infinity.bits); // N086
    CHECK(binary(m1, op::add, -half{}, half{}).bits == 0);                         // N105
    CHECK(binary(m1, op::sub, infinity, infinity).bits == 0);                      // N091
    CHECK(binary(m1, op::mul, half{}, infinity).bits == 0);                        // N092
    CHECK(binary(m1, op::add, half::from_bits(1), half{}).bits == 1);              // N106
    CHECK(binary(m1, op::mul, half::from_bits(1), half(1.0)).bits == 1);           // N106
    CHECK(value(binary(m1, op::mul, half(255.875), half(256.0))) == 65504);        // N045
    CHECK(binary(m1, op::mul, half(256.0), half(256.0)).bits == infinity.bits);    // N045, N112
    CHECK(is_finite(binary(m1, op::mul, half(255.75), half(255.75))));             // N112
    CHECK(binary(m1, op::div, half(1.0), -half{}).bits == infinity.bits);          // N102
    CHECK(unary(m1, op::relu, not_a_number).bits == infinity.bits);                // N081
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
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const half x = half::from_bits(static_cast<std::uint16_t>(bits));
        const double v = is_nan(x) ? INFINITY : value(x);
        REQUIRE(value(unary(m6, op::relu, x)) == std::fmax(v, 0.0));
        REQUIRE(value(unary(m6, op::relu6, x)) == std::fmin(std::fmax(v, 0.0), 6.0));
        REQUIRE(value(unary(m6, op::clamp, x, -2.0F, 3.0F)) == std::fmin(std::fmax(v, -2.0), 3.0));
        REQUIRE(value(unary(m6, op::abs, x)) == std::fabs(v));
        const half leaky = unary(m6, op::leaky_relu, x, 0.25F);
        REQUIRE(value(leaky) == (v < 0 ? value(round_to_half(0.25 * v, tie_rule::half_away)) : v));
        REQUIRE(leaky.bits != 0x8000);
    }
    CHECK_THROWS_AS(unary(m6, op::add, half(1.0)), error);
    CHECK_THROWS_AS(binary(m6, op::relu, half(1.0), half(1.0)), error);
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
    const datapath m2 = datapath_of(family::a14);
    for (const datapath& path : {m1, m2}) {
        CHECK(value(slice_width_offset(path, half(4094.0))) == 4094);  // N060
        CHECK(slice_width_offset(path, half(4095.0)).bits == 0x7C00);  // N061: 4095 is 4096 in fp16 (to even)
        CHECK(slice_width_offset(path, half(4096.0)).bits == 0x7C00);  // N062, N067
        CHECK(slice_width_offset(path, half(4100.0)).bits == 0x7C00);  // N063
        CHECK(slice_width_offset(path, half(-4096.0)).bits == 0xFC00); // N064
    }
    for (const family f : {family::a15, family::a16, family::a17, family::a18}) { // N068, N069
        CHECK(value(slice_width_offset(datapath_of(f), half(60000.0))) == 60000);
    }
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
