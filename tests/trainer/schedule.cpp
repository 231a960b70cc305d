#include <anemone/base/error.hpp>
#include <anemone/trainer/sample_order.hpp>
#include <anemone/trainer/scale_schedule.hpp>
#include <anemone/trainer/schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

using namespace ane;

TEST_CASE("rates: a warm-up of equal steps, then constant, half a cosine or a straight line") {
    const rate_schedule constant{.rate = 0.5, .warm_up = 4};
    CHECK(constant.at(0, 100) == doctest::Approx(0.1));
    CHECK(constant.at(3, 100) == doctest::Approx(0.4));
    CHECK(constant.at(4, 100) == 0.5);
    CHECK(constant.at(99, 100) == 0.5);

    const rate_schedule cosine{.rate = 2, .form = rate_form::cosine, .last = 0.1};
    CHECK(cosine.at(0, 101) == 2);
    CHECK(cosine.at(50, 101) == doctest::Approx(1.1));
    CHECK(cosine.at(100, 101) == doctest::Approx(0.2));
    CHECK(cosine.at(25, 101) == doctest::Approx(0.2 + 0.9 * (1 + 0.70710678118654752440)));

    const rate_schedule linear{.rate = 1, .form = rate_form::linear, .warm_up = 10};
    CHECK(linear.at(10, 111) == 1);
    CHECK(linear.at(60, 111) == doctest::Approx(0.5));
    CHECK(linear.at(110, 111) == doctest::Approx(0));
    CHECK(linear.at(0, 1) == doctest::Approx(1. / 11));
}

TEST_CASE("rates that are none are refused") {
    CHECK_THROWS_AS(rate_schedule{.rate = 0}.check(), error);
    CHECK_THROWS_AS(rate_schedule{.rate = std::numeric_limits<double>::infinity()}.check(), error);
    CHECK_THROWS_AS((rate_schedule{.rate = 1, .warm_up = -1}.check()), error);
    CHECK_THROWS_AS((rate_schedule{.rate = 1, .last = 1.5}.check()), error);
    CHECK_NOTHROW(rate_schedule{}.check());
}

TEST_CASE("a dynamic loss scale is halved by what is not finite and doubled after steps that are") {
    const scale_schedule by{.first = 8, .growth = 3, .least = 2, .most = 16};
    scale_state now{.scale = 8};
    CHECK(now.advance(by, false));
    CHECK(now.scale == 4);
    CHECK(now.advance(by, true));
    CHECK(now.advance(by, true));
    CHECK(now.scale == 4);
    CHECK(now.advance(by, true));
    CHECK(now.scale == 8);
    for (int i = 0; i < 9; ++i) {
        CHECK(now.advance(by, true));
    }
    CHECK(now.scale == 16); // and not more
    CHECK(now.advance(by, false));
    CHECK(now.advance(by, false));
    CHECK(now.advance(by, false));
    CHECK(now.scale == 2);
    CHECK_FALSE(now.advance(by, false)); // nothing smaller is allowed
    CHECK(now.scale == 2);

    CHECK_THROWS_AS(scale_schedule{.first = 65536}.check(), error);
    CHECK_THROWS_AS(scale_schedule{.first = 0}.check(), error);
    CHECK_THROWS_AS(scale_schedule{.growth = 0}.check(), error);
    CHECK_NOTHROW(scale_schedule{}.check());
}

TEST_CASE("samples are taken once in a round, in an order that follows from the seed alone") {
    sample_order order(100, 7, true);
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
    for (std::int64_t i = 0; i < 100; ++i) {
        first.push_back(order.at(i));
    }
    for (std::int64_t i = 100; i < 200; ++i) {
        second.push_back(order.at(i));
    }
    CHECK(first != second);
    sample_order again(100, 7, true);
    CHECK(again.at(150) == second[50]); // without the steps before it
    CHECK(again.at(3) == first[3]);
    CHECK(sample_order(100, 8, true).at(3) + sample_order(100, 8, true).at(4) * 100 != first[3] + first[4] * 100);
    for (std::vector<std::int64_t>* round : {&first, &second}) {
        CHECK_FALSE(std::is_sorted(round->begin(), round->end()));
        std::sort(round->begin(), round->end());
        std::vector<std::int64_t> all(100);
        std::iota(all.begin(), all.end(), std::int64_t{0});
        CHECK(*round == all);
    }
    CHECK(sample_order(10, 7, false).at(23) == 3);
    CHECK(sample_order(1, 7, true).at(5) == 0);
}

TEST_CASE("each sample has each place in a round about as often as any other") {
    constexpr int rounds = 6000;
    std::vector<int> counts(9, 0);
    sample_order order(3, 1, true);
    for (std::int64_t round = 0; round < rounds; ++round) {
        for (std::int64_t i = 0; i < 3; ++i) {
            ++counts[static_cast<std::size_t>(3 * i + order.at(3 * round + i))];
        }
    }
    for (const int count : counts) { // 2000 is expected, the deviation is 37
        CHECK(count > 1800);
        CHECK(count < 2200);
    }
}
