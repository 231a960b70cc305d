#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/statistics.hpp>
#include <anemone/weights/verify.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace ane;

namespace {

stored_tensor tensor_of(const extents& shape, const std::vector<float>& values) {
    weight_store store;
    store.add("w", shape, std::span<const float>(values));
    return store.at("w");
}

/// What a compiler reads out of the printed initializer.
tensor_statistics read_back(const std::string& text) {
    const auto field = [&](const std::string& name) {
        const std::size_t at = text.find("." + name + " = ");
        REQUIRE(at != std::string::npos);
        return std::strtod(text.c_str() + at + name.size() + 4, nullptr);
    };
    return {field("low"), field("high"), field("row_l1"), field("column_l1"), field("deviation")};
}

bool keeps(const contract& promise, const stored_tensor& tensor) {
    try {
        detail::verify_promise(tensor.name, promise, tensor.shape, to_half(tensor));
        return true;
    } catch (const error&) {
        return false;
    }
}

} // namespace

TEST_CASE("statistics: of a small matrix, by hand") {
    const tensor_statistics s = statistics_of(tensor_of({2, 3}, {1, -2, 3, -0.5F, 0.25F, 0}));
    CHECK(s.low == -2);
    CHECK(s.high == 3);
    CHECK(s.row_l1 == 6);
    CHECK(s.column_l1 == 3);
    CHECK(s.deviation == doctest::Approx(std::sqrt(14.3125 / 6)));
}

TEST_CASE("statistics: rows and columns of a tensor of rank four, by hand") {
    // [O 2, I 3, 1, 2]: element (o, i, 0, k) = (10 o + i + 1) / 4.
    std::vector<float> values;
    for (int o = 0; o < 2; ++o) {
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 2; ++k) {
                values.push_back(static_cast<float>(10 * o + i + 1) / 4 * (k == 0 ? 1.0F : -1.0F));
            }
        }
    }
    const std::vector<half> halves = to_half(tensor_of({2, 3, 1, 2}, values));
    CHECK(l1_sums({2, 3, 1, 2}, halves, 0) == std::vector<double>{3, 18});
    CHECK(l1_sums({2, 3, 1, 2}, halves, 1) == std::vector<double>{6, 7, 8});
}

TEST_CASE("statistics: a vector's rows are its elements, its column is all of it; a scalar is both") {
    const tensor_statistics v = statistics_of(tensor_of({3}, {1, -4, 2}));
    CHECK(v.row_l1 == 4);
    CHECK(v.column_l1 == 7);
    const tensor_statistics s = statistics_of(tensor_of({}, {-3}));
    CHECK(s.row_l1 == 3);
    CHECK(s.column_l1 == 3);
    CHECK(s.deviation == 3);
}

TEST_CASE("statistics: of no elements are zero") {
    CHECK(statistics_of(tensor_of({0, 4}, {})).row_l1 == 0);
    CHECK(statistics_of(tensor_of({4, 0}, {})).column_l1 == 0);
    CHECK(print(statistics_of(tensor_of({0}, {}))) ==
          "{.low = 0.0, .high = 0.0, .row_l1 = 0.0, .column_l1 = 0.0, .deviation = 0.0}");
}

TEST_CASE("statistics: there is no negative zero") {
    const tensor_statistics s = statistics_of(tensor_of({1}, {-0.0F}));
    CHECK_FALSE(std::signbit(s.low));
    CHECK_FALSE(std::signbit(s.high));
}

TEST_CASE("statistics: are of the values after rounding to fp16") {
    const tensor_statistics s = statistics_of(tensor_of({1}, {0.1F})); // fp16: 1638 * 2^-14
    CHECK(s.high == 1638.0 / 16384);
    CHECK_THROWS_AS(statistics_of(tensor_of({1}, {70000.0F})), error);
    CHECK_THROWS_AS(statistics_of(tensor_of({1}, {std::numeric_limits<float>::quiet_NaN()})), error);
}

TEST_CASE("statistics: sums are exact, large and small together") {
    // 2^15 values of 2^-24 vanish in single precision beside 65504.
    std::vector<float> values(32769, std::ldexp(1.0F, -24));
    values[7] = 65504;
    const tensor_statistics s = statistics_of(tensor_of({1, 32769}, values));
    CHECK(s.row_l1 == 65504 + std::ldexp(1.0, -9));
}

TEST_CASE("statistics: a tensor keeps the contract that its printed statistics make, and no tighter one") {
    const std::uint32_t seed = 20240611;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 500; ++round) {
        const auto extent = [&] { return static_cast<std::int64_t>(1 + random() % 5); };
        extents shape;
        const int rank = static_cast<int>(random() % 5);
        for (int axis = 0; axis < rank; ++axis) {
            shape.append(extent());
        }
        std::normal_distribution<float> normal(0, std::ldexp(1.0F, static_cast<int>(random() % 30) - 20));
        std::vector<float> values(static_cast<std::size_t>(shape.count()));
        for (float& value : values) {
            value = normal(random);
        }
        CAPTURE(round);
        const stored_tensor tensor = tensor_of(shape, values);
        const contract promise = bounded_by(read_back(print(statistics_of(tensor))));
        CHECK(keeps(promise, tensor));
        if (promise.row_l1 == 0) {
            continue; // everything was rounded to zero
        }
        const auto tighter = [&](double contract::*member, double factor) {
            contract changed = promise;
            changed.*member *= factor;
            return changed;
        };
        CHECK_FALSE(keeps(tighter(&contract::row_l1, 1 - 1e-12), tensor));
        CHECK_FALSE(keeps(tighter(&contract::column_l1, 1 - 1e-12), tensor));
        CHECK_FALSE(keeps(tighter(&contract::deviation, 0.98), tensor));
        if (promise.high > std::ldexp(1.0, -10)) {
            CHECK_FALSE(keeps(tighter(&contract::high, 1 - 1.0 / 512), tensor)); // two fp16 steps, or four
        }
    }
}

TEST_CASE("statistics of values that are not those of the shape are refused") {
    const std::vector<half> halves(6, half(1.0));
    const std::int64_t far = std::int64_t{1} << 62;
    for (const extents& shape :
         {extents{2, 4}, extents{5}, extents{}, extents{6, 0}, extents{-2, -3}, extents{far, far}}) {
        CHECK_THROWS_AS(statistics_of(shape, halves), error);
        CHECK_THROWS_AS(l1_sums(shape, halves, 0), error);
    }
    CHECK_THROWS_WITH(statistics_of({2, 4}, halves), "argument: statistics: 6 values are given for the shape [2, 4]");
    CHECK_THROWS_AS(l1_sums({2, 3}, halves, -1), error);
    extents wide{2, 3};
    wide.rank = 9;
    CHECK_THROWS_AS(statistics_of(wide, halves), error);
    CHECK(statistics_of({2, 3}, halves).row_l1 == 3);
}
