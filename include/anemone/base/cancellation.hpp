#pragma once

#include "stop_point.hpp"
#include "way.hpp"

#include <atomic>
#include <stdexcept>

namespace ane {

/// Ends a call that the caller wants no more of. No `error`: nothing is wrong, and no reader takes it for a fault of a file.
struct cancelled : std::runtime_error {
    cancelled() : std::runtime_error("the call was cancelled") {}
};

} // namespace ane

namespace ane::inline ANEMONE_WAY {

class cancellation;

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// What ends this thread's calls; null: nothing.
ANEMONE_API cancellation* cancellation_now() noexcept;
/// Another one from here on; gives the one before.
ANEMONE_API cancellation* use_cancellation(cancellation* by) noexcept;

/// Throws `cancelled` where somebody wants that. Long loops call it every few milliseconds.
ANEMONE_API void stop_if_cancelled();
/// The same for a thread that works for another one.
ANEMONE_API void stop_if_cancelled(const cancellation* by);

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// A wish that long calls end. `cancel` may be called by any thread and by a signal handler, before or during the calls.
class cancellation {
public:
    /// Asked now and then, at most every few milliseconds, by the thread whose calls they are: whether they are to end.
    using question = bool (*)();

    cancellation() = default;
    explicit cancellation(question asked) : asked_(asked) {}
    cancellation(const cancellation&) = delete;
    cancellation& operator=(const cancellation&) = delete;

    void cancel() noexcept { wanted_.store(true, std::memory_order_relaxed); }
    bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

    /// By the thread whose calls they are.
    ANEMONE_API void ask();

private:
    std::atomic<bool> wanted_{false};
    question asked_ = nullptr;
    long long asked_at_ = 0; ///< ms of a steady clock
};

/// While it lives, what this thread calls ends with `cancelled` soon after `cancel`: a run between the parts of
/// an operation, a search between its steps. What such a call was to write is then not written; a program's states are as
/// before the run.
///
///     ane::cancellation wish;                  // another thread calls wish.cancel()
///     const ane::cancellable calls(wish);
///     program.run(inputs, outputs);            // throws ane::cancelled
class cancellable {
public:
    explicit cancellable(cancellation& by) noexcept : before_(detail::use_cancellation(&by)) {}
    cancellable(const cancellable&) = delete;
    cancellable& operator=(const cancellable&) = delete;
    ~cancellable() {
        detail::use_cancellation(before_);
        detail::stop_if_wanted = stop_before_;
    }

private:
    detail::stop_function stop_before_ = detail::stop_if_wanted;
    cancellation* before_;
};

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "cancellation.ipp"
#endif
