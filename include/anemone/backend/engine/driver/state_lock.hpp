#pragma once

#include "../../../base/way.hpp"
#include "clock.hpp"
#include "process_state.hpp"
#include "within.hpp"

#include <cstdint>
#include <pthread.h>
#include <time.h> // NOLINT(modernize-deprecated-headers): clock_gettime

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// The lock of a state, and the waits of its condition.
class state_lock {
public:
    ANEMONE_INLINE explicit state_lock(process_state& of) : state_(of) { lock(); }
    state_lock(const state_lock&) = delete;
    state_lock& operator=(const state_lock&) = delete;
    ~state_lock() {
        if (held_)
            ::pthread_mutex_unlock(&state_.mutex);
    }

    ANEMONE_INLINE void lock() {
        ::pthread_mutex_lock(&state_.mutex);
        held_ = true;
    }
    ANEMONE_INLINE void unlock() {
        held_ = false;
        ::pthread_mutex_unlock(&state_.mutex);
    }

    /// Tells those who wait that something has changed.
    ANEMONE_INLINE void notify_all() const { ::pthread_cond_broadcast(&state_.changed); }
    ANEMONE_INLINE void wait() { ::pthread_cond_wait(&state_.changed, &state_.mutex); }
    template <class Condition> void wait(const Condition& condition) {
        while (!condition())
            wait();
    }
    /// Whether the condition held within the span.
    template <class Condition> bool wait_for(time_span span, const Condition& condition) {
        const time_span end = now() + time_span(waiting_time(span).count());
        while (!condition()) {
            const time_span rest = end - now();
            if (rest <= time_span::zero())
                return false;
            wait_once(end, rest);
        }
        return true;
    }

private:
    ANEMONE_INLINE static time_span now() {
        ::timespec t{};
        ::clock_gettime(CLOCK_MONOTONIC, &t);
        return time_span(std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec);
    }
    ANEMONE_INLINE static ::timespec as_c(time_span span) {
        ::timespec t{};
        t.tv_sec = static_cast<::time_t>(span.nanoseconds / 1'000'000'000);
        t.tv_nsec = static_cast<long>(span.nanoseconds % 1'000'000'000);
        return t;
    }
    ANEMONE_INLINE void wait_once([[maybe_unused]] time_span end, [[maybe_unused]] time_span rest) {
#if defined(__APPLE__)
        const ::timespec span = as_c(rest);
        ::pthread_cond_timedwait_relative_np(&state_.changed, &state_.mutex, &span);
#else
        const ::timespec when = as_c(end);
        ::pthread_cond_timedwait(&state_.changed, &state_.mutex, &when);
#endif
    }

    process_state& state_;
    bool held_ = false;
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
