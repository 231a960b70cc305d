#pragma once

#include <cstdlib>
#include <random>

/// Numbers that a caller sets to run a property test again: its seed, and how much of it.
namespace from_environment {

inline unsigned number(const char* variable, unsigned otherwise) {
    const char* const given = std::getenv(variable);
    return given == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

/// The seed of ANEMONE_TEST_SEED, or another one each time: tests print it.
inline unsigned seed() { return number("ANEMONE_TEST_SEED", std::random_device{}()); }

} // namespace from_environment
