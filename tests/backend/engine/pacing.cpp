#include "anemone/backend/engine/driver/pacing.hpp"

#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <ratio>
#include <thread>
#include <type_traits>
#include <vector>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;

TEST_CASE("engine pacing: the back-off is 15 seconds") {
    CHECK(e5::default_compile_backoff == 15s);
    CHECK(e5::session_options{}.compile_backoff == 15s);
}

TEST_CASE("engine pacing: spans are those of <chrono>, in nanoseconds") {
    static_assert(e5::time_span(3h + 1ns).nanoseconds == 10'800'000'000'001);
    static_assert(e5::time_span(0.5s).nanoseconds == 500'000'000);
    static_assert(e5::time_span(1s) - 1ns < 1s && e5::time_span::zero() == 0s);
    static_assert(!std::is_convertible_v<int, e5::time_span>);                                   // no unit
    static_assert(!std::is_convertible_v<std::chrono::duration<int, std::pico>, e5::time_span>); // not whole
}

TEST_CASE("engine pacing: no failure, no wait") {
    fake::clock time;
    e5::compile_pacing pacing;
    CHECK(pacing.wait(time, 15s) == 0s);
    CHECK(time.slept.empty());
}

TEST_CASE("engine pacing: the time since the failure counts") {
    fake::clock time;
    e5::compile_pacing pacing;
    pacing.failed(time.present);
    time.present += 4s;
    CHECK(pacing.wait(time, 15s) == 11s);
    CHECK(time.slept == std::vector<e5::clock_source::duration>{11s});
    CHECK(pacing.wait(time, 15s) == 0s); // long enough ago now
    pacing.failed(time.present);
    time.present += 15s;
    CHECK(pacing.wait(time, 15s) == 0s);
    pacing.failed(time.present);
    CHECK(pacing.wait(time, 0s) == 0s);
}

TEST_CASE("engine pacing: a success clears the failure") {
    fake::clock time;
    e5::compile_pacing pacing;
    pacing.failed(time.present);
    pacing.succeeded();
    CHECK(!pacing.last_failure());
    CHECK(pacing.wait(time, 15s) == 0s);
}

TEST_CASE("engine pacing: an older failure does not replace a newer one") {
    fake::clock time;
    e5::compile_pacing pacing;
    pacing.failed(time.present + 5s);
    pacing.failed(time.present);
    CHECK(*pacing.last_failure() == time.present + 5s);
}

TEST_CASE("engine pacing: a sleep that ends early is repeated, a failure meanwhile prolongs it") {
    e5::compile_pacing pacing;
    struct restless final : fake::clock {
        e5::compile_pacing& pacing;
        explicit restless(e5::compile_pacing& with) : pacing(with) {}
        void sleep(duration span) override {
            slept.push_back(span);
            if (slept.size() == 1) {
                present += 5s; // early: 5 of 15 s
            } else if (slept.size() == 2) {
                present += span;
                pacing.failed(present); // another thread's compile failed
            } else {
                present += span;
            }
        }
    } time(pacing);
    pacing.failed(time.present);
    pacing.wait(time, 15s);
    CHECK(time.slept == std::vector<e5::clock_source::duration>{15s, 10s, 15s});
}

TEST_CASE("engine pacing: the default clock sleeps for real") {
    const auto clock = e5::clock_source::system();
    e5::clock_source& time = *clock;
    e5::compile_pacing pacing;
    const auto begin = time.now();
    pacing.failed(begin);
    pacing.wait(time, 20ms);
    CHECK(time.now() - begin >= 20ms);
}

TEST_CASE("engine pacing: may be used from several threads") {
    const auto clock = e5::clock_source::system();
    e5::clock_source& time = *clock;
    e5::compile_pacing pacing;
    std::vector<std::thread> threads;
    for (int t = 0; t != 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i != 200; ++i) {
                pacing.wait(time, 1us);
                if (i % 3 == 0)
                    pacing.failed(time.now());
                else
                    pacing.succeeded();
            }
        });
    for (std::thread& each : threads)
        each.join();
    pacing.succeeded();
    CHECK(!pacing.last_failure());
}

TEST_CASE("engine pacing: sessions share it") {
    fake::bench bench;
    bench.rt.status["e5rt_e5_compiler_compile"] = -1;
    fake::thrown([&] { bench.open(); });
    CHECK(bench.time->slept.empty());
    bench.time->present += 5s;
    fake::thrown([&] { bench.open(); }); // waits the rest of the first failure, fails again
    CHECK(bench.time->slept == std::vector<e5::clock_source::duration>{10s});
    bench.rt.status.clear();
    {
        auto session = bench.open(); // waits for the second, succeeds
        CHECK(bench.time->slept == std::vector<e5::clock_source::duration>{10s, 15s});
        auto another = bench.open(); // nothing to wait for
        CHECK(bench.time->slept.size() == 2);
    }
    bench.rt.status["e5rt_program_library_retain_program_function"] = -1; // not a compile: no pacing
    fake::thrown([&] { bench.open(); });
    bench.rt.status.clear();
    bench.open();
    CHECK(bench.time->slept.size() == 2);
}

TEST_CASE("engine pacing: the state is the process's by default") {
    fake::bench bench;
    bench.options.pacing = nullptr;
    bench.options.compile_backoff = 2s;
    bench.rt.status["e5rt_e5_compiler_compile"] = -1;
    fake::thrown([&] { bench.open(); });
    CHECK(e5::compile_pacing::process()->last_failure() == bench.time->present);
    bench.rt.status.clear();
    bench.open();
    CHECK(bench.time->slept == std::vector<e5::clock_source::duration>{2s});
    CHECK(!e5::compile_pacing::process()->last_failure());
}

TEST_CASE("engine pacing: a compile that gives no library is a failed compile") {
    fake::bench bench;
    bench.rt.null_results.insert("e5rt_e5_compiler_compile");
    const ane::error failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.subject() == "e5rt_e5_compiler_compile");
    CHECK(bench.pacing->last_failure() == bench.time->present);
    CHECK(bench.rt.live.empty());
}
