#pragma once

#include "measure.hpp"

#include <string>
#include <vector>

namespace suite {

struct arguments {
    std::vector<std::string> workloads; ///< by name
    std::vector<std::string> peers;     ///< by name; empty: all
    std::vector<int> threads{1, 2};
    std::vector<int> processors; ///< that contenders may run on, in this order
    measure_options how;
    bool small = false;
    bool follows = false; ///< another process has named the contenders
    std::string csv;
    std::string svg;
    std::string from; ///< results of an earlier run, in place of a new one
    std::string markdown;
    std::string modules = "build/bench/peers";
    std::string scratch = "build/bench/scratch";
    std::string results; ///< where a process of one number of threads puts its records
};

/// Throws ane::error (errc::argument) for words that mean nothing. `--help` prints them and ends the program.
arguments parse_arguments(int count, char** words);

/// The words that make these arguments.
std::vector<std::string> words_of(const arguments& given);

} // namespace suite
