#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"
#include "clock.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

namespace ane::e5rt::detail::inline ANEMONE_WAY {

/// Where the calls of a thread are noted while they are waited for with a limit; null: nowhere.
inline thread_local std::atomic<const char*>* noted_step = nullptr;

/// Notes the call into the runtime that comes now.
ANEMONE_INLINE void note_step(const char* name) noexcept {
    if (noted_step != nullptr)
        noted_step->store(name, std::memory_order_relaxed);
}

/// Longer waits would overflow the clock of a condition: a year.
ANEMONE_INLINE std::chrono::nanoseconds waiting_time(time_span span) {
    constexpr std::int64_t year = 31'536'000'000'000'000;
    return std::chrono::nanoseconds(span.nanoseconds < year ? span.nanoseconds : year);
}

/// Does `work`, waits for its end, no longer than the limit, and gives what it gives; 0: without a limit, on the caller's
/// thread. A call into the runtime cannot be cancelled: when the time is up `error(errc::engine)` is thrown, and a thread
/// that belongs to the work goes on with it. So the work must own, or share, whatever it uses. Whether it was in time is
/// decided once: a result that comes too late is discarded, and goes on that thread. `what` is the subject of the error
/// unless a call was noted.
template <class Work> auto within(time_span limit, const char* what, Work work) -> decltype(work()) {
    if (limit == time_span::zero())
        return work();
    using given = decltype(work());
    constexpr bool gives_nothing = std::is_void_v<given>;
    using kept = std::conditional_t<gives_nothing, std::monostate, given>;
    struct outcome {
        std::mutex mutex;
        std::condition_variable changed;
        std::atomic<const char*> step{nullptr};
        std::exception_ptr failure;
        std::optional<kept> value;
        bool ended = false;
        bool given_up = false;
    };
    const auto result = std::make_shared<outcome>();
    try {
        std::thread([result, work = std::move(work)]() mutable {
            noted_step = &result->step;
            std::exception_ptr failure;
            std::optional<kept> value;
            try {
                auto mine = std::move(work); // destroyed before the result is reported
                if constexpr (gives_nothing)
                    mine();
                else
                    value.emplace(mine());
            } catch (...) {
                failure = std::current_exception();
            }
            {
                const std::lock_guard hold(result->mutex);
                if (!result->given_up) {
                    result->failure = std::move(failure);
                    result->value = std::exchange(value, std::nullopt);
                }
                result->ended = true;
            }
            result->changed.notify_all();
        }).detach();
    } catch (const std::system_error& failure) {
        throw error(errc::engine, what, std::string("a thread cannot be started: ") + failure.what());
    }
    std::unique_lock hold(result->mutex);
    if (!result->changed.wait_for(hold, waiting_time(limit), [&] { return result->ended; })) {
        result->given_up = true;
        hold.unlock();
        const char* const step = result->step.load(std::memory_order_relaxed);
        throw error(errc::engine, step != nullptr ? step : what,
                    "did not return within " + std::to_string(limit.nanoseconds / 1000) +
                        " us, and cannot be cancelled; what it works with stays alive until it does: try again later "
                        "or with more time; if it never does, restart the process");
    }
    if (result->failure)
        std::rethrow_exception(std::exchange(result->failure, nullptr));
    if constexpr (!gives_nothing)
        return std::move(*result->value);
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
