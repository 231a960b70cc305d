#pragma once

#include "pending_run.hpp"
#include "session_state.hpp"

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY bool pending_run::wait_for(clock_source::duration span) const {
    detail::require_ours(*session_);
    return session_->options.gate->queue().ended(*session_, ticket_, span);
}
ANEMONE_BODY void pending_run::get(clock_source::duration timeout) { detail::finish(*session_, ticket_, timeout); }
ANEMONE_BODY bool pending_run::cancel() {
    detail::require_ours(*session_);
    return session_->options.gate->queue().cancel(*session_, ticket_);
}

} // namespace ane::e5rt::inline ANEMONE_WAY
