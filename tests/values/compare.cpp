#include <anemone/values/compare.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

using namespace ane;

namespace {

std::vector<half> of_bits(std::initializer_list<std::uint16_t> all) {
    std::vector<half> values;
    for (const std::uint16_t bits : all) {
        values.push_back(half::from_bits(bits));
    }
    return values;
}

constexpr std::uint16_t one = 0x3C00;
constexpr std::uint16_t two = 0x4000;
constexpr std::uint16_t infinity = 0x7C00;
constexpr std::uint16_t minus_infinity = 0xFC00;
constexpr std::uint16_t quiet_nan = 0x7E00;
constexpr std::uint16_t largest = 0x7BFF;

} // namespace

TEST_CASE("compare: equal bits") {
    const auto a = of_bits({one, two, 0, 0x8000, infinity, minus_infinity, quiet_nan, 0x0001});
    const difference d = compare(a, a);
    CHECK(d.same_bits);
    CHECK(d.identical());
    CHECK(d.max_abs == 0);
    CHECK(d.max_ulp == 0);
    CHECK(d.cosine == doctest::Approx(1).epsilon(1e-15));
}

TEST_CASE("compare: no elements") {
    const difference d = compare({}, {});
    CHECK(d.same_bits);
    CHECK(d.max_abs == 0);
    CHECK(d.max_ulp == 0);
    CHECK(d.cosine == 1);
}

TEST_CASE("compare: zeros of both signs are equal values of other bits") {
    const difference d = compare(of_bits({one, 0x0000}), of_bits({one, 0x8000}));
    CHECK_FALSE(d.same_bits);
    CHECK_FALSE(d.identical());
    CHECK(d.max_abs == 0);
    CHECK(d.max_ulp == 0);
    CHECK(d.cosine == 1);
}

TEST_CASE("compare: NaN of two payloads are one value of other bits") {
    for (const std::uint16_t other : {std::uint16_t{0x7E01}, std::uint16_t{0xFE00}, std::uint16_t{0x7C01}}) {
        const difference d = compare(of_bits({quiet_nan, one}), of_bits({other, one}));
        CHECK_FALSE(d.same_bits);
        CHECK(d.max_abs == 0);
        CHECK(d.max_ulp == 0);
        CHECK(d.cosine == 1);
    }
}

TEST_CASE("compare: NaN on one side") {
    for (const std::uint16_t other : {std::uint16_t{0}, one, infinity}) {
        const difference d = compare(of_bits({quiet_nan, two}), of_bits({other, two}));
        CHECK_FALSE(d.same_bits);
        CHECK(std::isinf(d.max_abs));
        CHECK(d.max_ulp == 65536);
        CHECK(d.cosine == 1); // of the second elements
    }
}

TEST_CASE("compare: infinities") {
    const difference beyond = compare(of_bits({largest, one}), of_bits({infinity, one}));
    CHECK_FALSE(beyond.same_bits);
    CHECK(std::isinf(beyond.max_abs));
    CHECK(beyond.max_ulp == 1);
    CHECK(beyond.cosine == 1);
    const difference opposite = compare(of_bits({infinity}), of_bits({minus_infinity}));
    CHECK(std::isinf(opposite.max_abs));
    CHECK(opposite.max_ulp == 2 * 0x7C00);
    CHECK(opposite.cosine == 1); // nothing is left to differ
}

TEST_CASE("compare: one step, and the cosine of known vectors") {
    const difference step = compare(of_bits({one, two}), of_bits({one + 1, two}));
    CHECK_FALSE(step.same_bits);
    CHECK(step.max_abs == std::ldexp(1.0, -10));
    CHECK(step.max_ulp == 1);
    CHECK(compare(of_bits({one, 0}), of_bits({one, one})).cosine == doctest::Approx(std::sqrt(0.5)));
    CHECK(compare(of_bits({one, 0}), of_bits({0, one})).cosine == 0);
    CHECK(compare(of_bits({one}), of_bits({0xBC00})).cosine == -1);
    CHECK(compare(of_bits({0, 0}), of_bits({0, 0})).cosine == 1);
    CHECK(compare(of_bits({0, 0}), of_bits({one, 0})).cosine == 0);
    CHECK(compare(of_bits({0x0001, 0}), of_bits({0x0001, 0})).cosine == 1); // the smallest number
}

TEST_CASE("compare: numbers of elements that differ") {
    try {
        static_cast<void>(compare(of_bits({one}), of_bits({one, two})));
        FAIL("nothing was thrown");
    } catch (const error& e) {
        CHECK(e.code() == errc::argument);
        CHECK(e.subject() == "compare");
    }
}
