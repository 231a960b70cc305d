#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_dispatch_hpp);

#include "dispatch.hpp"
#include "run_queue.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

struct dispatch_gate::state {
    detail::queue_owner<detail::run_queue> owned;
};

ANEMONE_BODY_OF dispatch_gate::dispatch_gate() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY_OF dispatch_gate& dispatch_gate::process() {
    static dispatch_gate shared;
    return shared;
}

ANEMONE_BODY void dispatch_gate::lock() { queue().lock(); }
ANEMONE_BODY bool dispatch_gate::try_lock_for(time_span span) { return queue().lock_for(span); }
ANEMONE_BODY void dispatch_gate::unlock() { queue().unlock(); }
ANEMONE_BODY detail::run_queue& dispatch_gate::queue() { return *state_.get("gate").owned.queue; }

} // namespace ane::e5rt::inline ANEMONE_WAY
