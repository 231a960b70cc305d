#pragma once

#include "dispatch.hpp"
#include "run_queue.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

struct dispatch_gate::state {
    detail::queue_owner<detail::run_queue> owned;
};

ANEMONE_BODY dispatch_gate::dispatch_gate() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY std::shared_ptr<dispatch_gate> dispatch_gate::process() {
    static const auto shared = std::make_shared<dispatch_gate>();
    return shared;
}

ANEMONE_BODY void dispatch_gate::lock() { queue().lock(); }
ANEMONE_BODY bool dispatch_gate::try_lock_for(time_span span) { return queue().lock_for(span); }
ANEMONE_BODY void dispatch_gate::unlock() { queue().unlock(); }
ANEMONE_BODY detail::run_queue& dispatch_gate::queue() { return *state_.get("gate").owned.queue; }

} // namespace ane::e5rt::inline ANEMONE_WAY
