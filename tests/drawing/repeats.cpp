#include <anemone/drawing/repeats.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

using namespace ane;
using drawing::repeat;

namespace {

std::vector<repeat> found_in(std::string_view text, std::size_t longest = 20) {
    std::vector<std::uint64_t> elements(text.begin(), text.end());
    return drawing::find_repeats(elements, longest, [](std::size_t) { return 0; });
}

} // namespace

TEST_CASE("repeats of a text") {
    CHECK(found_in("").empty());
    CHECK(found_in("a").empty());
    CHECK(found_in("abcdefgh").empty());
    CHECK(found_in("abab").empty()); // two copies of two save nothing worth a box
    const auto blocks = found_in("xabcabcabcabcy");
    REQUIRE(blocks.size() == 1);
    CHECK(blocks[0].first == 1);
    CHECK(blocks[0].period == 3);
    CHECK(blocks[0].copies == 4);
    const auto two = found_in("aaaaaa--bcbcbcbcbc");
    REQUIRE(two.size() == 2);
    CHECK(two[0].period == 1);
    CHECK(two[0].copies == 6);
    CHECK(two[1].first == 8);
    CHECK(two[1].copies == 5);
    const auto pair = found_in("12345678x12345678x!");
    REQUIRE(pair.size() == 1);
    CHECK(pair[0].copies == 2);
    CHECK(pair[0].period == 9);
    CHECK(found_in("12345678x12345678x!", 8).empty()); // longer than asked for
}

TEST_CASE("copies begin at the best boundary") {
    const std::string_view text = "cabcabcabcab"; // four copies fit at one place, three at three
    std::vector<std::uint64_t> elements(text.begin(), text.end());
    elements.pop_back();
    const auto blocks = drawing::find_repeats(elements, 10, [&](std::size_t i) { return text[i] == 'a' ? 1 : 0; });
    REQUIRE(blocks.size() == 1);
    CHECK(text[blocks[0].first] == 'a');
}

TEST_CASE("whatever the sequence, repeats repeat and lie apart") {
    for (std::uint32_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::vector<std::uint64_t> elements(random() % 200);
        for (std::uint64_t& e : elements) {
            e = random() % (1 + seed % 4);
        }
        std::size_t end = 0;
        for (const repeat& r : drawing::find_repeats(elements, 30, [&](std::size_t i) { return elements[i] == 0; })) {
            CHECK(r.first >= end);
            end = r.end();
            REQUIRE(end <= elements.size());
            for (std::size_t i = r.first; i + r.period < end; ++i) {
                CHECK(elements[i] == elements[i + r.period]);
            }
        }
    }
}
