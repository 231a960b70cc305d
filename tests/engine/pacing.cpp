#include "anemone/backend/engine/pacing.hpp"

#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;

namespace {

struct fake_time {
    e5::clock_source::time_point now{1h};
    std::vector<e5::clock_source::duration> slept;
    e5::clock_source source() {
        return {[this] { return now; },
                [this](e5::clock_source::duration span) {
                    slept.push_back(span);
                    now += span;
                }};
    }
};

} // namespace

TEST_CASE("engine pacing: the back-off is 15 seconds") {
    CHECK(e5::default_compile_backoff == 15s);
    CHECK(e5::session_options{}.compile_backoff == 15s);
}

TEST_CASE("engine pacing: no failure, no wait") {
    fake_time time;
    e5::compile_pacing pacing;
    CHECK(pacing.wait(time.source(), 15s) == 0s);
    CHECK(time.slept.empty());
}

TEST_CASE("engine pacing: the time since the failure counts") {
    fake_time time;
    e5::compile_pacing pacing;
    pacing.failed(time.now);
    time.now += 4s;
    CHECK(pacing.wait(time.source(), 15s) == 11s);
    CHECK(time.slept == std::vector<e5::clock_source::duration>{11s});
    CHECK(pacing.wait(time.source(), 15s) == 0s); // long enough ago now
    pacing.failed(time.now);
    time.now += 15s;
    CHECK(pacing.wait(time.source(), 15s) == 0s);
    pacing.failed(time.now);
    CHECK(pacing.wait(time.source(), 0s) == 0s);
}

TEST_CASE("engine pacing: a success clears the failure") {
    fake_time time;
    e5::compile_pacing pacing;
    pacing.failed(time.now);
    pacing.succeeded();
    CHECK(!pacing.last_failure());
    CHECK(pacing.wait(time.source(), 15s) == 0s);
}

TEST_CASE("engine pacing: an older failure does not replace a newer one") {
    fake_time time;
    e5::compile_pacing pacing;
    pacing.failed(time.now + 5s);
    pacing.failed(time.now);
    CHECK(*pacing.last_failure() == time.now + 5s);
}

TEST_CASE("engine pacing: a sleep that ends early is repeated, a failure meanwhile prolongs it") {
    fake_time time;
    e5::compile_pacing pacing;
    pacing.failed(time.now);
    int sleeps = 0;
    e5::clock_source source = time.source();
    source.sleep = [&](e5::clock_source::duration span) {
        time.slept.push_back(span);
        ++sleeps;
        if (sleeps == 1) {
            time.now += span / 3; // early: 5 of 15 s
        } else if (sleeps == 2) {
            time.now += span;
            pacing.failed(time.now); // another thread's compile failed
        } else {
            time.now += span;
        }
    };
    pacing.wait(source, 15s);
    CHECK(time.slept == std::vector<e5::clock_source::duration>{15s, 10s, 15s});
}

TEST_CASE("engine pacing: the default clock sleeps for real") {
    const e5::clock_source time;
    e5::compile_pacing pacing;
    const auto begin = time.now();
    pacing.failed(begin);
    pacing.wait(time, 20ms);
    CHECK(time.now() - begin >= 20ms);
}

TEST_CASE("engine pacing: may be used from several threads") {
    const e5::clock_source time;
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
    CHECK(bench.slept.empty());
    bench.now += 5s;
    fake::thrown([&] { bench.open(); }); // waits the rest of the first failure, fails again
    CHECK(bench.slept == std::vector<e5::clock_source::duration>{10s});
    bench.rt.status.clear();
    {
        auto session = bench.open(); // waits for the second, succeeds
        CHECK(bench.slept == std::vector<e5::clock_source::duration>{10s, 15s});
        auto another = bench.open(); // nothing to wait for
        CHECK(bench.slept.size() == 2);
    }
    bench.rt.status["e5rt_program_library_retain_program_function"] = -1; // not a compile: no pacing
    fake::thrown([&] { bench.open(); });
    bench.rt.status.clear();
    bench.open();
    CHECK(bench.slept.size() == 2);
}

TEST_CASE("engine pacing: the state is the process's by default") {
    fake::bench bench;
    bench.options.pacing = nullptr;
    bench.options.compile_backoff = 2s;
    bench.rt.status["e5rt_e5_compiler_compile"] = -1;
    fake::thrown([&] { bench.open(); });
    CHECK(e5::compile_pacing::process().last_failure() == bench.now);
    bench.rt.status.clear();
    bench.open();
    CHECK(bench.slept == std::vector<e5::clock_source::duration>{2s});
    CHECK(!e5::compile_pacing::process().last_failure());
}

TEST_CASE("engine pacing: a compile that gives no library is a failed compile") {
    fake::bench bench;
    bench.rt.null_results.insert("e5rt_e5_compiler_compile");
    const ane::error failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.subject() == "e5rt_e5_compiler_compile");
    CHECK(bench.pacing.last_failure() == bench.now);
    CHECK(bench.rt.live.empty());
}
