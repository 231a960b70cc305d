#pragma once

#include "../../way.hpp"

#include <chrono>
#include <mutex>
#include <type_traits>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Requests that a program may have outstanding; the next one blocks (R117, measured M1).
inline constexpr int requests_in_flight_limit = 127;

/// After this long without work the engine's rail is off: the next run takes about 260 ms, the one after it is as fast
/// as ever (R174, guide chapter 10, measured M1). Shorter gaps cost 1.2 to 1.7 times a run.
inline constexpr std::chrono::seconds idle_limit{5};

/// Lets one program run at a time. Of two streams that overlap in one process the second never completes (R118,
/// measured M1), and nothing is lost: the engine has one command in flight in any case, two threads gain a factor of
/// 1.04 (guide chapter 2). One run is one request, so R117 holds too. Thread safe; other users of the engine in the
/// process, such as Core ML, are not known to it.
class dispatch_gate {
public:
    /// The gate of all sessions of the process.
    static dispatch_gate& process() {
        static dispatch_gate shared;
        return shared;
    }

    /// Does the work when no other work of this gate goes on, and gives its result. Waits for as long as that takes.
    template <class Work> std::invoke_result_t<Work> alone(Work&& work) {
        const std::lock_guard lock(mutex_);
        return std::forward<Work>(work)();
    }

private:
    std::mutex mutex_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY
