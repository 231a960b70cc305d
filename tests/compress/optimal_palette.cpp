#include <anemone/compress/error_feedback.hpp>
#include <anemone/compress/optimal_palette.hpp>
#include <anemone/weights/formats/palette.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace ane;
using compress::weighed_value;

namespace {

/// The weighed squared distance of values to the nearest centre.
double cost_of(const std::vector<weighed_value>& values, const std::vector<double>& centres) {
    double total = 0;
    for (const weighed_value& v : values) {
        double nearest = std::numeric_limits<double>::infinity();
        for (const double c : centres) {
            nearest = std::min(nearest, (v.value - c) * (v.value - c));
        }
        total += v.weight * nearest;
    }
    return total;
}

/// The least cost over every way to put each value into one of `entries` groups, neighbours or not.
double least_cost(const std::vector<weighed_value>& values, std::size_t entries) {
    std::size_t ways = 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ways *= entries;
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t way = 0; way < ways; ++way) {
        double total = 0;
        for (std::size_t group = 0; group < entries; ++group) {
            double weight = 0;
            double sum = 0;
            std::size_t digits = way;
            for (const weighed_value& v : values) {
                weight += digits % entries == group ? v.weight : 0;
                sum += digits % entries == group ? v.weight * v.value : 0;
                digits /= entries;
            }
            digits = way;
            for (const weighed_value& v : values) {
                const double d = v.value - sum / weight;
                total += digits % entries == group ? v.weight * d * d : 0;
                digits /= entries;
            }
        }
        least = std::min(least, total);
    }
    return least;
}

} // namespace

TEST_CASE("optimal palette: no way to group the values is better, by exhaustive search") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> value(-1, 1);
        std::vector<weighed_value> values(2 + seed % 7);
        for (weighed_value& v : values) {
            v = {value(random), seed % 2 == 0 ? 1.0 : 0.1 + std::fabs(value(random))};
        }
        std::sort(values.begin(), values.end(),
                  [](const weighed_value& a, const weighed_value& b) { return a.value < b.value; });
        for (std::size_t entries = 1; entries <= 3; ++entries) {
            CAPTURE(entries);
            const std::vector<double> centres = compress::optimal_centres(values, entries);
            CHECK(centres.size() == std::min(entries, values.size()));
            CHECK(std::is_sorted(centres.begin(), centres.end()));
            CHECK(cost_of(values, centres) == doctest::Approx(least_cost(values, entries)).epsilon(1e-9));
        }
    }
}

TEST_CASE("optimal palette: the corner cases") {
    CHECK(compress::optimal_centres({}, 4).empty());
    const std::vector<weighed_value> one{{0.5, 3}};
    CHECK(compress::optimal_centres(one, 4) == std::vector<double>{0.5});
    const std::vector<weighed_value> few{{-1, 1}, {0, 5}, {2, 1}};
    CHECK(compress::optimal_centres(few, 16) == std::vector<double>{-1, 0, 2}); // as many as there are values
    const std::vector<weighed_value> heavy{{0, 1}, {1, 3}};
    CHECK(compress::optimal_centres(heavy, 1)[0] == doctest::Approx(0.75));
}

TEST_CASE("optimal palette: of normal values it is never further from them than Lloyd's algorithm, and closer in sum") {
    double lloyd = 0;
    double optimal = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::normal_distribution<double> normal(0, 0.1);
        std::vector<half> values(2000);
        std::vector<weighed_value> each;
        for (half& v : values) {
            v = half(normal(random));
            each.push_back({static_cast<double>(v), 1});
        }
        const auto codes = weight_formats::make_palette(values, 1, 4, 1);
        std::vector<double> table;
        for (const half entry : codes.table) {
            table.push_back(static_cast<double>(entry));
        }
        std::vector<double> best;
        for (const half entry : compress::optimal_table(values, 4)) {
            best.push_back(static_cast<double>(entry));
        }
        CHECK(best.size() == 16);
        CHECK(cost_of(each, best) <= cost_of(each, table) * (1 + 1e-3)); // both are rounded to fp16
        lloyd += cost_of(each, table);
        optimal += cost_of(each, best);
    }
    CHECK(optimal < lloyd);
}

TEST_CASE("optimal palette: the nearest entry, the lower of two that are as near") {
    const std::vector<half> table{half(-1), half(0), half(1)};
    const std::vector<half> values{half(-3), half(-0.5), half(0.25), half(0.5), half(0.75), half(9)};
    const std::vector<half> nearest = compress::nearest_entries(values, table);
    const std::vector<double> wanted{-1, -1, 0, 0, 1, 1};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CHECK(static_cast<double>(nearest[i]) == wanted[i]);
    }
}
