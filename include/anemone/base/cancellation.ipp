#pragma once

#include "cancellation.hpp"

#include <chrono>
#include <utility>

namespace ane::detail::inline ANEMONE_WAY {

/// Of this thread.
ANEMONE_INLINE cancellation*& current_cancellation() noexcept {
    static thread_local cancellation* current = nullptr;
    return current;
}

ANEMONE_BODY cancellation* cancellation_now() noexcept { return current_cancellation(); }

ANEMONE_BODY cancellation* use_cancellation(cancellation* by) noexcept {
    stop_if_wanted = by != nullptr ? +[] { stop_if_cancelled(); } : nullptr;
    return std::exchange(current_cancellation(), by);
}

ANEMONE_BODY void stop_if_cancelled(const cancellation* by) {
    if (by != nullptr && by->is_wanted()) {
        throw cancelled();
    }
}
ANEMONE_BODY void stop_if_cancelled() {
    if (cancellation* const by = current_cancellation(); by != nullptr) {
        by->ask();
        stop_if_cancelled(by);
    }
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void cancellation::ask() {
    if (asked_ == nullptr || is_wanted()) {
        return;
    }
    using namespace std::chrono;
    constexpr long long between = 20;
    const long long now = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
    if (now - asked_at_ >= between) {
        asked_at_ = now;
        if (asked_()) {
            cancel();
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
