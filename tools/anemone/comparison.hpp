#pragma once

#include "tensor.hpp"

#include <span>
#include <string>

namespace command {

/// How far answers may be from others: |a - b| <= absolute + relative |b| in every element. NaN equals NaN, an infinity
/// itself alone.
struct tolerance {
    double absolute = 0;
    double relative = 0;
};

struct comparison {
    bool equal = true;
    std::string text; ///< a line for each array
};

/// Compares arrays by name; one that is missing differs.
comparison compare_arrays(std::span<const tensor> answers, std::span<const tensor> expected, const tolerance& allowed);

} // namespace command
