#include <anemone/base/error.hpp>
#include <anemone/models/vision/timestep.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace ane;
using models::timestep_sines;

namespace {

TEST_CASE("the sines of a step are those of angles from step down to step / 10000^(1 - 2 / width)") {
    const std::vector<float> found = timestep_sines(999, 320);
    REQUIRE(found.size() == 320);
    CHECK(found[0] == doctest::Approx(std::cos(999.0)).epsilon(1e-6));
    CHECK(found[160] == doctest::Approx(std::sin(999.0)).epsilon(1e-6));
    CHECK(found[80] == doctest::Approx(std::cos(9.99)).epsilon(1e-6)); // 10000^(1/2) times slower
    CHECK(found[240] == doctest::Approx(std::sin(9.99)).epsilon(1e-6));
    CHECK(timestep_sines(0, 4) == std::vector<float>{1, 1, 0, 0});
    CHECK_THROWS_WITH_AS(timestep_sines(1, 3), doctest::Contains("3 must be even"), error);
    CHECK_THROWS_WITH_AS(timestep_sines(-1, 4), doctest::Contains("-1 must be from 0"), error);
    CHECK_THROWS_AS(timestep_sines(std::nan(""), 4), error);
}

} // namespace
