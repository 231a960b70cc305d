#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "marked_memory.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <pthread.h>
#include <time.h> // NOLINT(modernize-deprecated-headers): CLOCK_MONOTONIC
#include <type_traits>
#include <unistd.h>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// What this driver has once in a process, however many copies of it there are: header-only and compiled, in programs,
/// libraries and modules that hide their symbols, of different versions and compilers. So it is data alone, laid out as C
/// lays it out, and found by a mark in the memory of the process (marked_memory.hpp). A later version may add members at
/// the end, whose first value is zero; it must not change what is here. A child after a fork has one of its own.
///
/// Gates and pacings that are not the process's have one each, of which they use their part.
struct process_state {
    static constexpr std::uint64_t made_here = 0x31'65'6e'6f'6d'65'6e'61; // "anemone1"

    std::atomic<std::uint64_t> mark;    ///< `made_here` once the rest is made
    std::int64_t process;               ///< of which it is the state
    ::pthread_mutex_t mutex;            ///< guards all that is not atomic, for moments
    ::pthread_cond_t changed;           ///< its waits are timed by CLOCK_MONOTONIC where the system lets one choose
    std::int32_t busy;                  ///< the place to run in is taken
    std::int32_t stuck;                 ///< by a run that is no longer waited for
    std::int32_t compile_failed;        ///< and no compile has succeeded since
    std::int32_t unused;                ///< 0
    std::int64_t compile_failed_at;     ///< nanoseconds of the clock
    std::atomic<std::int32_t> loaded;   ///< programs
    std::atomic<std::int32_t> compiles; ///< of in-memory models
};
static_assert(std::is_standard_layout_v<process_state> && sizeof(process_state) <= 4096 &&
              std::atomic<std::int32_t>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// Makes a state of zeros ready.
ANEMONE_INLINE void make_ready(process_state& state) {
    ::pthread_condattr_t how;
    ::pthread_condattr_init(&how);
#if !defined(__APPLE__)
    ::pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
#endif
    ::pthread_mutex_init(&state.mutex, nullptr);
    ::pthread_cond_init(&state.changed, &how);
    ::pthread_condattr_destroy(&how);
    state.process = ::getpid();
    state.mark.store(process_state::made_here, std::memory_order_release);
}

/// The state of something that is not the process's.
ANEMONE_INLINE std::shared_ptr<process_state> own_state() {
    std::shared_ptr<process_state> made(new process_state{}, [](process_state* state) {
        if (state->process != ::getpid())
            return; // a child after a fork: a condition on which the parent's threads wait never goes
        ::pthread_cond_destroy(&state->changed);
        ::pthread_mutex_destroy(&state->mutex);
        delete state; // NOLINT(cppcoreguidelines-owning-memory)
    });
    make_ready(*made);
    return made;
}

/// Keeps those apart who look for the state at once: a lock of the C library, which all copies of the driver share. Only a
/// write to a pipe that is not read holds it long: that is not waited for.
class first_use_lock {
public:
    ANEMONE_INLINE first_use_lock() {
        for (int tries = 0; !held_ && tries != 1000; ++tries) {
            held_ = ::ftrylockfile(stderr) == 0;
            if (!held_)
                ::usleep(1000);
        }
    }
    first_use_lock(const first_use_lock&) = delete;
    first_use_lock& operator=(const first_use_lock&) = delete;
    ~first_use_lock() {
        if (held_)
            ::funlockfile(stderr);
    }

private:
    bool held_ = false;
};

/// The process's state as this copy of the driver knows it; null: not yet.
inline std::atomic<process_state*> known_state{nullptr};

/// The state of this process. Throws `error` (errc::engine) where the process cannot see its memory, or has none left.
ANEMONE_INLINE process_state& state_of_process() {
    const auto is_mine = [](const void* memory) {
        const auto& state = *static_cast<const process_state*>(memory);
        return state.mark.load(std::memory_order_acquire) == process_state::made_here && state.process == ::getpid();
    };
    process_state* known = known_state.load(std::memory_order_acquire);
    if (known != nullptr && is_mine(known))
        return *known;
    const first_use_lock alone;
    void* memory = find_marked_memory(is_mine);
    if (memory == nullptr) {
        memory = make_marked_page();
        make_ready(*new (memory) process_state{});
    }
    known = std::launder(static_cast<process_state*>(memory));
    known_state.store(known, std::memory_order_release);
    return *known;
}

/// The same as an owner of it that owns nothing.
ANEMONE_INLINE std::shared_ptr<process_state> shared_state() {
    return {std::shared_ptr<process_state>(), &state_of_process()};
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
