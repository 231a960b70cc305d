#pragma once

#include "measure.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace suite {

/// A row of the results file: a contender on a workload, with what is needed to print it without the workload.
struct record {
    result found;
    std::string title;
    double flops = 0;
    double bytes = 0;
};

/// Whether a contender has no form of the workload, which is no failure; ours always has its usual one.
bool left_out(const result& r);

/// How much faster ours was than another: the quotients of their times round by round.
struct comparison {
    double median = 0; ///< above 1: ours is faster
    double low = 0;    ///< quartiles
    double high = 0;
    double of_least = 0; ///< the quotient of the fastest runs
};

double median_of(std::vector<double> list);
double quantile(std::vector<double> list, double part);
comparison compare(const result& ours, const result& peer);

/// The blocks of the terminal: a workload at one number of threads, a line a contender.
std::string block_text(const std::vector<record>& block, double peak_flops);

/// All records as CSV with a header line, and back. Throws ane::error (errc::file) for text of another form.
std::string csv_text(const std::vector<record>& records);
std::vector<record> records_of(const std::string& csv);

/// The records of one workload and number of threads, in their order.
std::vector<std::vector<record>> blocks_of(const std::vector<record>& records);

} // namespace suite
