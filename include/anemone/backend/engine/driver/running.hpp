#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../one_run.hpp"
#include "dispatch.hpp"
#include "release_report.hpp"
#include "run_queue.hpp"
#include "within.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

/// Runs of what a session of either door holds: a submission with `options`, the process that made it, `run_once`, which
/// makes the calls, `conclude`, which throws what a run ended with, and the `run_step` that takes long.
namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Refuses what a fork has copied: the runtime is lost there (measured: it crashes).
template <class State> void require_ours(const State& self) {
    if (!self.is_ours())
        throw error(errc::argument, "session",
                    "belongs to process " + std::to_string(self.process) + ", this is its child " +
                        std::to_string(::getpid()) +
                        ": a program does not survive fork; compile it after the fork, or use posix_spawn");
}

/// Refuses to touch the ports of a run that is out.
template <class State> void require_idle(const State& self) {
    if (self.out)
        throw error(errc::engine, "session",
                    "busy: its run did not end within its timeout and cannot be cancelled; wait until running() is "
                    "false, or close the session and compile another");
    if (self.running)
        throw error(errc::argument, "session", "a run is submitted, or a call is out; wait for its end first");
}

/// One run on the caller's thread.
template <class State> void run_here(State& self) {
    require_ours(self);
    if (self.out)
        require_idle(self);
    const ane::detail::one_run now(self.running, "session");
    run_result result;
    {
        const std::lock_guard alone(*self.options.gate);
        result = self.run_once();
    }
    self.conclude(result);
}

/// Hands one run to the worker; gives its ticket.
template <class State> std::uint64_t submit(const std::shared_ptr<State>& self) {
    require_ours(*self);
    require_idle(*self);
    if (self->running.exchange(true, std::memory_order_acquire))
        require_idle(*self);
    try {
        return self->options.gate->queue().submit(self);
    } catch (...) {
        self->running.store(false, std::memory_order_release);
        throw;
    }
}

/// Waits for a run; 0: without a limit.
template <class State> void finish(State& self, std::uint64_t ticket, time_span limit) {
    require_ours(self);
    run_queue& queue = self.options.gate->queue();
    const auto in_time = [&] { return std::to_string(limit.nanoseconds / 1000) + " us"; };
    switch (queue.finish(self, ticket, limit)) {
    case wait_end::done: return self.conclude(queue.take(self, ticket));
    case wait_end::withdrawn:
        throw error(errc::engine, "dispatch gate",
                    "busy: runs of other sessions took all of " + in_time() +
                        "; this one was not begun: try again, or allow more time");
    case wait_end::out:
        throw error(errc::engine, self.run_step(),
                    "did not return within " + in_time() +
                        ", and cannot be cancelled; until it does, this session and every other one of its gate are "
                        "busy, and what it uses stays alive; if it never does, restart the process");
    }
}

template <class State> void run_within(const std::shared_ptr<State>& self, time_span limit) {
    if (limit == time_span::zero())
        return run_here(*self);
    const std::uint64_t ticket = submit(self);
    finish(*self, ticket, limit);
}

/// What a report gets as the status of a release that did not return in time.
inline constexpr std::int64_t timed_out = -1003;

/// The use of a session by a call that is no run; at its end the session's, if that has gone meanwhile. A template, as a
/// destructor cannot be one.
template <class State> class session_use {
public:
    explicit session_use(std::shared_ptr<State> of) : self_(std::move(of)) {
        if (self_->running.exchange(true, std::memory_order_acquire))
            require_idle(*self_);
        before_ = self_->options.gate->queue().begin_use(*self_);
    }
    session_use(const session_use&) = delete;
    session_use& operator=(const session_use&) = delete;
    ~session_use() {
        if (self_->options.gate->queue().end_use(*self_, before_))
            self_->end(*self_);
    }

private:
    std::shared_ptr<State> self_;
    submission::phase before_{};
};

/// Does something to a session that does not run, within the limit of its options for all but runs; gives what it gives.
template <class State, class Work>
auto use_within(const std::shared_ptr<State>& self, const char* what, Work work) -> decltype(work(*self)) {
    require_ours(*self);
    require_idle(*self);
    return within(self->options.setup_timeout, what, [self, work = std::move(work)]() mutable {
        const session_use<State> now(self);
        return work(*self);
    });
}

/// Ends a session by `release`, within the limit of its options. What is submitted and has not begun is withdrawn; what a
/// run that is out uses goes when it returns. Does nothing in a child after a fork.
template <class State, class Release> void end_within(const std::shared_ptr<State>& ending, Release release) {
    if (ending->is_ours() && ending->options.gate->queue().leave(*ending) && !ending->running)
        within(ending->options.setup_timeout, "release", std::move(release));
}

/// Owner of a state: at its end what is submitted and has not begun is withdrawn, and what the state holds is released,
/// within the limit of its options. A template, as a destructor cannot be one.
template <class State> struct state_owner {
    std::shared_ptr<State> shared;
    explicit state_owner(std::shared_ptr<State> made) : shared(std::move(made)) {}
    state_owner(const state_owner&) = delete;
    state_owner& operator=(const state_owner&) = delete;
    ~state_owner() {
        if (!shared)
            return;
        const std::shared_ptr<release_report> told = shared->options.report;
        try {
            end_within(shared, [ending = shared] { ending->end(*ending); });
        } catch (const error& late) {
            try {
                told->failed(late.subject(), timed_out);
            } catch (...) { // a report that throws must not end the process from a destructor
            }
        } catch (...) { // no memory
        }
    }
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
