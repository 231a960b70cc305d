#include "anemone/backend/engine/driver/within.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace std::chrono_literals;
namespace e5 = ane::e5rt;

namespace {

void await(const std::atomic<bool>& flag) {
    while (!flag)
        std::this_thread::sleep_for(1ms);
}

} // namespace

TEST_CASE("engine within: without a limit the work is the caller's, with one another thread's") {
    std::thread::id thread;
    e5::detail::within({}, "work", [&] { thread = std::this_thread::get_id(); });
    CHECK(thread == std::this_thread::get_id());
    e5::detail::within(1h, "work", [&] { thread = std::this_thread::get_id(); });
    CHECK(thread != std::this_thread::get_id());
    e5::detail::within(e5::time_span(INT64_MAX), "work", [&] { thread = std::this_thread::get_id(); });
}

TEST_CASE("engine within: what the work throws arrives, and what it owns is gone before") {
    const auto owned = std::make_shared<int>(1);
    for (const e5::time_span limit : {e5::time_span(), e5::time_span(1h)}) {
        CHECK_THROWS_WITH_AS(
            e5::detail::within(limit, "work", [kept = owned] { throw std::runtime_error(std::to_string(*kept)); }), "1",
            std::runtime_error);
        CHECK(owned.use_count() == 1);
    }
}

TEST_CASE("engine within: work that is late goes on with what it owns, and the error names the call") {
    const auto owned = std::make_shared<std::atomic<bool>>(false);
    const auto ended = std::make_shared<std::atomic<bool>>(false);
    try {
        e5::detail::within(5ms, "work", [owned, ended] {
            e5::detail::note_step("the call");
            await(*owned);
            *ended = true;
        });
        FAIL_CHECK("no error");
    } catch (const ane::error& late) {
        CHECK(late.code() == ane::errc::engine);
        CHECK((late.subject() == "the call" || late.subject() == "work")); // the thread may not have come to it
        CHECK(std::string(late.what()).find("5000 us") != std::string::npos);
    }
    CHECK(!*ended);
    *owned = true;
    await(*ended);
}
