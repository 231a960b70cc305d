#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>

/// Numbers that a caller sets to run a property test again: its seed, and how much of it.
namespace from_environment {

inline unsigned number(const char* variable, unsigned otherwise) {
    const char* const given = std::getenv(variable);
    return given == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

/// Whether this is ./run test --all, which draws more, by fresh seeds.
inline bool thorough() { return std::getenv("ANEMONE_FRESH_SEEDS") != nullptr; }

/// Whether the running test case has asked for a seed: where it fails, main.cpp prints how to run it again.
inline std::atomic<bool> seed_was_taken = false;

/// Counts the test cases that have begun, for generators that serve more than one: they begin anew with each.
inline std::atomic<unsigned> test_cases_begun = 0;

/// The seed of all random tests of this process: ANEMONE_TEST_SEED; or 1, so that a run judges the sources and not its
/// luck; or, where ANEMONE_FRESH_SEEDS is set, as ./run test --all does, another one each time, which is printed at once,
/// for a program that is stopped prints nothing later.
inline unsigned seed() {
    static const unsigned value = [] {
        if (std::getenv("ANEMONE_TEST_SEED") != nullptr || !thorough()) {
            return number("ANEMONE_TEST_SEED", 1);
        }
        const unsigned fresh = std::random_device{}() % 1'000'000'000;
        std::printf("ANEMONE_TEST_SEED=%u\n", fresh);
        std::fflush(stdout);
        return fresh;
    }();
    seed_was_taken = true;
    return value;
}

} // namespace from_environment
