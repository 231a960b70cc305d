#pragma once

#include <string>
#include <vector>

namespace kit {

/// A line of tests/facts/numerics.csv.
struct fact {
    std::string id, operation, chip, inputs, expected, mark, source;
};

/// All of them; throws `ane::error` (errc::file).
std::vector<fact> read_facts(const std::string& path);

} // namespace kit
