#include <anemone/numerics/pooling.hpp>
#include <anemone/numerics/reduction.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

using namespace ane;
using namespace ane::numerics;

namespace {

using halves = std::vector<half>;

double sum(const datapath& path, const halves& x) {
    return static_cast<double>(reduce(path, op::reduce_sum, x.data(), static_cast<std::int64_t>(x.size()), 1));
}

halves repeated(std::initializer_list<double> pattern, int times) {
    halves out;
    for (int i = 0; i < times; ++i) {
        for (const double v : pattern) {
            out.push_back(half(v));
        }
    }
    return out;
}

const datapath m1 = datapath_of(family::a13);

} // namespace

TEST_CASE("the published sums of M1, with each reading of the alignment") {
    for (const alignment_rule rule : {alignment_rule::truncate, alignment_rule::floor, alignment_rule::half_even}) {
        datapath path = m1;
        path.reduction_alignment = rule;
        CHECK(sum(path, repeated({1}, 16000)) == 16000); // N001
        CHECK(sum(path, repeated({1}, 16384)) == 16384); // N002, on M5
        halves large = repeated({1}, 1025);
        large[0] = half(4096.0);
        CHECK(sum(path, large) == 5116); // N003
        halves larger = repeated({1}, 17);
        larger[0] = half(8192.0);
        CHECK(sum(path, larger) == 8208);                                                           // N004
        for (const double b : {1024.0, 3000.0, 4000.0, 4090.0, 4096.0, 8000.0, 16000.0, 30000.0}) { // N005, N01_*
            CAPTURE(b);
            CHECK(sum(path, repeated({b, -b, 1}, 16)) == (b < 4096 ? 16 : 4));
            CHECK(sum(path, repeated({b, 1, -b}, 16)) == (b < 4096 ? 16 : 4));
        }
        CHECK(sum(path, repeated({16000, -16000, 1}, 1)) == 1); // N018
    }
}

TEST_CASE("eleven or thirteen significant bits do not meet them") {
    for (const int bits : {11, 13}) {
        datapath path = m1;
        path.reduction_significand_bits = bits;
        halves large = repeated({1}, 1025);
        large[0] = half(4096.0);
        const bool meets = sum(path, large) == 5116 && sum(path, repeated({4090, -4090, 1}, 16)) == 16 &&
                           sum(path, repeated({4096, -4096, 1}, 16)) == 4;
        CHECK_FALSE(meets);
    }
}

TEST_CASE("a tie goes to even on M1 and away from zero later") {
    const halves x = {half(256.0), half(256.0), half(256.0), half(256.0),
                      half(256.0), half(256.0), half(256.0), half(257.0)};
    CHECK(sum(m1, x) == 2048);                       // N030
    CHECK(sum(datapath_of(family::a14), x) == 2050); // N032
    CHECK(sum(datapath_of(family::a17), x) == 2050); // N031
    CHECK(sum(datapath_of(family::a18), x) == 2050);
}

TEST_CASE("a sum has the full range of fp16") {
    CHECK(sum(m1, repeated({16376}, 4)) == 65504); // N044
    CHECK(std::isinf(sum(m1, repeated({16384}, 4))));
    CHECK(sum(m1, repeated({-16376}, 4)) == -65504);
    CHECK(sum(m1, repeated({60000, 60000, -60000, -60000}, 3)) == 0);
}

TEST_CASE("infinities and NaN") {
    const half infinity = half::from_bits(0x7C00);
    CHECK(sum(m1, {infinity, half(1.0)}) == INFINITY);
    CHECK(sum(m1, {-infinity, half(1.0)}) == -INFINITY);
    CHECK(sum(m1, {-infinity, infinity}) == 0);
    CHECK(sum(m1, {half::from_bits(0xFE00), half(1.0)}) == INFINITY);
}

TEST_CASE("a mean scales the wide sum or the stored one") {
    datapath path;
    const halves x = repeated({4000}, 64);
    CHECK(static_cast<double>(reduce(path, op::reduce_mean, x.data(), 64, 1)) == 4000);
    path.mean = mean_rule::scale_stored_sum;
    CHECK(std::isinf(static_cast<double>(reduce(path, op::reduce_mean, x.data(), 64, 1))));
    const halves y = repeated({1, 2, 3, 4}, 2);
    CHECK(static_cast<double>(reduce(path, op::reduce_mean, y.data(), 8, 1)) == 2.5);
    CHECK(static_cast<double>(reduce(path, op::reduce_mean, y.data(), 4, 2)) == 2);
}

