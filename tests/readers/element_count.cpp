// How many elements a shape of a file has, where 64 bits hold the product, where they do not, and where it is 0.

#include <anemone/readers/element_count.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using ane::extents;
using ane::readers::element_count;

TEST_CASE("the elements of a declared shape are counted, or it is no shape") {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    constexpr std::int64_t half = std::int64_t{1} << 31;
    constexpr std::int64_t large = std::int64_t{1} << 62;
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    CHECK(element_count({}) == 1);
    CHECK(element_count({2, 3, 4}) == 24);
    CHECK(element_count({half}) == half);
    CHECK(element_count({most}) == most);
    CHECK(element_count({1, most, 1}) == most);
    CHECK(element_count({0}) == 0);
    CHECK(element_count({3, 0, 5}) == 0);
    CHECK(element_count({most, 0}) == 0);
    for (const extents& beyond : {extents{most + 1},
                                  {most, 2},
                                  {half, half},
                                  {large, 2},
                                  {large, 4},
                                  {largest, largest},
                                  {half, half, half, half},
                                  {-1},
                                  {2, -3},
                                  {std::numeric_limits<std::int64_t>::min()}}) {
        CHECK(element_count(beyond) == -1);
    }
    // Without elements too: the step from one row to the next would be beyond 64 bits.
    for (const extents& beyond : {extents{0, large, large},
                                  {large, 0, large},
                                  {large, large, 0},
                                  {0, largest},
                                  {largest, 0},
                                  {half, 0, half},
                                  {0, -1},
                                  {-1, 0}}) {
        CHECK(element_count(beyond) == -1);
    }
}
