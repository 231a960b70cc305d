#pragma once

#include "door.hpp"
#include "verdict.hpp"

#include <deque>
#include <string>
#include <vector>

namespace kit {

/// A call into the runtime, and what it answered; empty where it did not.
struct call {
    std::string name, answer;
};

/// What became of one task at one door.
struct record {
    std::string id;
    engine_runtime door{};
    std::string about;
    std::vector<std::string> lines;
    verdict outcome = verdict::unposed;
};

/// Makes a record of what a worker says.
class listener {
public:
    explicit listener(record& to) : to_(&to) {}

    void text(const std::string& said) { to_->lines.push_back(said); }
    /// A line on the worker's standard error.
    void error_text(const std::string& said);
    void called(const std::string& name);
    void answered(const std::string& with);
    /// Puts the calls since the last time into the record.
    void show_calls();

private:
    record* to_;
    std::deque<call> calls_;
    std::size_t left_out_ = 0, error_lines_ = 0;
};

} // namespace kit
