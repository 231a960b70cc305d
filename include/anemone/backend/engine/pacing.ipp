#pragma once

#include "pacing.hpp"

#include <mutex>

namespace ane::e5rt::inline ANEMONE_WAY {

struct compile_pacing::state {
    std::mutex mutex;
    std::optional<clock_source::time_point> last_failure;
};

ANEMONE_BODY compile_pacing::compile_pacing() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY std::shared_ptr<compile_pacing> compile_pacing::process() {
    static const auto shared = std::make_shared<compile_pacing>();
    return shared;
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
    state& self = state_.get("pacing");
    const std::lock_guard lock(self.mutex);
    if (!self.last_failure || *self.last_failure < when)
        self.last_failure = when;
}

ANEMONE_BODY void compile_pacing::succeeded() {
    state& self = state_.get("pacing");
    const std::lock_guard lock(self.mutex);
    self.last_failure.reset();
}

ANEMONE_BODY std::optional<clock_source::time_point> compile_pacing::last_failure() const {
    state& self = state_.get("pacing");
    const std::lock_guard lock(self.mutex);
    return self.last_failure;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
