#include <anemone/fmt.hpp>
#include <anemone/values/half.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>

using namespace ane;

namespace {

/// The value of a pattern by the definition (-1)^s 2^(e-15) (1 + m / 1024), in double.
double by_definition(unsigned bits) {
    const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
    const int e = static_cast<int>((bits >> 10U) & 31U);
    const double m = bits & 1023U;
    return e == 0 ? sign * std::ldexp(m, -24) : sign * std::ldexp(1 + m / 1024, e - 15);
}

/// Nearest pattern, ties to even, found by searching the ordered line of finite values.
std::uint16_t by_search(double x) {
    const double magnitude = std::fabs(x);
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    if (magnitude >= 65520.0) {
        return static_cast<std::uint16_t>(sign | 0x7C00);
    }
    unsigned low = 0;
    unsigned high = 0x7BFF;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (by_definition(middle) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - by_definition(low);
    const double above = by_definition(high) - magnitude;
    const bool up = above < below || (above == below && (high & 1U) == 0);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
}

} // namespace

TEST_CASE("every pattern decodes to its defined value and encodes back to itself") {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const half h = half::from_bits(static_cast<std::uint16_t>(bits));
        if (is_finite(h)) {
            REQUIRE(static_cast<double>(h) == by_definition(bits));
            REQUIRE(std::signbit(static_cast<float>(h)) == ((bits & 0x8000U) != 0));
        } else {
            REQUIRE(std::isnan(static_cast<float>(h)) == is_nan(h));
            REQUIRE(std::isinf(static_cast<float>(h)) == is_infinite(h));
        }
        if (!is_nan(h)) {
            REQUIRE(half(static_cast<float>(h)).bits == bits);
            REQUIRE(half(static_cast<double>(h)).bits == bits);
        } else {
            REQUIRE(is_nan(half(static_cast<float>(h))));
        }
    }
}

TEST_CASE("conversion rounds half to even everywhere") {
    // Exactly between every two neighbours, and one double to each side of it.
    for (unsigned bits = 0; bits < 0x7BFF; ++bits) {
        const double middle = (by_definition(bits) + by_definition(bits + 1)) / 2;
        const unsigned even = (bits & 1U) == 0 ? bits : bits + 1;
        REQUIRE(half(middle).bits == even);
        REQUIRE(half(std::nextafter(middle, 0.0)).bits == bits);
        REQUIRE(half(std::nextafter(middle, 1e9)).bits == bits + 1);
        REQUIRE(half(-middle).bits == (even | 0x8000U));
    }
    const unsigned seed = 20261120;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(-30, 17);
    std::uniform_real_distribution<double> fraction(-2, 2);
    for (int i = 0; i < 200000; ++i) {
        const double x = std::ldexp(fraction(random), static_cast<int>(exponent(random)));
        INFO("x " << x);
        REQUIRE(half(x).bits == by_search(x));
    }
}

TEST_CASE("the ends of the range") {
    static_assert(half(65504.0).bits == 0x7BFF);
    static_assert(half(65519.999).bits == 0x7BFF);
    static_assert(half(65520.0).bits == 0x7C00);
    static_assert(half(1e300).bits == 0x7C00);
    static_assert(half(0x1p-24).bits == 1);
    static_assert(half(0x1p-25).bits == 0);
    static_assert(half(0x1.000001p-25).bits == 1);
    static_assert(half(-0.0).bits == 0x8000);
    CHECK(half(std::numeric_limits<double>::infinity()).bits == 0x7C00);
    CHECK(is_nan(half(std::numeric_limits<double>::quiet_NaN())));
}

TEST_CASE("literals, limits and order") {
    static_assert((1.5_h).bits == 0x3E00);
    static_assert((2_h).bits == 0x4000);
    using limits = std::numeric_limits<half>;
    static_assert(static_cast<double>(limits::max()) == 65504);
    static_assert(static_cast<double>(limits::min()) == 0x1p-14);
    static_assert(static_cast<double>(limits::denorm_min()) == 0x1p-24);
    static_assert(static_cast<double>(limits::epsilon()) == 0x1p-10);
    static_assert(half(-0.0) == half(0.0));
    static_assert(half(-1.0) < half(1.0));
    CHECK_FALSE(limits::quiet_NaN() == limits::quiet_NaN());
    static_assert(ulp_distance(half(1.0), half(1.0 + 0x1p-10)) == 1);
    static_assert(ulp_distance(half::from_bits(0x8001), half::from_bits(0x0001)) == 2);
}

TEST_CASE("a half prints as its value") {
    CHECK(fmt::format("{}", 1.5_h) == "1.5");
    CHECK(fmt::format("{:.3f}", half(-2.0)) == "-2.000");
    CHECK(fmt::format("{}", std::numeric_limits<half>::infinity()) == "inf");
}
