#pragma once

#include "../../base/error.hpp"
#include "../../base/way.hpp"
#include "../one_run.hpp"
#include "clock.hpp"
#include "within.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
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
    std::atomic<bool> out{false}; ///< whoever waited for the run has given up
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
/// runtime cannot be cancelled, and a second one beside it never completes (R118): while one is out nobody gets in, and
/// what it works with stays alive, since the worker owns it until the call returns. The worker owns the queue too.
class run_queue : public std::enable_shared_from_this<run_queue> {
public:
    /// Waits for the place. Throws `error(errc::engine)` where that could take for ever: a run is out.
    ANEMONE_INLINE void lock() {
        std::unique_lock hold(mutex_);
        while (busy_) {
            refuse_if_stuck();
            changed_.wait(hold);
        }
        busy_ = true;
    }
    ANEMONE_INLINE bool lock_for(time_span span) {
        std::unique_lock hold(mutex_);
        if (!wait(hold, span, [this] { return !busy_; }))
            return false;
        busy_ = true;
        return true;
    }
    ANEMONE_INLINE void unlock() {
        {
            const std::lock_guard hold(mutex_);
            busy_ = stuck_ = false;
        }
        changed_.notify_all();
    }

    /// Queues a run, whose flag `running` the caller has set; gives its ticket.
    ANEMONE_INLINE std::uint64_t submit(std::shared_ptr<submission> run) {
        const std::lock_guard hold(mutex_);
        if (!working_)
            start();
        submission& queued = *run;
        queued.now = submission::phase::queued;
        std::shared_ptr<submission>* place = &first_;
        while (*place)
            place = &(*place)->next;
        *place = std::move(run);
        changed_.notify_all();
        return ++queued.ticket;
    }

    /// Waits for a submitted run, 0: without a limit. Throws `error(errc::engine)` instead of waiting without a limit
    /// for a call that is out.
    ANEMONE_INLINE wait_end finish(submission& run, std::uint64_t ticket, time_span span) {
        std::unique_lock hold(mutex_);
        if (run.ticket != ticket)
            return wait_end::done; // long ago; another one may be on its way
        const auto ended = [&] { return run.now == submission::phase::done || run.now == submission::phase::idle; };
        if (span == time_span::zero())
            while (!ended()) {
                if (stuck_ && withdraw(run))
                    refuse_if_stuck();
                changed_.wait(hold);
            }
        else if (!wait(hold, span, ended)) {
            if (withdraw(run))
                return wait_end::withdrawn;
            run.out = stuck_ = true;
            hold.unlock();
            changed_.notify_all(); // those who wait without a limit
            return wait_end::out;
        }
        return wait_end::done;
    }
    /// Whether the run of this ticket has ended within the span.
    ANEMONE_INLINE bool ended(const submission& run, std::uint64_t ticket, time_span span) {
        std::unique_lock hold(mutex_);
        return wait(hold, span, [&] {
            return run.ticket != ticket || run.now == submission::phase::done || run.now == submission::phase::idle;
        });
    }
    /// A session ends: its run is withdrawn if it has not begun. Whether what the session holds is to be released; else the
    /// worker does that when the call returns.
    ANEMONE_INLINE bool leave(submission& run) {
        const std::lock_guard hold(mutex_);
        if (withdraw(run) || run.now != submission::phase::started)
            return true;
        run.left = true;
        return false;
    }
    /// A call that is no run begins and ends to use the session of this run, which the caller has marked `running`. The
    /// end says whether the session has left meanwhile; then what it holds is to be released.
    ANEMONE_INLINE submission::phase begin_use(submission& run) {
        const std::lock_guard hold(mutex_);
        return std::exchange(run.now, submission::phase::started);
    }
    ANEMONE_INLINE bool end_use(submission& run, submission::phase before) {
        const std::lock_guard hold(mutex_);
        run.now = before;
        run.running.store(false, std::memory_order_release);
        return run.left;
    }
    /// Withdraws a run that has not begun; whether it did.
    ANEMONE_INLINE bool cancel(submission& run, std::uint64_t ticket) {
        const std::lock_guard hold(mutex_);
        return run.ticket == ticket && withdraw(run);
    }
    /// The result of a run, which can be taken once; throws `error(errc::argument)` where there is none.
    ANEMONE_INLINE run_result take(submission& run, std::uint64_t ticket) {
        const std::lock_guard hold(mutex_);
        if (run.ticket != ticket || run.now != submission::phase::done)
            throw error(errc::argument, "run", "has no result: it was cancelled, its result taken, or it ran again");
        run.now = submission::phase::idle;
        return run.result;
    }

    /// Lets the worker go, and waits until it is gone unless it is out in a call, or is the one that asks. A child after a
    /// fork has no worker.
    ANEMONE_INLINE void stop() noexcept {
        if (process_ != ::getpid())
            return;
        std::unique_lock hold(mutex_);
        stopping_ = true;
        changed_.notify_all();
        changed_.wait(hold, [this] { return !working_ || calling_; });
    }

private:
    ANEMONE_INLINE void refuse_if_stuck() const {
        if (stuck_)
            throw error(errc::engine, "dispatch gate",
                        "busy: a run that did not return within its timeout is still out, and a second one beside it "
                        "would never complete (R118); try again when it has returned, or restart the process");
    }

    template <class Condition>
    bool wait(std::unique_lock<std::mutex>& hold, time_span span, const Condition& condition) {
        return changed_.wait_for(hold, waiting_time(span), condition);
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
        std::unique_lock hold(mutex_);
        while (true) {
            changed_.wait(hold, [this] { return stopping_ || (first_ && !busy_); });
            if (stopping_)
                break;
            std::shared_ptr<submission> run = std::move(first_);
            first_ = std::move(run->next);
            run->now = submission::phase::started;
            busy_ = calling_ = true;
            hold.unlock();
            const run_result result = run->run(*run);
            hold.lock();
            run->result = result;
            run->now = submission::phase::done;
            run->out = false;
            run->running.store(false, std::memory_order_release);
            if (run->left) { // what it holds goes before anything else runs; without the lock, as releases may hang too
                stuck_ = true;
                changed_.notify_all();
                hold.unlock();
                run->end(*run);
                run.reset();
                hold.lock();
            }
            run.reset(); // never the last owner: a session that goes would have to leave first, which takes the lock
            busy_ = calling_ = stuck_ = false;
            changed_.notify_all();
        }
        working_ = false;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<submission> first_;
    bool busy_ = false;    ///< the place is taken
    bool stuck_ = false;   ///< by a run that nobody waits for any more
    bool calling_ = false; ///< by the worker
    bool working_ = false; ///< there is a worker
    bool stopping_ = false;
    ::pid_t process_ = ::getpid();
};

/// Owner of a queue that stops its worker at the end. A template, as a destructor cannot be one.
template <class Queue> struct queue_owner {
    std::shared_ptr<Queue> queue = std::make_shared<Queue>();
    queue_owner() = default;
    queue_owner(const queue_owner&) = delete;
    queue_owner& operator=(const queue_owner&) = delete;
    ~queue_owner() { queue->stop(); }
};

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
