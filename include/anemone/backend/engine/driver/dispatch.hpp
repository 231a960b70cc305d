#ifndef ANEMONE_BACKEND_ENGINE_DRIVER_DISPATCH_HPP
#define ANEMONE_BACKEND_ENGINE_DRIVER_DISPATCH_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "../../../targets/dispatch_constants.hpp"
#include "clock.hpp"

#include <cstdint>
#include <memory>

namespace ane::e5rt::detail::inline ANEMONE_WAY {
class run_queue;
} // namespace ane::e5rt::detail::inline ANEMONE_WAY

namespace ane::e5rt::inline ANEMONE_WAY {

/// Requests that a program may have outstanding; the next one blocks (R117, measured M1).
inline constexpr int requests_in_flight_limit = outstanding_requests_limit;

/// After this long without work, 5 s, the engine's rail is off: the next run takes about 260 ms, the one after it is as
/// fast as ever (R174, guide chapter 10, measured M1). Shorter gaps cost 1.2 to 1.7 times a run.
inline constexpr time_span idle_limit{static_cast<std::int64_t>(engine_off_after.typical * 1e9)};

/// Lets one program run at a time: the one that holds the lock. If two streams overlap in one process the second never
/// completes (R118, measured M1). Serialising costs little: the engine has one command in flight in any case, and two
/// threads gain only a factor of 1.04 (guide chapter 2). One run is one request, so R117 holds too. Thread safe; it
/// does not know about other users of the engine in the process, such as Core ML. Lock it with std::lock_guard.
///
/// The gate has one worker thread, which runs what sessions submit and which exists from the first submission on. While
/// a run is out whose timeout has passed, nothing else gets in.
class dispatch_gate {
public:
    ANEMONE_API_OF(anemone_backend_engine_driver_dispatch_hpp) dispatch_gate();
    dispatch_gate(const dispatch_gate&) = delete;
    dispatch_gate& operator=(const dispatch_gate&) = delete;

    /// The gate of all sessions of the process, also of those that other copies of this driver make (process_state.hpp). A
    /// child after a fork has one of its own. The calls below throw `error` (errc::engine) where they cannot find it.
    ANEMONE_API_OF(anemone_backend_engine_driver_dispatch_hpp)
    static std::shared_ptr<dispatch_gate> process();

    /// Waits for as long as others have it locked. Throws `error` (errc::engine) while a run is out.
    ANEMONE_API void lock();
    /// Whether it was locked within the span.
    ANEMONE_API bool try_lock_for(time_span span);
    /// Lets the next one in.
    ANEMONE_API void unlock();

    /// The queue of submitted runs; of the driver.
    ANEMONE_API detail::run_queue& queue();

private:
    struct state;
    hidden<state> state_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "dispatch.ipp"
#endif
