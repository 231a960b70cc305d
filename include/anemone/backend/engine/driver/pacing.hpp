#ifndef ANEMONE_BACKEND_ENGINE_DRIVER_PACING_HPP
#define ANEMONE_BACKEND_ENGINE_DRIVER_PACING_HPP

#include "../../../base/hidden.hpp"
#include "../../../base/way.hpp"
#include "clock.hpp"

#include <memory>
#include <optional>

namespace ane::e5rt::inline ANEMONE_WAY {

/// How long after a failed compile the next one may start: 15 s (measured by the authors of the guide: the shared
/// compile service restarts after a failure, and a compile sent meanwhile fails too).
inline constexpr time_span default_compile_backoff{15'000'000'000};

/// Keeps compiles away from a compile service that is restarting: after a failure the next compile waits until the
/// back-off has passed since that failure. Time already elapsed counts; a success clears the failure. There is no cap
/// on the number of compiles. Thread safe; the lock is not held while waiting. Several processes share the one
/// service, this object knows only its own.
class compile_pacing {
public:
    ANEMONE_API_OF(anemone_backend_engine_driver_pacing_hpp) compile_pacing();
    compile_pacing(const compile_pacing&) = delete;
    compile_pacing& operator=(const compile_pacing&) = delete;

    /// The state shared by all sessions of the process, also of those that other copies of this driver make
    /// (process_state.hpp). A child after a fork has one of its own. The calls below throw `error` (errc::engine) where they
    /// cannot find it.
    ANEMONE_API_OF(anemone_backend_engine_driver_pacing_hpp)
    static std::shared_ptr<compile_pacing> process();

    /// Waits until a compile may start; gives the time asked to sleep, 0 when there was no need.
    ANEMONE_API clock_source::duration wait(clock_source& time, clock_source::duration backoff) const;

    /// Notes that a compile failed: the next one waits.
    ANEMONE_API void failed(clock_source::time_point when);
    /// Notes that a compile succeeded: the next one does not wait.
    ANEMONE_API void succeeded();

    /// When the last failure was that no success has cleared.
    ANEMONE_API std::optional<clock_source::time_point> last_failure() const;

private:
    struct state;
    hidden<state> state_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "pacing.ipp"
#endif
