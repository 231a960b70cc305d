// Elementwise operations through whole graphs on the oracle: broadcasting, booleans, parameters for each channel, and
// the forms that lowering gives to functions which the engine computes wrong.

#include "../both_backends.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;

namespace {

std::vector<double> numbers(const both::dense& d) {
    std::vector<double> all;
    for (const half h : d.values) {
        all.push_back(static_cast<double>(h));
    }
    return all;
}

/// The only output of a graph on the oracle of M1 and of M6, and on the CPU.
template <class Check>
void each_machine(const dynamic_graph& g, const std::vector<both::dense>& inputs, const Check& check) {
    for (const target t : {h13, h18}) {
        check(numbers(both::run(g, ane::backend::oracle(t), inputs)[0]));
    }
    check(numbers(both::run(g, ane::backend::cpu{}, inputs)[0]));
}

} // namespace

TEST_CASE("comparisons, logical_not and select broadcast") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<2, 3>);
        auto v = b.input("v"_s, f16<2, 1>);
        auto row = b.input("row"_s, f16<3>);
        b.output("y"_s, select(logical_not(less(x, v)), row, x * 2));
    });
    const auto x = both::tensor_of({2, 3}, {1, 2, 3, -1, 0, 5});
    const auto v = both::tensor_of({2, 1}, {2, 0});
    const auto row = both::tensor_of({3}, {10, 20, 30});
    each_machine(g, {x, v, row}, [](const std::vector<double>& y) {
        CHECK(y == std::vector<double>{2, 20, 30, -2, 20, 30});
    });
    const dynamic_graph all = build_graph([](auto& b) {
        auto a = b.input("a"_s, f16<4>);
        auto c = b.input("c"_s, f16<4>);
        b.output("y"_s, to_f16(equal(a, c)) + 2 * to_f16(greater(a, c)) + 4 * to_f16(less_equal(a, c)) +
                            8 * to_f16(greater_equal(a, c)) + 16 * to_f16(not_equal(a, c)));
    });
    const half zero_below = half::from_bits(0x8000);
    const both::dense a({4}, {half(1.0), half(2.0), half(3.0), half(0.0)});
    const both::dense c({4}, {half(1.0), half(3.0), half(2.0), zero_below});
    each_machine(all, {a, c}, [](const std::vector<double>& y) { CHECK(y == std::vector<double>{13, 20, 26, 13}); });
}

TEST_CASE("one parameter for each channel") {
    const dynamic_graph slopes = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<2, 2, 2>);
        auto slope = b.input("slope"_s, f16<2>);
        b.output("y"_s, prelu(x, slope));
    });
    const auto x = both::tensor_of({2, 2, 2}, {-1, 1, -2, 2, -3, 3, -4, 4});
    each_machine(slopes, {x, both::tensor_of({2}, {0.5, 0.25})}, [](const std::vector<double>& y) {
        CHECK(y == std::vector<double>{-0.5, 1, -0.5, 2, -1.5, 3, -1, 4});
    });
    const dynamic_graph soft = build_graph([](auto& b) {
        auto in = b.input("x"_s, f16<1, 2, 2>);
        auto alpha = b.input("alpha"_s, f16<2>);
        auto beta = b.input("beta"_s, f16<2>);
        b.output("y"_s, parametric_softplus(in, alpha, beta));
    });
    each_machine(
        soft, {both::tensor_of({1, 2, 2}, {-1, 1, -1, 1}), both::tensor_of({2}, {1, 3}), both::tensor_of({2}, {2, 1})},
        [](const std::vector<double>& y) {
            const double expected[] = {std::log1p(std::exp(-2.0)), std::log1p(std::exp(2.0)),
                                       3 * std::log1p(std::exp(-1.0)), 3 * std::log1p(std::exp(1.0))};
            for (std::size_t i = 0; i < 4; ++i) {
                CHECK(y[i] == doctest::Approx(expected[i]).epsilon(4e-3));
            }
        });
}

TEST_CASE("softplus, round and a factor of floor are right where the engine's own forms are not") {
    const auto values = both::tensor_of({6}, {-1.25, 10, 12, 1024, 2001, 65504});
    const dynamic_graph soft = build_graph([](auto& b) { b.output("y"_s, softplus(b.input("x"_s, f16<6>))); });
    each_machine(soft, {values}, [](const std::vector<double>& y) {
        const double expected[] = {std::log1p(std::exp(-1.25)), 10, 12, 1024, 2001, 65504};
        for (std::size_t i = 0; i < 6; ++i) {
            CHECK(y[i] == doctest::Approx(expected[i]).epsilon(4e-3));
        }
    });
    const dynamic_graph nearest = build_graph([](auto& b) { b.output("y"_s, round(b.input("x"_s, f16<6>))); });
    each_machine(nearest, {values}, [](const std::vector<double>& y) {
        CHECK(y == std::vector<double>{-1, 10, 12, 1024, 2001, 65504});
    });
    const dynamic_graph scaled = build_graph([](auto& b) { b.output("y"_s, floor(b.input("x"_s, f16<6>)) * 0.5); });
    each_machine(scaled, {values}, [](const std::vector<double>& y) {
        CHECK(y == std::vector<double>{-1, 5, 6, 512, 1000.5, 32752});
    });
}

TEST_CASE("pow, floor_div, dropout and the trigonometric functions") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<4>);
        auto e = b.input("e"_s, f16<4>);
        b.output("power"_s, pow(x, e));
        b.output("quotient"_s, floor_div(x, 2));
        b.output("same"_s, dropout(x));
        b.output("sine"_s, sin(x));
        b.output("arc"_s, atan(x));
    });
    const auto x = both::tensor_of({4}, {0.5, 2, 3, 7});
    const auto e = both::tensor_of({4}, {2, 10, -1, 0.5});
    const auto y = both::run(g, ane::backend::oracle(h18), {x, e});
    for (std::size_t i = 0; i < 4; ++i) {
        const auto v = static_cast<double>(x.values[i]);
        CHECK(y[0].values[i] == half(std::pow(v, static_cast<double>(e.values[i]))));
        CHECK(static_cast<double>(y[1].values[i]) == std::floor(v / 2));
        CHECK(y[2].values[i] == x.values[i]);
        CHECK(std::fabs(static_cast<double>(y[3].values[i]) - std::sin(v)) <= 6.4e-4);
        CHECK(std::fabs(static_cast<double>(y[4].values[i]) - std::atan(v)) <= 0.02);
    }
}
