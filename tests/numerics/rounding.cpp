#include <anemone/numerics/rounding.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>

using namespace ane;
using namespace ane::numerics;

namespace {

/// The nearest fp16 value by search over all of them.
half nearest(double value, tie_rule ties) {
    const double magnitude = std::fabs(value);
    std::uint16_t best = 0;
    if (magnitude >= 65536.0) {
        best = 0x7C00;
    } else {
        double distance = magnitude;
        for (std::uint32_t bits = 1; bits <= 0x7C00; ++bits) {
            const double candidate =
                bits == 0x7C00 ? 65536.0 : static_cast<double>(half::from_bits(static_cast<std::uint16_t>(bits)));
            const double d = std::fabs(candidate - magnitude);
            const bool up = ties == tie_rule::half_away || bits % 2 == 0;
            if (d < distance || (d == distance && up)) {
                distance = d;
                best = static_cast<std::uint16_t>(bits);
            }
        }
    }
    return best == 0 ? half{} : half::from_bits(static_cast<std::uint16_t>(best | (value < 0 ? 0x8000U : 0U)));
}

} // namespace

static_assert(round_to_half(2049.0, tie_rule::half_even).bits == half(2048.0).bits);
static_assert(round_to_half(2049.0, tie_rule::half_away).bits == half(2050.0).bits);
static_assert(round_to_half(-2051.0, tie_rule::half_away).bits == half(-2052.0).bits);
static_assert(round_fixed(0x7FFFFFFF, 16, tie_rule::half_away).bits == half(32768.0).bits);
static_assert(round_fixed(-1, 24, tie_rule::half_even).bits == 0x8001);

TEST_CASE("every fp16 value rounds to itself, and NaN to infinity") {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const half value = half::from_bits(static_cast<std::uint16_t>(bits));
        for (const tie_rule ties : {tie_rule::half_even, tie_rule::half_away}) {
            const half rounded = round_to_half(static_cast<double>(value), ties);
            if (is_nan(value)) {
                CHECK(rounded.bits == 0x7C00);
            } else {
                CHECK(rounded.bits == (bits == 0x8000 ? 0 : bits));
            }
        }
    }
}

TEST_CASE("the middle between two neighbours follows the tie rule, its surroundings do not") {
    for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
        const double low = static_cast<double>(half::from_bits(static_cast<std::uint16_t>(bits)));
        const double high =
            bits == 0x7BFF ? 65536.0 : static_cast<double>(half::from_bits(static_cast<std::uint16_t>(bits + 1)));
        const double middle = (low + high) / 2;
        REQUIRE(round_to_half(middle, tie_rule::half_away).bits == bits + 1);
        REQUIRE(round_to_half(middle, tie_rule::half_even).bits == bits + bits % 2);
        REQUIRE(round_to_half(-middle, tie_rule::half_away).bits == bits + 1 + 0x8000);
        for (const tie_rule ties : {tie_rule::half_even, tie_rule::half_away}) {
            REQUIRE(round_to_half(std::nextafter(middle, 0.0), ties).bits == bits);
            REQUIRE(round_to_half(std::nextafter(middle, 1e9), ties).bits == bits + 1);
        }
    }
}

TEST_CASE("half to even agrees with the conversion of half, and both with a search") {
    std::mt19937_64 engine(20260101);
    std::uniform_real_distribution<double> exponent(-27.0, 17.0);
    for (int i = 0; i < 300; ++i) {
        const double value = std::exp2(exponent(engine)) * (engine() % 2 == 0 ? 1.0 : -1.0);
        CHECK(round_to_half(value, tie_rule::half_even) == half(value));
        CHECK(round_to_half(value, tie_rule::half_even) == nearest(value, tie_rule::half_even));
        CHECK(round_to_half(value, tie_rule::half_away) == nearest(value, tie_rule::half_away));
    }
}

TEST_CASE("fixed point rounds as the double of the same value") {
    std::mt19937_64 engine(20260102);
    for (int i = 0; i < 100000; ++i) {
        const auto value = static_cast<std::int64_t>(engine()) >> (12 + engine() % 50); // at most 52 bits
        const tie_rule ties = engine() % 2 == 0 ? tie_rule::half_even : tie_rule::half_away;
        for (const int bits : {16, 24, 40}) {
            REQUIRE(round_fixed(value, bits, ties).bits ==
                    round_to_half(std::ldexp(static_cast<double>(value), -bits), ties).bits);
        }
    }
}

TEST_CASE("add_to_odd makes a sum of a product and an offset round once") {
    // 1 * 2048 + (1 +- tiny): the double sum is the tie 2049 or its neighbour; only the exact sum tells.
    const double product = 2049.0;
    CHECK(round_to_half(add_to_odd(product, 0x1p-48), tie_rule::half_even).bits == half(2050.0).bits);
    CHECK(round_to_half(add_to_odd(product, -0x1p-48), tie_rule::half_away).bits == half(2048.0).bits);
    CHECK(round_to_half(add_to_odd(product, 0.0), tie_rule::half_even).bits == half(2048.0).bits);
    CHECK(round_to_half(add_to_odd(-product, -0x1p-48), tie_rule::half_even).bits == half(-2050.0).bits);
    CHECK(round_to_half(add_to_odd(-product, 0x1p-48), tie_rule::half_away).bits == half(-2048.0).bits);
}
