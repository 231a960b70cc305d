#ifndef ANEMONE_BACKEND_ENGINE_DRIVER_CLOCK_HPP
#define ANEMONE_BACKEND_ENGINE_DRIVER_CLOCK_HPP

#include "../../../base/way.hpp"

#include <compare>
#include <cstdint>
#include <memory>

namespace ane::e5rt::inline ANEMONE_WAY {

/// A span of time in nanoseconds. Every std::chrono::duration of whole nanoseconds converts to it, so that options
/// accept `15s` without including <chrono>.
struct time_span {
    std::int64_t nanoseconds = 0;

    constexpr time_span() = default;
    explicit constexpr time_span(std::int64_t count) : nanoseconds(count) {}
    template <class Duration>
        requires(1'000'000'000 * Duration::period::num % Duration::period::den == 0)
    constexpr time_span(const Duration& span) // NOLINT(google-explicit-constructor): the same thing in another type
        : nanoseconds(static_cast<std::int64_t>(span.count() *
                                                (1'000'000'000 * Duration::period::num / Duration::period::den))) {}

    static constexpr time_span zero() noexcept { return {}; }

    constexpr time_span& operator+=(time_span other) noexcept {
        nanoseconds += other.nanoseconds;
        return *this;
    }
    friend constexpr time_span operator+(time_span a, time_span b) noexcept { return a += b; }
    friend constexpr time_span operator-(time_span a, time_span b) noexcept {
        return time_span(a.nanoseconds - b.nanoseconds);
    }
    friend constexpr auto operator<=>(const time_span&, const time_span&) = default; // NOLINT(modernize-use-nullptr)
};

/// Time as the driver sees it: a monotonic clock and a way to wait. Derive from it to replace both (tests).
class clock_source {
public:
    virtual ~clock_source() = default;

    using duration = time_span;
    using time_point = time_span; ///< since the clock's arbitrary epoch

    virtual time_point now() = 0;
    virtual void sleep(duration span) = 0;

    /// std::chrono::steady_clock, and waiting for real.
    ANEMONE_API_OF(anemone_backend_engine_driver_clock_hpp)
    static std::shared_ptr<clock_source> system();
};

} // namespace ane::e5rt::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "clock.ipp"
#endif
