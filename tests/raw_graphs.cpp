// Random raw graphs, as the fuzz target makes them (tests/fuzz/raw_graph.cpp): for compilers without libFuzzer.

#include "fuzz/raw_graph.hpp"
#include "sanitized.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

TEST_CASE("a mutated graph is refused, or everything that takes a graph runs on it or refuses it") {
    constexpr unsigned seed = 20'240;
    MESSAGE("seed " << seed); // what fails aborts: the fuzz target runs it alone
    std::mt19937 random(seed);
    constexpr int graphs = sanitized ? 10'000 : 50'000; // where it is, the fuzz target searches for longer
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < graphs; ++i) {
        bytes.resize(4 + random() % 40);
        for (std::uint8_t& b : bytes) {
            b = static_cast<std::uint8_t>(random() % (random() % 2 == 0 ? 256 : 16));
        }
        raw_graph::check(bytes);
    }
    CHECK(seeds::all().size() == 2 * (ane::op_count - 3));
}
