#pragma once

#include "door.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kit {

struct options {
    std::string output = "probe_report.txt";
    std::vector<std::string> only;
    std::vector<engine_runtime> doors{engine_runtime::e5rt, engine_runtime::netplist};
    std::optional<ane::target> chip; ///< none: this machine's
    int silence = 120;               ///< seconds without a sign of life after which a worker is ended
    bool list = false;
    bool help = false;
};

/// Throws `ane::error` (errc::argument) that names the argument and what it may be.
options read_options(const std::vector<std::string>& arguments);

extern const char* const usage;

} // namespace kit
