#pragma once

#include <string>

namespace command {

/// A line on standard error while it lives, if that takes more than a second: what is done, how much of it, for how long.
/// Only on a terminal that can erase a line (TERM is set and not "dumb"); without colours. Within another it says nothing.
class progress {
public:
    /// `what` is a participle: "reading model.onnx".
    explicit progress(const std::string& what);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress(); ///< erases the line

    /// How far it is, from 0 to 1; never called, the time alone is shown.
    static void at(double part);
    /// What it does now.
    static void now(const std::string& what);

private:
    bool is_shown_ = false;
};

} // namespace command
