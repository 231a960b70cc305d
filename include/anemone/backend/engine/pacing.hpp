#pragma once

#include "../../way.hpp"
#include "clock.hpp"

#include <chrono>
#include <mutex>
#include <optional>

namespace ane::e5rt::inline ANEMONE_WAY {

/// How long after a failed compile the next one may start (measured by the authors of the guide: the shared compile
/// service restarts after a failure, and a compile sent meanwhile fails too).
inline constexpr std::chrono::seconds default_compile_backoff{15};

/// Keeps compiles away from a compile service that is restarting: after a failure the next compile waits until the
/// back-off has passed since that failure. Time already elapsed counts; a success clears the failure. There is no cap
/// on the number of compiles. Thread safe; nobody holds the lock while waiting. Several processes share the one
/// service, this object knows only its own.
class compile_pacing {
public:
    /// The state shared by all sessions of the process.
    static compile_pacing& process() {
        static compile_pacing shared;
        return shared;
    }

    /// Waits until a compile may start; gives the time asked to sleep, 0 when there was no need.
    clock_source::duration wait(const clock_source& time, clock_source::duration backoff) const {
        clock_source::duration slept{0};
        while (true) { // again after each sleep: it may end early, and another thread may have failed meanwhile
            const auto failure = last_failure();
            if (!failure)
                return slept;
            const clock_source::duration elapsed = time.now() - *failure;
            if (elapsed >= backoff)
                return slept;
            const clock_source::duration rest = backoff - elapsed;
            time.sleep(rest);
            slept += rest;
        }
    }

    void failed(clock_source::time_point when) {
        const std::lock_guard lock(mutex_);
        if (!last_failure_ || *last_failure_ < when)
            last_failure_ = when;
    }

    void succeeded() {
        const std::lock_guard lock(mutex_);
        last_failure_.reset();
    }

    /// When the last failure was that no success has cleared.
    std::optional<clock_source::time_point> last_failure() const {
        const std::lock_guard lock(mutex_);
        return last_failure_;
    }

private:
    mutable std::mutex mutex_;
    std::optional<clock_source::time_point> last_failure_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY
