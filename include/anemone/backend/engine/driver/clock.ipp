#pragma once

#include "../../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_driver_clock_hpp);

#include "clock.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY_OF std::shared_ptr<clock_source> clock_source::system() {
    struct steady final : clock_source {
        time_point now() override { return std::chrono::steady_clock::now().time_since_epoch(); }
        void sleep(duration span) override { std::this_thread::sleep_for(std::chrono::nanoseconds(span.nanoseconds)); }
    };
    return std::make_shared<steady>();
}

} // namespace ane::e5rt::inline ANEMONE_WAY
