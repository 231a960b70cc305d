#pragma once

#include "contender.hpp"

#include <string>
#include <vector>

namespace suite {

/// What one contender did with one workload.
struct result {
    std::string workload;
    std::string contender;
    bool ours = false;
    int threads = 1;
    std::string failure;        ///< why there are no times: no form of an operation, or a wrong result
    double error = 0;           ///< relative, Frobenius, to the float64 reference
    double prepare = 0;         ///< seconds
    double first = 0;           ///< seconds of the first run
    std::vector<double> rounds; ///< seconds of a run in each round: the median of its runs
    double least = 0;           ///< seconds of the fastest run of all
};

struct measure_options {
    int threads = 1;
    int rounds = 9;
    double turn_seconds = 0.04; ///< how long a contender's turn lasts, at least
    bool check_only = false;
};

/// Prepares a workload with each contender, compares their results with the reference, and then times those that are
/// right in turns: round after round one turn each, every other round in the opposite order.
std::vector<result> measure(const problem& p, field& f, const measure_options& options);

} // namespace suite