TEST_CASE("a sum is within the alignment's error of the exact one, and exact for small whole numbers") {
    constexpr std::uint32_t seed = 5;
    INFO("seed " << seed);
    std::mt19937 engine(seed);
    std::normal_distribution<double> normal(0.0, 10.0);
    for (int round = 0; round < 300; ++round) {
        halves x(1 + engine() % 500);
        double exact = 0.0;
        double magnitude = 0.0;
        for (half& v : x) {
            v = half(round % 2 == 0 ? normal(engine) : std::round(normal(engine)));
            exact += static_cast<double>(v);
            magnitude += std::fabs(static_cast<double>(v));
        }
        const double got = sum(datapath{}, x);
        const double rounding = std::fabs(exact) * 0x1p-11;
        CHECK(std::fabs(got - exact) <= rounding + (round % 2 == 0 ? magnitude * 0x1p-10 : 0.0) + 1e-9);
    }
}

TEST_CASE("maxima, minima and their places") {
    const halves x = {half(1.0), half::from_bits(0x7E00), half(-3.0), half(7.0), half(-3.0)};
    const datapath path;
    CHECK(reduce(path, op::reduce_max, x.data(), 5, 1).bits == 0x7C00);
    CHECK(reduce(path, op::reduce_min, x.data(), 5, 1) == half(-3.0));
    CHECK(reduce(path, op::reduce_max, x.data(), 3, 2) == half(1.0));
    CHECK(arg_reduce(path, op::arg_max, x.data(), 5, 1) == 1);
    CHECK(arg_reduce(path, op::arg_min, x.data(), 5, 1) == 2);
    CHECK(arg_reduce(path, op::arg_max, x.data(), 3, 2) == 0);
}

TEST_CASE("what is refused") {
    const half x[1] = {half(1.0)};
    const datapath path;
    CHECK_THROWS_AS(reduce(path, op::add, x, 1, 1), error);
    CHECK_THROWS_AS(reduce(path, op::reduce_max, x, 0, 1), error);
    CHECK_THROWS_AS(reduce(path, op::reduce_mean, x, 0, 1), error);
    CHECK_THROWS_AS(arg_reduce(path, op::arg_max, x, 0, 1), error);
    CHECK_THROWS_AS(arg_reduce(path, op::reduce_max, x, 1, 1), error);
    CHECK_THROWS_AS(reduce(path, op::reduce_sum, x, longest_reduction + 1, 0), error);
    CHECK(static_cast<double>(reduce(path, op::reduce_sum, x, 0, 1)) == 0);
    half out[1];
    CHECK_THROWS_AS(numerics::pool(path, op::add, pool_shape{}, x, out), error);
}

TEST_CASE("pooling") {
    // 3 x 3 input, 2 x 2 window, stride 1, one row and column of padding before.
    const halves x = {half(1.0), half(2.0), half(3.0), half(4.0), half(5.0),
                      half(6.0), half(7.0), half(8.0), half(-9.0)};
    numerics::pool_shape s;
    s.in_height = s.in_width = s.out_height = s.out_width = 3;
    s.kernel_height = s.kernel_width = 2;
    s.pad_top = s.pad_left = 1;
    halves out(9);
    const datapath path;
    numerics::pool(path, op::max_pool, s, x.data(), out.data());
    const double maxima[9] = {1, 2, 3, 4, 5, 6, 7, 8, 8};
    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(static_cast<double>(out[i]) == maxima[i]);
    }
    numerics::pool(path, op::avg_pool, s, x.data(), out.data());
    CHECK(static_cast<double>(out[0]) == 0.25);
    CHECK(static_cast<double>(out[1]) == 0.75);
    CHECK(static_cast<double>(out[4]) == 3);
    CHECK(static_cast<double>(out[8]) == 2.5);
    s.exclude_padding = true;
    numerics::pool(path, op::avg_pool, s, x.data(), out.data());
    CHECK(static_cast<double>(out[0]) == 1);
    CHECK(static_cast<double>(out[1]) == 1.5);
    CHECK(static_cast<double>(out[8]) == 2.5);
    s.pad_top = 5; // windows of nothing but padding
    numerics::pool(path, op::avg_pool, s, x.data(), out.data());
    CHECK(out[0].bits == 0);
    CHECK_THROWS_AS(numerics::pool(path, op::max_pool, s, x.data(), out.data()), error);
}
