#pragma once

#include "executor.hpp"
#include "hidden.hpp"
#include "way.hpp"

namespace ane::detail::inline ANEMONE_WAY {
struct pool_threads;
} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// Threads that wait for parts of steps. They start with the first run that has more than one part, look out for the
/// next one for a millisecond, and sleep until it comes after that.
///
/// A run that finds the pool at work for another thread, or that comes out of one of its own parts, computes all parts
/// in the calling thread: no run waits for another, so none can wait forever. The child of a fork starts threads of its
/// own. Where the system has no more threads, fewer share the parts.
class thread_pool final : public executor {
public:
    /// Of `threads` threads, the calling one among them. Throws `error` (errc::argument) for less than one or more than
    /// `most_threads`.
    explicit thread_pool(int threads) { create(threads); }

    static constexpr int most_threads = 1024;

    int width() const noexcept override { return width_; }
    void run(int count, void (*part)(const void* context, int index), const void* context) override {
        share(count, part, context);
    }

private:
    ANEMONE_API void create(int threads);
    ANEMONE_API void share(int count, void (*part)(const void* context, int index), const void* context);

    int width_ = 1;
    hidden<detail::pool_threads> threads_;
};

/// How many threads this process may run at the same time.
ANEMONE_API int available_threads() noexcept;

/// The pool of this process, of `available_threads()` threads: the executor of every program that was given none. It
/// lives as long as the process.
ANEMONE_API thread_pool& process_threads();

} // namespace ane::inline ANEMONE_WAY

#if !defined(ANEMONE_COMPILED)
#include "thread_pool.ipp"
#endif
