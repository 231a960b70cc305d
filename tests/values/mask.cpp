// Masks of bytes for ports.

#include <anemone/values/mask.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using namespace ane;

TEST_CASE("ones stand where they are asked for, and nowhere else") {
    const auto mask = ones_at<shape<5, 1>>(3);
    CHECK(std::vector<int>(mask.begin(), mask.end()) == std::vector<int>{0, 0, 0, 1, 0});
    const auto rows = ones_at<shape<2, 3>>(1, 4);
    CHECK(std::vector<int>(rows.begin(), rows.end()) == std::vector<int>{0, 1, 1, 1, 1, 0});
    for (const std::int64_t first : {0, 1, 2}) {
        const auto none = ones_at<shape<2>>(first, 0);
        CHECK(std::vector<int>(none.begin(), none.end()) == std::vector<int>{0, 0});
    }
    CHECK(ones_at<shape<1>>(0)(0) == 1);
    const auto numbers = ones_at<shape<1, 3>, half>(1);
    CHECK(numbers.elements()[0] == half(0.0));
    CHECK(numbers(0, 1) == half(1.0));
}

TEST_CASE("ones outside the shape are refused, by their numbers") {
    using doctest::Contains;
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK_THROWS_WITH_AS(ones_at<shape<5>>(5), Contains("1 elements from 5 on are not among 5"), error);
    CHECK_THROWS_WITH_AS((ones_at<shape<2, 3>>(4, 3)), Contains("3 elements from 4 on are not among 6"), error);
    for (const std::int64_t wrong : {least, std::int64_t{-1}, most}) {
        CHECK_THROWS_AS(ones_at<shape<5>>(wrong), error);
        CHECK_THROWS_AS(ones_at<shape<5>>(1, wrong), error);
    }
}
