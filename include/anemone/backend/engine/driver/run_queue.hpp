#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "../../one_run.hpp"
#include "clock.hpp"
#include "process_state.hpp"
#include "state_lock.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// What a run ended with: the call that failed, null when none did, and its status.
struct run_result {
    const char* step = nullptr;
    std::int64_t status = 0;
};

/// A run that is handed to the worker, and, in `running`, any run of its session. The lock of the queue guards the rest.
struct submission {
    enum class phase { idle, queued, started, done };

    run_result (*run)(submission& self) noexcept = nullptr;
    void (*end)(submission& self) noexcept = nullptr; ///< releases what the session holds
    ane::detail::run_flag running{false};
    std::atomic<bool> out{false}; ///< the wait for the run has ended without it
    phase now = phase::idle;
    std::uint64_t ticket = 0; ///< counts the submissions, so that the result of one is not taken for that of another
    bool left = false;        ///< its session has gone while the call was out
    run_result result;
    std::shared_ptr<submission> next;
};

/// How a wait ended.
enum class wait_end {
    done,      ///< the run is over
    withdrawn, ///< the time was up before the run began: it will not
    out        ///< the time was up, and the call has not returned
};

/// What a gate is made of: one place to run in, and one worker that runs what is submitted, in order. A call into the
/// runtime cannot be cancelled, and a second one beside it never completes (R118): while one is out no other gets in, and
/// what it works with stays alive, since the worker owns it until the call returns. The worker owns the queue too. The
/// place may be that of other queues as well, in other copies of this driver: it is in the state.
class run_queue : public std::enable_shared_from_this<run_queue> {
public:
    ANEMONE_INLINE explicit run_queue(std::shared_ptr<process_state> of) : state_(std::move(of)) {}

    /// Waits for the place. Throws `error(errc::engine)` where that could take for ever: a run is out.
    ANEMONE_INLINE void lock() {
        state_lock hold(*state_);
        while (state_->busy != 0) {
            refuse_if_stuck();
            hold.wait();
        }
        state_->busy = 1;
    }
    ANEMONE_INLINE bool lock_for(time_span span) {
        state_lock hold(*state_);
        if (!hold.wait_for(span, [this] { return state_->busy == 0; }))
            return false;
        state_->busy = 1;
        return true;
    }
    ANEMONE_INLINE void unlock() {
        state_lock hold(*state_);
        state_->busy = state_->stuck = 0;
        hold.notify_all();
    }

    /// Queues a run, whose flag `running` the caller has set; gives its ticket.
    ANEMONE_INLINE std::uint64_t submit(std::shared_ptr<submission> run) {
        const state_lock hold(*state_);
        if (!working_)
            start();
        submission& queued = *run;
        queued.now = submission::phase::queued;
        std::shared_ptr<submission>* place = &first_;
        while (*place)
            place = &(*place)->next;
        *place = std::move(run);
        hold.notify_all();
        return ++queued.ticket;
    }

    /// Waits for a submitted run, 0: without a limit. Throws `error(errc::engine)` instead of waiting without a limit
    /// for a call that is out.
    ANEMONE_INLINE wait_end finish(submission& run, std::uint64_t ticket, time_span span) {
        state_lock hold(*state_);
        if (run.ticket != ticket)
            return wait_end::done; // long ago; another one may be on its way
        const auto ended = [&run] { return has_ended(run); };
        if (span == time_span::zero())
            while (!ended()) {
                if (state_->stuck != 0 && withdraw(run))
                    refuse_if_stuck();
                hold.wait();
            }
        else if (!hold.wait_for(span, ended)) {
            if (withdraw(run))
                return wait_end::withdrawn;
            run.out = true;
            state_->stuck = 1;
            hold.notify_all(); // those who wait without a limit
            return wait_end::out;
        }
        return wait_end::done;
    }
    /// Whether the run of this ticket has ended within the span.
    ANEMONE_INLINE bool ended(const submission& run, std::uint64_t ticket, time_span span) {
        state_lock hold(*state_);
        return hold.wait_for(span, [&] { return run.ticket != ticket || has_ended(run); });
    }
    /// A session ends: its run is withdrawn if it has not begun. Whether what the session holds is to be released; else the
    /// worker does that when the call returns.
    ANEMONE_INLINE bool leave(submission& run) {
        const state_lock hold(*state_);
        if (withdraw(run) || run.now != submission::phase::started)
            return true;
        run.left = true;
        return false;
    }
    /// A call that is no run begins and ends to use the session of this run, which the caller has marked `running`. The
    /// end says whether the session has left meanwhile; then what it holds is to be released.
    ANEMONE_INLINE submission::phase begin_use(submission& run) {
        const state_lock hold(*state_);
        return std::exchange(run.now, submission::phase::started);
    }
    ANEMONE_INLINE bool end_use(submission& run, submission::phase before) {
        const state_lock hold(*state_);
        run.now = before;
        run.running.store(false, std::memory_order_release);
        return run.left;
    }
    /// Withdraws a run that has not begun; whether it did.
    ANEMONE_INLINE bool cancel(submission& run, std::uint64_t ticket) {
        const state_lock hold(*state_);
        return run.ticket == ticket && withdraw(run);
    }
    /// The result of a run, which can be taken once; throws `error(errc::argument)` where there is none.
    ANEMONE_INLINE run_result take(submission& run, std::uint64_t ticket) {
        const state_lock hold(*state_);
        if (run.ticket != ticket || run.now != submission::phase::done)
            throw error(errc::argument, "run", "has no result: it was cancelled, its result taken, or it ran again");
        run.now = submission::phase::idle;
        return run.result;
    }

