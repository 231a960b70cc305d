#include "../../from_environment.hpp"
#include <anemone/base/error.hpp>
#include <anemone/models/vision/boxes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace ane;
using models::detection;
using models::detection_limits;
using models::non_maximum_suppression;
using models::overlap_of;

namespace {

/// As a detector gives them: a row for each coordinate and each class.
std::vector<float> output_of(const std::vector<detection>& boxes, std::int64_t classes) {
    std::vector<float> all(static_cast<std::size_t>(4 + classes) * boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const detection& b = boxes[i];
        const float edges[] = {b.x, b.y, b.width, b.height};
        for (std::size_t k = 0; k < 4; ++k) {
            all[k * boxes.size() + i] = edges[k];
        }
        all[static_cast<std::size_t>(4 + b.label) * boxes.size() + i] = b.score;
    }
    return all;
}

TEST_CASE("how much two boxes share, by hand") {
    const detection one{.x = 10, .y = 10, .width = 4, .height = 4};
    CHECK(overlap_of(one, one) == 1);
    CHECK(overlap_of(one, {.x = 12, .y = 10, .width = 4, .height = 4}) == doctest::Approx(8.0 / 24));
    CHECK(overlap_of(one, {.x = 12, .y = 12, .width = 4, .height = 4}) == doctest::Approx(4.0 / 28));
    CHECK(overlap_of(one, {.x = 10, .y = 10, .width = 2, .height = 2}) == doctest::Approx(4.0 / 16));
    CHECK(overlap_of(one, {.x = 14, .y = 10, .width = 4, .height = 4}) == 0);
    CHECK(overlap_of({}, {}) == 0);
}

TEST_CASE("of overlapping boxes of a class the best one stays") {
    const std::vector<detection> boxes{
        {.x = 20, .y = 20, .width = 10, .height = 10, .score = 0.6F, .label = 1},
        {.x = 21, .y = 20, .width = 10, .height = 10, .score = 0.9F, .label = 1}, // shares 9/11 with the first
        {.x = 21, .y = 20, .width = 10, .height = 10, .score = 0.5F, .label = 0},
        {.x = 60, .y = 20, .width = 10, .height = 10, .score = 0.9F, .label = 0},
        {.x = 90, .y = 90, .width = 10, .height = 10, .score = 0.1F, .label = 0}};
    const std::vector<float> found = output_of(boxes, 2);
    using list = std::vector<detection>;
    CHECK(non_maximum_suppression(found, 2) == list{boxes[1], boxes[3], boxes[2]});
    CHECK(non_maximum_suppression(found, 2, {.overlap = 0.85F}) == list{boxes[1], boxes[3], boxes[0], boxes[2]});
    CHECK(non_maximum_suppression(found, 2, {.across_classes = true}) == list{boxes[1], boxes[3]});
    CHECK(non_maximum_suppression(found, 2, {.score = 0, .most = 2}) == list{boxes[1], boxes[3]});
    CHECK(non_maximum_suppression(found, 2, {.score = 1}).empty());
    CHECK(non_maximum_suppression({}, 2).empty());
}

TEST_CASE("what is kept overlaps with nothing better, and what is not does") {
    std::mt19937 random(from_environment::seed());
    std::uniform_real_distribution<float> place(0, 100);
    std::uniform_real_distribution<float> size(5, 60);
    std::uniform_real_distribution<float> share(0, 1);
    for (int round = 0; round < 20; ++round) {
        std::vector<detection> boxes;
        for (int i = 0; i < 120; ++i) {
            boxes.push_back({place(random), place(random), size(random), size(random), share(random),
                             static_cast<std::int64_t>(random() % 3)});
        }
        const detection_limits limits{.score = 0.3F, .overlap = share(random), .across_classes = round % 2 == 1};
        const std::vector<detection> kept = non_maximum_suppression(output_of(boxes, 3), 3, limits);
        const auto suppresses = [&](const detection& better, const detection& b) {
            return better.score > b.score && (limits.across_classes || better.label == b.label) &&
                   overlap_of(better, b) > limits.overlap;
        };
        for (const detection& b : boxes) {
            const bool is_kept = std::find(kept.begin(), kept.end(), b) != kept.end();
            const bool is_hidden =
                std::any_of(kept.begin(), kept.end(), [&](const detection& better) { return suppresses(better, b); });
            CHECK(is_kept == (b.score > limits.score && !is_hidden));
        }
        CHECK(std::is_sorted(kept.begin(), kept.end(),
                             [](const detection& a, const detection& b) { return a.score > b.score; }));
    }
}

TEST_CASE("numbers that are not finite have no box, and wrong limits are refused") {
    std::vector<float> found = output_of(
        {{.x = 1, .y = 1, .width = 2, .height = 2, .score = 0.9F}, {.x = 9, .width = 1, .height = 1, .score = 1}}, 1);
    found[0] = std::numeric_limits<float>::quiet_NaN();
    found[9] = std::numeric_limits<float>::infinity();
    CHECK(non_maximum_suppression(found, 1).empty());
    found.pop_back();
    CHECK_THROWS_WITH_AS(non_maximum_suppression(found, 1), doctest::Contains("9 values"), error);
    CHECK_THROWS_WITH_AS(non_maximum_suppression({}, 0), doctest::Contains("1 or more"), error);
    CHECK_THROWS_WITH_AS(non_maximum_suppression({}, 1, {.overlap = 1.5F}), doctest::Contains("1.5"), error);
    CHECK_THROWS_WITH_AS(non_maximum_suppression({}, 1, {.score = std::numeric_limits<float>::quiet_NaN()}),
                         doctest::Contains("from 0 to 1"), error);
    CHECK_THROWS_WITH_AS(non_maximum_suppression({}, 1, {.most = 0}), doctest::Contains("1 or more"), error);
}

} // namespace
