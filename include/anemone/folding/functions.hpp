#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../graph/op_facet.hpp"
#include "known_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// How constants are computed: each function once, in double precision and, where integers have integers as results,
/// exactly in 64 bits. Readers of files and `fold_constants` take them from here. Only bodies include this header.
namespace ane::folding::inline ANEMONE_WAY {

/// Computes an element from one or from two others. In integers it throws `refused` where the result is none of 64 bits.
template <class Number> using of_one = Number (*)(Number x);
template <class Number> using of_two = Number (*)(Number a, Number b);

/// A function in both arithmetics. Without `whole` it takes integers as real numbers.
struct function_of_one {
    of_one<double> real = nullptr;
    of_one<std::int64_t> whole = nullptr;
};
struct function_of_two {
    of_two<double> real = nullptr;
    of_two<std::int64_t> whole = nullptr;
};

/// Integers of 64 bits.
struct integers {
    ANEMONE_INLINE static void refuse_overflow [[noreturn]] (std::int64_t a, const char* sign, std::int64_t b) {
        throw refused{formatted("computes {} {} {}, beyond integers of 64 bits", a, sign, b)};
    }
    ANEMONE_INLINE static std::int64_t sum(std::int64_t a, std::int64_t b) {
        std::int64_t result = 0;
        return __builtin_add_overflow(a, b, &result) ? (refuse_overflow(a, "+", b), 0) : result;
    }
    ANEMONE_INLINE static std::int64_t difference(std::int64_t a, std::int64_t b) {
        std::int64_t result = 0;
        return __builtin_sub_overflow(a, b, &result) ? (refuse_overflow(a, "-", b), 0) : result;
    }
    ANEMONE_INLINE static std::int64_t product(std::int64_t a, std::int64_t b) {
        std::int64_t result = 0;
        return __builtin_mul_overflow(a, b, &result) ? (refuse_overflow(a, "*", b), 0) : result;
    }
    /// a / b, cut off.
    ANEMONE_INLINE static std::int64_t quotient(std::int64_t a, std::int64_t b) {
        if (b == 0) {
            throw refused{"divides integers by 0"};
        }
        return b == -1 ? difference(0, a) : a / b;
    }
    /// a - b (a / b): it has the sign of a.
    ANEMONE_INLINE static std::int64_t remainder(std::int64_t a, std::int64_t b) {
        return b == -1 ? 0 : a - quotient(a, b) * b;
    }
    ANEMONE_INLINE static std::int64_t modulo(std::int64_t a, std::int64_t b) {
        const std::int64_t rest = remainder(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    ANEMONE_INLINE static std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
        return quotient(a, b) - (remainder(a, b) != 0 && (a < 0) != (b < 0) ? 1 : 0);
    }
    ANEMONE_INLINE static std::int64_t power(std::int64_t a, std::int64_t b) {
        if (b < 0) {
            throw refused{formatted("raises the integer {} to the power {}", a, b)};
        }
        std::int64_t result = 1;
        for (std::int64_t base = a; b > 0; b /= 2) {
            result = b % 2 != 0 ? product(result, base) : result;
            base = b > 1 ? product(base, base) : base;
        }
        return result;
    }
};

// A row for each operation that is computed so; `Number` is double or an integer of 64 bits. What has no row is not
// computed in that arithmetic.

/// The four rules, powers and extremes, of which NaN is both, as in the kernels.
template <class Number> const op_facet<of_two<Number>>& arithmetic() {
    if constexpr (std::is_same_v<Number, double>) {
        static constexpr op_facet<of_two<double>> rows{
            {op::add, [](double a, double b) { return a + b; }},
            {op::sub, [](double a, double b) { return a - b; }},
            {op::mul, [](double a, double b) { return a * b; }},
            {op::div, [](double a, double b) { return a / b; }},
            {op::floor_div, [](double a, double b) { return std::floor(a / b); }},
            {op::pow, [](double a, double b) { return std::pow(a, b); }},
            {op::minimum, [](double a, double b) { return std::isnan(a) || a < b ? a : b; }},
            {op::maximum, [](double a, double b) { return std::isnan(a) || a > b ? a : b; }},
        };
        return rows;
    } else {
        static constexpr op_facet<of_two<Number>> rows{
            {op::add, integers::sum},
            {op::sub, integers::difference},
            {op::mul, integers::product},
            {op::floor_div, integers::floor_quotient},
            {op::pow, integers::power},
            {op::minimum, [](Number a, Number b) { return std::min(a, b); }},
            {op::maximum, [](Number a, Number b) { return std::max(a, b); }},
        };
        return rows;
    }
}

/// Comparisons and logic: 1 where it holds, else 0.
template <class Number> const op_facet<of_two<Number>>& conditions() {
    static constexpr op_facet<of_two<Number>> rows{
        {op::equal, [](Number a, Number b) -> Number { return a == b; }},
        {op::not_equal, [](Number a, Number b) -> Number { return a != b; }},
        {op::greater, [](Number a, Number b) -> Number { return a > b; }},
        {op::greater_equal, [](Number a, Number b) -> Number { return a >= b; }},
        {op::less, [](Number a, Number b) -> Number { return a < b; }},
        {op::less_equal, [](Number a, Number b) -> Number { return a <= b; }},
        {op::logical_and, [](Number a, Number b) -> Number { return a != 0 && b != 0; }},
        {op::logical_or, [](Number a, Number b) -> Number { return a != 0 || b != 0; }},
        {op::logical_xor, [](Number a, Number b) -> Number { return (a != 0) != (b != 0); }},
    };
    return rows;
}

/// Functions of one element. Those with a stabilizer are given x + epsilon.
template <class Number> const op_facet<of_one<Number>>& functions() {
    if constexpr (std::is_same_v<Number, double>) {
        static constexpr op_facet<of_one<double>> rows{
            {op::sqrt, [](double x) { return std::sqrt(x); }},
            {op::rsqrt, [](double x) { return 1.0 / std::sqrt(x); }},
            {op::inverse, [](double x) { return 1.0 / x; }},
            {op::exp, [](double x) { return std::exp(x); }},
            {op::log, [](double x) { return std::log(x); }},
            {op::sin, [](double x) { return std::sin(x); }},
            {op::cos, [](double x) { return std::cos(x); }},
            {op::abs, [](double x) { return std::fabs(x); }},
            {op::sign, [](double x) { return x > 0   ? 1.0
                                             : x < 0 ? -1.0
                                                     : x; }},
            {op::floor, [](double x) { return std::floor(x); }},
            {op::ceil, [](double x) { return std::ceil(x); }},
            {op::logical_not, [](double x) -> double { return x == 0; }},
        };
        return rows;
    } else {
        static constexpr op_facet<of_one<Number>> rows{
            {op::abs, [](Number x) { return x < 0 ? integers::difference(0, x) : x; }},
            {op::sign, [](Number x) -> Number { return (x > 0) - (x < 0); }},
            {op::floor, [](Number x) { return x; }},
            {op::ceil, [](Number x) { return x; }},
            {op::logical_not, [](Number x) -> Number { return x == 0; }},
        };
        return rows;
    }
}

/// The function of an operation that has a row above.
ANEMONE_INLINE function_of_one function_of(op kind) {
    return {functions<double>()[kind], functions<std::int64_t>()[kind]};
}
ANEMONE_INLINE function_of_two pair_function_of(op kind) {
    return is_binary(kind) ? function_of_two{arithmetic<double>()[kind], arithmetic<std::int64_t>()[kind]}
                           : function_of_two{conditions<double>()[kind], conditions<std::int64_t>()[kind]};
}

// Functions that the library has no operation for.

ANEMONE_INLINE function_of_one negation() {
    return {[](double x) { return -x; }, [](std::int64_t x) { return integers::difference(0, x); }};
}
/// The nearest integer, halves to even; `op::round` of the engine takes halves away from zero.
ANEMONE_INLINE function_of_one nearest_even() {
    return {[](double x) { return std::nearbyint(x); }, [](std::int64_t x) { return x; }};
}
/// The quotient; of integers cut off.
ANEMONE_INLINE function_of_two quotient() {
    return {[](double a, double b) { return a / b; }, integers::quotient};
}
/// a - b trunc(a / b), exactly: it has the sign of a.
ANEMONE_INLINE function_of_two remainder() {
    return {[](double a, double b) { return std::fmod(a, b); }, integers::remainder};
}
/// a - b floor(a / b), exactly: it has the sign of b.
ANEMONE_INLINE function_of_two modulo() {
    return {[](double a, double b) {
                const double rest = std::fmod(a, b);
                return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
            },
            integers::modulo};
}

/// A reduction: of no element `of_none`, of others by `step` from the first one on.
struct reduction {
    double of_none;
    function_of_two step;
};
ANEMONE_INLINE reduction sums() { return {0, pair_function_of(op::add)}; }
ANEMONE_INLINE reduction products() { return {1, pair_function_of(op::mul)}; }
ANEMONE_INLINE reduction maxima() { return {-HUGE_VAL, pair_function_of(op::maximum)}; }
ANEMONE_INLINE reduction minima() { return {HUGE_VAL, pair_function_of(op::minimum)}; }

} // namespace ane::folding::inline ANEMONE_WAY
