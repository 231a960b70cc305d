#include <anemone/numerics/accumulator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>

using namespace ane;
using namespace ane::numerics;

namespace {

constexpr half infinity = half::from_bits(0x7C00);

constexpr half sum_of(std::initializer_list<double> values, const datapath& path = {}) {
    accumulator sum(path);
    for (const double v : values) {
        sum.multiply_add(half(v), half(1.0));
    }
    return sum.result();
}

} // namespace

static_assert(sum_of({1.0, 2.0, 3.0}).bits == half(6.0).bits);

TEST_CASE("overflow is sticky, so the order shows") {
    CHECK(sum_of({20000, 20000, -20000, -20000}).bits == infinity.bits);
    CHECK(sum_of({-20000, -20000, 20000, 20000}).bits == 0xFC00);
    CHECK(sum_of({20000, -20000, 20000, -20000}).bits == 0);
}

TEST_CASE("the ceiling acts on the accumulator, not on the rounded result") {
    CHECK(sum_of({32752}).bits == half(32752.0).bits); // N040
    CHECK(sum_of({32768}).bits == infinity.bits);      // N041
    CHECK(sum_of({-32768}).bits == 0xFC00);
    CHECK(sum_of({32752, 8}).bits == half(32768.0).bits); // 32760 is a tie, away from zero
    CHECK(sum_of({32752, 7.99}).bits == half(32752.0).bits);
    CHECK(sum_of({32752, 15.992}).bits == half(32768.0).bits);
    CHECK(sum_of({32752, 16}).bits == infinity.bits);
    CHECK(sum_of({32752, -65504, 32752}).bits == 0); // a product beyond the range counts by its sum
}

TEST_CASE("without the ceiling the full range of fp16 remains") {
    datapath path;
    path.mac_ceiling = false;
    CHECK(sum_of({60000}, path).bits == half(60000.0).bits);
    CHECK(sum_of({40000, 40000, -40000}, path).bits == half(40000.0).bits);
    CHECK(sum_of({40000, 40000}, path).bits == infinity.bits);
}

TEST_CASE("exponent 31 is an ordinary exponent on the way in") {
    const auto product = [](std::uint16_t x, double w) {
        accumulator sum{datapath{}};
        sum.multiply_add(half::from_bits(x), half(w));
        return static_cast<double>(sum.result());
    };
    CHECK(product(0x7C00, 0x1p-2) == 0x1p14); // infinity is 2^16
    CHECK(product(0x7E00, 0x1p-2) == 1.5 * 0x1p14);
    CHECK(product(0x7C01, 0x1p-2) == (1.5 + 1.0 / 1024) * 0x1p14); // the quiet bit is set first
    CHECK(product(0xFC00, 0x1p-2) == -0x1p14);
    CHECK(product(0x7C00, 0.0) == 0.0);
}

TEST_CASE("products are gated by the sum of the exponents") {
    const auto raw = [](double x, double w, datapath path = {}) {
        accumulator sum(path);
        sum.multiply_add(half(x), half(w));
        return sum.raw();
    };
    CHECK(raw(0x1p-8, 0x1p-8) == 1);
    CHECK(raw(1.5 * 0x1p-8, 0x1p-8) == 2); // 1.5 units, a tie away from zero
    CHECK(raw(-1.5 * 0x1p-8, 0x1p-8) == -2);
    CHECK(raw(1.99 * 0x1p-8, 1.99 * 0x1p-9) == 0); // 1.98 units, but exponents -17
    CHECK(raw(0x1p-15, 1.0) == 2);                 // a subnormal has exponent -14
    CHECK(raw(0x1p-15, 0.5) == 1);
    CHECK(raw(0x1p-15, 0.25) == 1); // half a unit, -14 - 2
    CHECK(raw(0x1p-15, 0.125) == 0);
    CHECK(raw(0x1p-24, 1.0) == 0); // below half a unit
    CHECK(raw(0x1p-24, 32768.0) == 128);
    datapath first = datapath_of(family::a13);
    CHECK(raw(0x1p-15, 1.0, first) == 0); // N107
}

TEST_CASE("the bias is the first value of the sum") {
    CHECK(accumulator(datapath{}, half(3.5)).result().bits == half(3.5).bits);
    CHECK(accumulator(datapath{}, half(40000.0)).result().bits == infinity.bits);
    CHECK(accumulator(datapath{}, half(0x1p-17)).raw() == 1); // half away
    accumulator sum(datapath{}, half(-20000.0));
    sum.multiply_add(half(200.0), half(200.0));
    CHECK(sum.result().bits == half(20000.0).bits);
}

TEST_CASE("the result is the exact sum of the rounded products, whatever the order, below the ceiling") {
    constexpr std::uint32_t seed = 77;
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal(0.0, 2.0);
    for (int round = 0; round < 200; ++round) {
        std::array<std::pair<half, half>, 64> terms{};
        double exact = 0.0;
        for (auto& [x, w] : terms) {
            x = half(normal(engine));
            w = half(normal(engine));
            exact += std::round(static_cast<double>(x) * static_cast<double>(w) * 65536.0); // ties away
        }
        accumulator forward{datapath{}};
        for (const auto& [x, w] : terms) {
            forward.multiply_add(x, w);
        }
        std::shuffle(terms.begin(), terms.end(), engine);
        accumulator shuffled{datapath{}};
        for (const auto& [x, w] : terms) {
            shuffled.multiply_add(w, x);
        }
        CHECK(static_cast<double>(forward.raw()) == doctest::Approx(exact).epsilon(1e-6)); // the gate drops a few units
        CHECK(forward.raw() == shuffled.raw());
    }
}

TEST_CASE("int8 products add in 32 bits and turn to infinity") {
    integer_accumulator sum;
    for (int i = 0; i < 133144; ++i) {
        sum.multiply_add(127, 127);
    }
    CHECK(sum.raw() == 133144LL * 127 * 127);
    CHECK(static_cast<double>(sum.result(datapath{}, 0x1p-20F)) == doctest::Approx(2048.0).epsilon(0.001));
    sum.multiply_add(127, 127);
    sum.multiply_add(-127, 127);
    CHECK(sum.overflowed());
    CHECK(sum.result(datapath{}, 0x1p-20F).bits == infinity.bits);
}
