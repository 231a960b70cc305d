#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_backend_engine_clock_hpp);

#include "clock.hpp"

#include <chrono>
#include <thread>

namespace ane::e5rt::inline ANEMONE_WAY {

ANEMONE_BODY_OF clock_source& clock_source::system() {
    struct steady final : clock_source { // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final
        time_point now() override { return std::chrono::steady_clock::now().time_since_epoch(); }
        void sleep(duration span) override { std::this_thread::sleep_for(std::chrono::nanoseconds(span.nanoseconds)); }
    };
    static steady only;
    return only;
}

} // namespace ane::e5rt::inline ANEMONE_WAY
