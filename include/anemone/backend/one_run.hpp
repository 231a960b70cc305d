#pragma once

#include "../base/error.hpp"
#include "../base/way.hpp"

#include <atomic>

namespace ane::detail::inline ANEMONE_WAY {

/// Whether a program is running. A run writes into the program's own memory, so two at once would corrupt each other's
/// values.
using run_flag = std::atomic<bool>;

/// One run of a program, from here to the end of the scope. Throws `error` (errc::argument) if another thread is
/// already running it. Allocates only to throw.
class one_run {
public:
    ANEMONE_INLINE one_run(run_flag& running, const char* subject) : running_(running) {
        if (running.exchange(true, std::memory_order_acquire)) {
            throw error(errc::argument, subject,
                        "runs in another thread already; a program is for one thread at a time: compile one for each");
        }
    }
    one_run(const one_run&) = delete;
    one_run& operator=(const one_run&) = delete;
    ~one_run() { running_.store(false, std::memory_order_release); }

private:
    run_flag& running_;
};

} // namespace ane::detail::inline ANEMONE_WAY