    /// Lets the worker go, and waits until it is gone unless it is out in a call, or is the one that asks.
    ANEMONE_INLINE void stop() noexcept {
        state_lock hold(*state_);
        stopping_ = true;
        hold.notify_all();
        hold.wait([this] { return !working_ || calling_; });
    }

private:
    static bool has_ended(const submission& run) {
        return run.now == submission::phase::done || run.now == submission::phase::idle;
    }

    ANEMONE_INLINE void refuse_if_stuck() const {
        if (state_->stuck != 0)
            throw error(errc::engine, "dispatch gate",
                        "busy: a run that did not return within its timeout is still out, and a second one beside it "
                        "would never complete (R118); try again when it has returned, or restart the process");
    }

    ANEMONE_INLINE bool withdraw(submission& run) {
        for (std::shared_ptr<submission>* place = &first_; *place; place = &(*place)->next)
            if (place->get() == &run) {
                const std::shared_ptr<submission> kept = std::move(*place);
                *place = std::move(kept->next);
                run.now = submission::phase::idle;
                run.running.store(false, std::memory_order_release);
                return true;
            }
        return false;
    }

    ANEMONE_INLINE void start() {
        try {
            std::thread([self = shared_from_this()] { self->work(); }).detach();
        } catch (const std::system_error& failure) {
            throw error(errc::engine, "worker", std::string("the thread cannot be started: ") + failure.what());
        }
        working_ = true;
    }

    ANEMONE_INLINE void work() noexcept {
        state_lock hold(*state_);
        while (true) {
            hold.wait([this] { return stopping_ || (first_ && state_->busy == 0); });
            if (stopping_)
                break;
            std::shared_ptr<submission> run = std::move(first_);
            first_ = std::move(run->next);
            run->now = submission::phase::started;
            state_->busy = 1;
            calling_ = true;
            hold.unlock();
            const run_result result = run->run(*run);
            hold.lock();
            run->result = result;
            run->now = submission::phase::done;
            run->out = false;
            run->running.store(false, std::memory_order_release);
            if (run->left) { // what it holds goes before anything else runs; without the lock, as releases may hang too
                state_->stuck = 1;
                hold.notify_all();
                hold.unlock();
                run->end(*run);
                run.reset();
                hold.lock();
            }
            run.reset(); // never the last owner: a session that goes would have to leave first, which takes the lock
            state_->busy = state_->stuck = 0;
            calling_ = false;
            hold.notify_all();
        }
        working_ = false;
        hold.notify_all();
    }

    std::shared_ptr<process_state> state_; ///< whose lock guards the rest too
    std::shared_ptr<submission> first_;
    bool calling_ = false; ///< the worker is out
    bool working_ = false; ///< there is a worker
    bool stopping_ = false;
};

/// Owner of a queue that stops its worker at the end. A template, as a destructor cannot be one.
template <class Queue> struct queue_owner {
    std::shared_ptr<Queue> queue;
    explicit queue_owner(std::shared_ptr<process_state> of) : queue(std::make_shared<Queue>(std::move(of))) {}
    queue_owner(queue_owner&&) noexcept = default;
    queue_owner(const queue_owner&) = delete;
    queue_owner& operator=(const queue_owner&) = delete;
    ~queue_owner() {
        if (queue)
            queue->stop();
    }
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
