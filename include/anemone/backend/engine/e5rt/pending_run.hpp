#ifndef ANEMONE_BACKEND_ENGINE_E5RT_PENDING_RUN_HPP
#define ANEMONE_BACKEND_ENGINE_E5RT_PENDING_RUN_HPP

#include "../../../base/way.hpp"
#include "../driver/clock.hpp"
#include "forward.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace ane::e5rt::inline ANEMONE_WAY {

/// A run that was submitted. Without `get` its result is lost; the run goes on.
class pending_run {
public:
    pending_run(std::shared_ptr<detail::session_state> of, std::uint64_t ticket)
        : session_(std::move(of)), ticket_(ticket) {}

    /// Whether it has ended, or is cancelled, within the span.
    ANEMONE_API bool wait_for(clock_source::duration span) const;
    /// Waits for the end, 0: without a limit, and throws what `session::execute` throws. The result is there once.
    ANEMONE_API void get(clock_source::duration timeout = {});
    /// Withdraws it; false when it began already: then it cannot be.
    ANEMONE_API bool cancel();

private:
    std::shared_ptr<detail::session_state> session_;
    std::uint64_t ticket_;
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "pending_run.ipp"
#endif
