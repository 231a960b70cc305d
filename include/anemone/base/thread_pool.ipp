#pragma once

#include "cancellation.hpp"
#include "error.hpp"
#include "thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <utility>
#if defined(__linux__)
#include <sched.h>
#endif

namespace ane::detail::inline ANEMONE_WAY {

/// How often this process is the child of a fork. Threads of the parent are not there in the child.
inline std::atomic<std::uint32_t>& forks() noexcept {
    static std::atomic<std::uint32_t> count{0};
    return count;
}

ANEMONE_INLINE void watch_forks() {
    static const int watching = pthread_atfork(nullptr, nullptr, [] { forks().fetch_add(1); });
    static_cast<void>(watching);
}

/// Tells the processor that this thread only waits.
ANEMONE_INLINE void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// How long a thread looks out for work before it sleeps. A virtual machine takes some tenths of a millisecond to wake a
/// processor, more than many steps take; other libraries wait for 1 to 20 ms.
inline constexpr std::chrono::milliseconds awake{1};

/// Waits until `there()`; false when it is not after `awake`.
template <class Condition> bool comes_soon(const Condition& there) {
    const auto start = std::chrono::steady_clock::now();
    do {
        for (int i = 0; i < 32; ++i) {
            if (there()) {
                return true;
            }
            pause();
        }
    } while (std::chrono::steady_clock::now() - start < awake);
    return there();
}

/// The same without an end: sleeps after that time, which `value` ends when it changes.
template <class Value, class Condition> void wait_for(const std::atomic<Value>& value, const Condition& there) {
    while (!comes_soon([&] { return there(value.load(std::memory_order_acquire)); })) {
        const Value seen = value.load(std::memory_order_acquire);
        if (there(seen)) {
            return;
        }
        value.wait(seen, std::memory_order_acquire);
    }
}

/// The parts of one step that are not yet taken: `count` of them, `next` is the first. One word, so that a thread takes a
/// part by one exchange, which fails for a step that is over.
struct parts_left {
    static constexpr int bits = 20;
    static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    static constexpr int most = static_cast<int>(mask);

    static std::uint64_t of(std::uint64_t step, int count) noexcept {
        return step << (2 * bits) | static_cast<std::uint64_t>(count) << bits;
    }
    static bool any(std::uint64_t word) noexcept { return (word & mask) < ((word >> bits) & mask); }
    static int next(std::uint64_t word) noexcept { return static_cast<int>(word & mask); }
};

/// All parts in this thread. As in a pool, none is left out when another throws.
ANEMONE_INLINE void run_here(int count, void (*part)(const void*, int), const void* context) {
    std::exception_ptr exception;
    for (int i = 0; i < count; ++i) {
        try {
            stop_if_cancelled();
            part(context, i);
        } catch (...) {
            exception = exception ? exception : std::current_exception();
        }
    }
    if (exception) {
        std::rethrow_exception(exception);
    }
}

/// What threads share. The step's own members are written before `left` is, and read after a part was taken, which the
/// step cannot end without.
struct pool_state {
    explicit pool_state(int threads) : width(threads) {}

    const int width;
    std::atomic<std::uint32_t> holder{~0U}; ///< 2 * forks() + (whether a run has the pool); else: threads do not exist
    std::atomic<std::uint64_t> left{0};
    std::atomic<std::int32_t> signal{0}; ///< changes with every step and at the end: what sleeping threads wait for
    std::atomic<bool> stopped{false};
    std::atomic<int> done{0};
    std::uint64_t steps = 0;

    void (*part)(const void*, int) = nullptr;
    const void* context = nullptr;
    const cancellation* wish = nullptr; ///< of the thread whose step it is
    int count = 0;

    std::mutex thrown;
    std::exception_ptr exception;
    int thrower = 0;

    /// A whole step, by the thread that holds the pool.
    std::exception_ptr run(int parts, void (*step)(const void*, int), const void* of) noexcept {
        part = step;
        context = of;
        wish = cancellation_now();
        count = parts;
        done.store(0, std::memory_order_relaxed);
        left.store(parts_left::of(++steps, parts), std::memory_order_release);
        announce(parts);
        work();
        wait_for(done, [parts](int now) { return now == parts; });
        return std::exchange(exception, nullptr);
    }

