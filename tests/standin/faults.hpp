#pragma once

#include "held_call.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace ane::standin {

/// Failures on demand that are more than a status. Those that hold a call work before the runtime's lock is taken, so
/// that the rest of the runtime goes on.
class faults {
public:
    held_call held;

    /// An execution, from its beginning to its end.
    class execution {
    public:
        explicit execution(faults& of) : of_(of) {
            if (of_.inside_++ != 0) {
                ++of_.overlaps;
            }
            if (of_.slow != 0) {
                std::this_thread::sleep_for(std::chrono::milliseconds(of_.slow));
            }
        }
        execution(const execution&) = delete;
        execution& operator=(const execution&) = delete;
        ~execution() { --of_.inside_; }

    private:
        faults& of_;
    };

    std::atomic<std::uint64_t> overlaps{0};
    std::atomic<int> slow{asked_by_environment()};

    static int asked_by_environment() {
        const char* const milliseconds = std::getenv("ANEMONE_STANDIN_SLOW");
        return milliseconds == nullptr ? 0 : std::atoi(milliseconds);
    }

    // under the runtime's lock
    int stale = 0;
    int short_buffers = 0;
    std::uint64_t service = 1; ///< which one it is; a program of an earlier one is dead
    double died_at = -1e9;

private:
    std::atomic<int> inside_{0};
};

} // namespace ane::standin
