#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_driver_pacing_hpp);

#include "once_a_process.hpp"
#include "pacing.hpp"
#include "process_state.hpp"
#include "state_lock.hpp"

#include <memory>

namespace ane::e5rt::inline ANEMONE_WAY {

struct compile_pacing::state {
    /// Where the last failure is.
    std::shared_ptr<detail::process_state> (*place)() = detail::own_state;
    detail::once_a_process<std::shared_ptr<detail::process_state>> kept{};

    ANEMONE_INLINE detail::process_state& here() { return *kept.get(place); }
};

ANEMONE_BODY_OF compile_pacing::compile_pacing() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY_OF std::shared_ptr<compile_pacing> compile_pacing::process() {
    return detail::the_process_s<compile_pacing>.get([] {
        auto made = std::make_shared<compile_pacing>();
        made->state_.get("pacing").place = detail::shared_state;
        return made;
    });
}

ANEMONE_BODY clock_source::duration compile_pacing::wait(clock_source& time, clock_source::duration backoff) const {
    clock_source::duration slept;
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

ANEMONE_BODY void compile_pacing::failed(clock_source::time_point when) {
    detail::process_state& self = state_.get("pacing").here();
    const detail::state_lock hold(self);
    if (self.compile_failed == 0 || self.compile_failed_at < when.nanoseconds)
        self.compile_failed_at = when.nanoseconds;
    self.compile_failed = 1;
}

ANEMONE_BODY void compile_pacing::succeeded() {
    detail::process_state& self = state_.get("pacing").here();
    const detail::state_lock hold(self);
    self.compile_failed = 0;
}

ANEMONE_BODY std::optional<clock_source::time_point> compile_pacing::last_failure() const {
    detail::process_state& self = state_.get("pacing").here();
    const detail::state_lock hold(self);
    return self.compile_failed != 0 ? std::optional(time_span(self.compile_failed_at)) : std::nullopt;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