    /// Takes parts until there are none.
    void work() noexcept {
        std::uint64_t word = left.load(std::memory_order_acquire);
        while (parts_left::any(word)) {
            if (left.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
                compute(parts_left::next(word));
                word = left.load(std::memory_order_acquire);
            }
        }
    }

    void compute(int index) noexcept {
        try {
            stop_if_cancelled(); // in the calling thread, which may have a question
            stop_if_cancelled(wish);
            part(context, index);
        } catch (...) {
            const std::lock_guard lock(thrown);
            if (!exception || index < thrower) {
                exception = std::current_exception();
                thrower = index;
            }
        }
        const int all = count; // another step may have begun when the last part is counted
        if (done.fetch_add(1, std::memory_order_acq_rel) + 1 == all) {
            done.notify_one();
        }
    }

    void serve() noexcept {
        for (;;) {
            const std::int32_t seen = signal.load(std::memory_order_acquire);
            if (stopped.load(std::memory_order_acquire)) {
                return;
            }
            work();
            wait_for(signal, [seen](std::int32_t now) { return now != seen; });
        }
    }

    /// Tells as many threads as there are parts for. Costs a call of the system only for those that sleep.
    void announce(int parts) noexcept {
        signal.fetch_add(1, std::memory_order_release);
        if (parts >= width) {
            signal.notify_all();
            return;
        }
        for (int i = 1; i < parts; ++i) {
            signal.notify_one();
        }
    }
};

/// Owned by the pool. The threads keep what they share alive: after a fork, and when the pool is gone.
struct pool_threads {
    explicit pool_threads(int width) : state(std::make_shared<pool_state>(width)) {}
    pool_threads(const pool_threads&) = delete;
    pool_threads& operator=(const pool_threads&) = delete;
    ~pool_threads() {
        state->stopped.store(true, std::memory_order_release);
        state->announce(state->width);
    }

    void start() const {
        for (int i = 1; i < state->width; ++i) {
            try {
                std::thread([shared = state] { shared->serve(); }).detach();
            } catch (const std::exception&) { // std::system_error or std::bad_alloc
                return;                       // the others, and the calling thread, take all parts
            }
        }
    }

    std::shared_ptr<pool_state> state;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY void thread_pool::create(int threads) {
    if (threads < 1 || threads > most_threads) {
        throw error(errc::argument, "thread pool",
                    std::to_string(threads) + " threads, from 1 to " + std::to_string(most_threads) + " are possible");
    }
    detail::watch_forks();
    width_ = threads;
    threads_ = hidden<detail::pool_threads>::of(new detail::pool_threads(threads));
}

ANEMONE_BODY void thread_pool::share(int count, void (*part)(const void* context, int index), const void* context) {
    const detail::pool_threads& threads = threads_.get("thread pool");
    detail::pool_state& state = *threads.state;
    const std::uint32_t free = 2 * detail::forks().load(std::memory_order_acquire);
    std::uint32_t holder = state.holder.load(std::memory_order_relaxed);
    if (count < 2 || width_ < 2 || count > detail::parts_left::most || holder == free + 1 ||
        !state.holder.compare_exchange_strong(holder, free + 1, std::memory_order_acquire)) {
        detail::run_here(count, part, context);
        return;
    }
    if (holder != free) { // the first run of this process
        state.left.store(0, std::memory_order_relaxed);
        threads.start();
    }
    const std::exception_ptr exception = state.run(count, part, context);
    state.holder.store(free, std::memory_order_release);
    if (exception) {
        std::rethrow_exception(exception);
    }
}

ANEMONE_BODY int available_threads() noexcept {
#if defined(__linux__)
    cpu_set_t allowed; // hardware_concurrency counts processors that this process may not use
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        return std::clamp(CPU_COUNT(&allowed), 1, thread_pool::most_threads);
    }
#endif
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, thread_pool::most_threads);
}

ANEMONE_BODY thread_pool& process_threads() {
    static thread_pool& pool = *new thread_pool(available_threads()); // its threads may outlive static objects
    return pool;
}

} // namespace ane::inline ANEMONE_WAY
