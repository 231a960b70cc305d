#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_driver_dispatch_hpp);

#include "dispatch.hpp"
#include "once_a_process.hpp"
#include "process_state.hpp"
#include "run_queue.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

struct dispatch_gate::state {
    /// Where the place to run in is.
    std::shared_ptr<detail::process_state> (*place)() = detail::own_state;
    detail::once_a_process<detail::queue_owner<detail::run_queue>> queue{};
};

ANEMONE_BODY_OF dispatch_gate::dispatch_gate() : state_(hidden<state>::of(new state)) {}

ANEMONE_BODY_OF std::shared_ptr<dispatch_gate> dispatch_gate::process() {
    return detail::the_process_s<dispatch_gate>.get([] {
        auto made = std::make_shared<dispatch_gate>();
        made->state_.get("gate").place = detail::shared_state;
        return made;
    });
}

ANEMONE_BODY void dispatch_gate::lock() { queue().lock(); }
ANEMONE_BODY bool dispatch_gate::try_lock_for(time_span span) { return queue().lock_for(span); }
ANEMONE_BODY void dispatch_gate::unlock() { queue().unlock(); }
ANEMONE_BODY detail::run_queue& dispatch_gate::queue() {
    state& self = state_.get("gate");
    return *self.queue.get([&] { return detail::queue_owner<detail::run_queue>(self.place()); }).queue;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
