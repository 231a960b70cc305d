#pragma once

#include <anemone/backend/engine/driver/clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

/// Whether what a caller shared with its calls is still there, without keeping any of it.
class witnesses {
public:
    template <class Thing> void watch(const std::shared_ptr<Thing>& thing) { seen_.emplace_back(thing); }

    bool all_are_there() const {
        return std::none_of(seen_.begin(), seen_.end(), [](const auto& each) { return each.expired(); });
    }
    bool all_are_gone() const {
        return std::all_of(seen_.begin(), seen_.end(), [](const auto& each) { return each.expired(); });
    }
    /// For as long as it takes: ctest has a limit.
    void await_the_end() const {
        while (!all_are_gone()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    std::vector<std::weak_ptr<const void>> seen_;
};

/// One of the calls that a life makes.
struct nth_call {
    std::string call;
    int nth = 1;
};

/// Makes each call late in a life of its own. `is_late(call, limit)` lives one within a limit, and says whether that was
/// long enough to come to the call: if not it is lived again within a longer one, so that no load can break the test.
template <class Late> void make_each_late(const std::vector<nth_call>& calls, const Late& is_late) {
    using namespace std::chrono_literals;
    for (const nth_call& each : calls) {
        CAPTURE(each.call);
        CAPTURE(each.nth);
        ane::e5rt::time_span limit = 5ms;
        while (!is_late(each, limit)) {
            limit.nanoseconds *= 4;
            REQUIRE(limit < ane::e5rt::time_span(10min));
        }
    }
}
