#pragma once

#include "contender.hpp"

#include <cstdio>
#include <string>
#include <sys/types.h>
#include <vector>

namespace suite {

/// A peer in another language: a program that reads a command a line and answers with a line of JSON, so that it takes
/// its turns with the contenders in this process and tells the times that it took itself.
///
///     load FOLDER      prepares the problem of that folder      {"seconds": 0.25}
///     run COUNT        runs it                                  {"seconds": [0.0012, ...]}
///     outputs FILE     writes the last outputs as fp32          {}
///     describe                                                  {"text": "PyTorch 1.13"}
///     (anything that fails)                                     {"error": "why"}
class peer_process {
public:
    /// Starts the program with the pipes; throws ane::error (errc::library) where it does not answer.
    peer_process(std::string name, const std::vector<std::string>& command);
    peer_process(const peer_process&) = delete;
    peer_process& operator=(const peer_process&) = delete;
    ~peer_process();

    struct answer {
        std::vector<double> seconds;
        std::string text;
    };
    /// Throws ane::error (errc::lowering) with what the program says of its failure.
    answer ask(const std::string& command);

private:
    std::string name_;
    pid_t child_ = -1;
    std::FILE* to_ = nullptr;
    std::FILE* from_ = nullptr;
};

class process_contender final : public contender {
public:
    process_contender(std::string name, const std::vector<std::string>& command, std::string scratch);
    std::string name() const override { return name_; }
    std::string description() const override { return description_; }
    std::unique_ptr<session> prepare(const problem& p) override;

private:
    std::string name_;
    std::shared_ptr<peer_process> process_;
    std::string scratch_;
    std::string description_;
};

/// The folder of a problem for other processes: problem.json, and values.f32 with the numbers of inputs, weights and
/// constants one after the other.
void write_problem(const problem& p, const std::string& folder);

} // namespace suite
