#pragma once

#include "door.hpp"

#include <string>
#include <vector>

namespace kit {

/// What a worker is asked to do, as the arguments that its parent starts it with.
struct errand {
    int out = -1;  ///< where the journal goes
    int held = -1; ///< ends when the parent does: then the worker ends too, wherever it is
    engine_runtime door{};
    ane::target chip{};
    std::vector<std::string> ids;

    std::vector<std::string> arguments() const;
    static errand from(const std::vector<std::string>& arguments);
};

inline constexpr const char* worker_option = "--worker";

/// Runs tasks in order until all are done or the process has compiled so many programs that a new one had better go on.
int work(const errand& what);

} // namespace kit
