// floor_div of whole numbers, which a quotient by way of a reciprocal gives one off: as it is written for the engine.

#include "../both_backends.hpp"
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;

namespace {

/// Every whole number below 2048 in magnitude.
both::dense dividends() {
    both::dense all({4095, 1});
    for (int i = 0; i < 4095; ++i) {
        all.values[static_cast<std::size_t>(i)] = half(static_cast<double>(i - 2047));
    }
    return all;
}

/// How many quotients are not the floor of the exact one.
int wrong_quotients(const both::dense& a, const std::vector<double>& divisors, const both::dense& y) {
    int wrong = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        for (std::size_t k = 0; k < divisors.size(); ++k) {
            const double exact = std::floor(static_cast<double>(a.values[i]) / divisors[k]);
            wrong += static_cast<double>(y.values[i * divisors.size() + k]) != exact ? 1 : 0;
        }
    }
    return wrong;
}

const std::vector<double> divisors{1,   2,   3,   5,   6,   7,   9,    10,   11,   13,   29, 31, 49, 60,  93,  99,
                                   100, 127, 255, 341, 683, 999, 1000, 1023, 1365, 2047, -1, -3, -7, -10, -49, -2047};

} // namespace

TEST_CASE("floor_div: every quotient of whole numbers below 2048 is exact, on each machine") {
    dynamic_builder b;
    const auto many = static_cast<std::int64_t>(divisors.size());
    b.output("y", b.add(op::floor_div, {b.input("a", {4095, 1}), b.input("b", {1, many})}));
    const dynamic_graph g = b.finish();
    const both::dense a = dividends();
    both::dense below({1, many});
    for (std::size_t k = 0; k < divisors.size(); ++k) {
        below.values[k] = half(divisors[k]);
    }
    for (const target t : {h12, h13, h14, h16, h17s, h18}) {
        CAPTURE(name(t));
        CHECK(wrong_quotients(a, divisors, both::run(g, ane::backend::oracle(t), {a, below})[0]) == 0);
    }
    // The layer that a file asks for is what it is: one off.
    const auto own = ane::backend::oracle(h13).layers(layer_forms::own);
    CHECK(wrong_quotients(a, divisors, both::run(g, own, {a, below})[0]) > 0);
}

TEST_CASE("floor_div by constants: a number, and one for each column") {
    for (const std::vector<float>& by : {std::vector<float>{3}, {49}, {-7}, {7, 10, 683}, {7, -10, 683}}) {
        dynamic_builder b;
        const extents shape = by.size() == 1 ? extents{} : extents{static_cast<std::int64_t>(by.size())};
        b.output("y", b.add(op::floor_div, {b.input("a", {4095, 1}), b.constant(shape, by)}));
        const dynamic_graph g = b.finish();
        const both::dense a = dividends();
        for (const target t : {h13, h18}) {
            const auto y = both::run(g, ane::backend::oracle(t), {a});
            CHECK(wrong_quotients(a, {by.begin(), by.end()}, y[0]) == 0);
        }
    }
}

TEST_CASE("floor_div by zero stays what a product with an infinite reciprocal is") {
    dynamic_builder b;
    b.output("y", b.add(op::floor_div, {b.input("a", {3}), b.input("b", {3})}));
    const dynamic_graph g = b.finish();
    const auto a = both::tensor_of({3}, {5, -5, 0});
    const auto zeros = both::tensor_of({3}, {0, 0, 0});
    for (const target t : {h13, h18}) {
        const auto y = both::run(g, ane::backend::oracle(t), {a, zeros})[0];
        CHECK(y.values[0].bits == 0x7C00);
        CHECK(y.values[1].bits == 0xFC00);
        CHECK(y.values[2].bits == 0);
    }
}

TEST_CASE("floor_div is written without an operation of that name, whose rounding is not known") {
    dynamic_builder b;
    b.output("y", b.add(op::floor_div, {b.input("a", {2, 3}), b.constant({}, std::vector<float>{3})}));
    const dynamic_graph g = b.finish();
    for (const node& n : lower(g).graph.nodes) {
        CHECK(n.kind != op::floor_div);
    }
    int kept = 0;
    for (const node& n : lower(g, {}, layer_forms::own).graph.nodes) {
        kept += n.kind == op::floor_div ? 1 : 0;
    }
    CHECK(kept == 1);
}
