// The functions by which constants are computed: integers against arithmetic of 128 bits, real ones by their definitions.

#include <anemone/folding/functions.hpp>
#include <anemone/graph/constants.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

__extension__ using wide = __int128;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
const double no_number = std::numeric_limits<double>::quiet_NaN();

/// The result where it is one, nothing where it is refused.
template <class... Operands>
std::optional<std::int64_t> result(std::int64_t (*f)(Operands...), std::type_identity_t<Operands>... operands) {
    try {
        return f(operands...);
    } catch (const folding::refused& refused) {
        CHECK(refused.reason.size() > 10);
        return std::nullopt;
    }
}

std::optional<std::int64_t> narrowed(wide value) {
    return value < least || value > most ? std::nullopt : std::optional(static_cast<std::int64_t>(value));
}
wide floored(wide a, wide b) {
    const wide cut = a / b;
    return cut * b != a && (a < 0) != (b < 0) ? cut - 1 : cut;
}

std::int64_t whole(op kind, std::int64_t a, std::int64_t b) { return folding::pair_function_of(kind).whole(a, b); }
double real(op kind, double a, double b) { return folding::pair_function_of(kind).real(a, b); }

} // namespace

TEST_CASE("integers are computed exactly, or refused where 64 bits do not hold the result") {
    constexpr std::uint32_t seed = 20117;
    MESSAGE("seed ", seed);
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> numbers{0, 1, -1, 2, -2, 3, -7, most, least, most - 1, least + 1, std::int64_t{1} << 31};
    for (int i = 0; i < 40; ++i) {
        numbers.push_back(static_cast<std::int64_t>(random()) >> (random() % 63));
    }
    for (const std::int64_t a : numbers) {
        for (const std::int64_t b : numbers) {
            CAPTURE(a);
            CAPTURE(b);
            const wide x = a;
            const wide y = b;
            CHECK(result(folding::pair_function_of(op::add).whole, a, b) == narrowed(x + y));
            CHECK(result(folding::pair_function_of(op::sub).whole, a, b) == narrowed(x - y));
            CHECK(result(folding::pair_function_of(op::mul).whole, a, b) == narrowed(x * y));
            const auto quotient = [&](wide value) { return b == 0 ? std::nullopt : narrowed(value); };
            const wide by = b == 0 ? 1 : y;
            CHECK(result(folding::quotient().whole, a, b) == quotient(x / by));
            CHECK(result(folding::pair_function_of(op::floor_div).whole, a, b) == quotient(floored(x, by)));
            CHECK(result(folding::remainder().whole, a, b) == quotient(x % by));
            CHECK(result(folding::modulo().whole, a, b) == quotient(x - by * floored(x, by)));
            CHECK(whole(op::minimum, a, b) == (x < y ? a : b));
            CHECK(whole(op::maximum, a, b) == (x > y ? a : b));
            CHECK(whole(op::less, a, b) == (x < y));
            CHECK(whole(op::equal, a, b) == (x == y)); // as doubles 2^63 - 1 and 2^63 - 2 are equal
        }
        const wide x = a;
        CHECK(result(folding::negation().whole, a) == narrowed(-x));
        CHECK(result(folding::function_of(op::abs).whole, a) == narrowed(x < 0 ? -x : x));
        CHECK(folding::function_of(op::sign).whole(a) == (x > 0) - (x < 0));
    }
}

TEST_CASE("powers of integers are products") {
    for (std::int64_t a = -12; a <= 12; ++a) {
        wide power = 1;
        bool fits = true;
        for (std::int64_t b = 0; b <= 70; ++b) {
            CAPTURE(a);
            CAPTURE(b);
            CHECK(result(folding::pair_function_of(op::pow).whole, a, b) ==
                  (fits ? std::optional(static_cast<std::int64_t>(power)) : std::nullopt));
            power = fits ? power * a : power;
            fits = fits && narrowed(power);
        }
        CHECK(result(folding::pair_function_of(op::pow).whole, a, -1) == std::nullopt);
    }
    CHECK(result(folding::pair_function_of(op::pow).whole, 2, most) == std::nullopt); // and ends at once
    CHECK(whole(op::pow, -1, most) == -1);
}

TEST_CASE("NaN is the smaller and the larger of any two, as in the kernels") {
    for (const op kind : {op::minimum, op::maximum}) {
        CHECK(std::isnan(real(kind, no_number, 1)));
        CHECK(std::isnan(real(kind, 1, no_number)));
        CHECK(std::isnan(real(kind, -HUGE_VAL, no_number)));
    }
    CHECK(real(op::maximum, -HUGE_VAL, 3) == 3);
    CHECK(real(op::minimum, 2, 3) == 2);
}

TEST_CASE("a modulus has the sign of the divisor and is below it, however the quotient rounds") {
    const auto modulo = folding::modulo().real;
    CHECK(modulo(7, 3) == 1);
    CHECK(modulo(-7, 3) == 2);
    CHECK(modulo(7, -3) == -2);
    CHECK(modulo(-7, -3) == -1);
    CHECK(modulo(1, 0.1) ==
          std::fma(-9, 0.1, 1)); // floor(1 / 0.1) is 10 in double precision: a - 10 b would be below 0
    CHECK(std::isnan(modulo(1, 0)));
    CHECK(folding::remainder().real(-7, 3) == -1);
    constexpr std::uint32_t seed = 431;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    for (int i = 0; i < 20'000; ++i) {
        const double a = std::ldexp(static_cast<double>(random()) - 2147483648.0, static_cast<int>(random() % 60) - 60);
        const double b = std::ldexp(static_cast<double>(random()) + 1, static_cast<int>(random() % 40) - 50);
        const double rest = modulo(a, b);
        CAPTURE(a);
        CAPTURE(b);
        CHECK((rest >= 0 && rest <= b)); // b itself where -tiny + b rounds to it
    }
}

TEST_CASE("functions of real numbers are those of the definitions") {
    const auto f = [](op kind, double x) { return folding::function_of(kind).real(x); };
    CHECK(f(op::sqrt, 2) == std::sqrt(2.0));
    CHECK(f(op::rsqrt, 16) == 0.25);
    CHECK(f(op::inverse, 8) == 0.125);
    CHECK(f(op::sign, -0.5) == -1);
    CHECK(f(op::sign, 0.0) == 0);
    CHECK(std::isnan(f(op::sign, no_number)));
    CHECK(f(op::floor, -1.5) == -2);
    CHECK(f(op::ceil, -1.5) == -1);
    CHECK(f(op::logical_not, 0) == 1);
    CHECK(f(op::logical_not, no_number) == 0);
    CHECK(folding::nearest_even().real(2.5) == 2);
    CHECK(folding::nearest_even().real(-3.5) == -4);
    CHECK(real(op::floor_div, -7, 2) == -4);
    CHECK(real(op::logical_xor, 2, 3) == 0);
    CHECK(real(op::not_equal, no_number, no_number) == 1);
}

TEST_CASE("every operation that a program folds in double precision has its row, and movement has none") {
    int rows = 0;
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (!folds_unrounded(kind) || kind == op::reshape || kind == op::transpose) {
            continue;
        }
        CAPTURE(name(kind));
        CHECK((is_binary(kind) ? folding::arithmetic<double>()[kind] != nullptr
                               : folding::functions<double>()[kind] != nullptr));
        ++rows;
    }
    CHECK(rows == 12); // eight of two operands, four functions
}
