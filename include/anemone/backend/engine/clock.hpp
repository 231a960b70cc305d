#pragma once

#include "../../way.hpp"

#include <chrono>
#include <functional>
#include <thread>

namespace ane::e5rt::inline ANEMONE_WAY {

/// Time as the driver sees it: a monotonic clock and a way to wait, both replaceable (tests).
struct clock_source {
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

    std::function<time_point()> now = [] {
        return std::chrono::time_point_cast<duration>(std::chrono::steady_clock::now());
    };
    std::function<void(duration)> sleep = [](duration span) { std::this_thread::sleep_for(span); };
};

} // namespace ane::e5rt::inline ANEMONE_WAY
