#include "anemone/backend/engine/driver/dispatch.hpp"

#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;

TEST_CASE("engine dispatch: the limits are those of the facts") {
    CHECK(e5::loaded_program_limit == 128);     // R116
    CHECK(e5::requests_in_flight_limit == 127); // R117
    CHECK(e5::idle_limit == 5s);                // R174
}

TEST_CASE("engine dispatch: of several sessions in several threads one runs at a time (R117, R118)") {
    fake::bench bench;
    std::vector<e5::session> sessions;
    constexpr int threads = 4;
    constexpr int runs = 25;
    for (int i = 0; i != threads; ++i)
        sessions.push_back(bench.open());
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    bench.rt.on_call = [&](std::string_view name) {
        if (!fake::has(name, "execute_sync") && !fake::has(name, "encode_operation"))
            return;
        const int present = ++inside;
        most = present > most ? present : most.load();
        std::this_thread::sleep_for(200us); // long enough for the others to come
        --inside;
    };
    std::vector<std::thread> workers;
    for (e5::session& each : sessions)
        workers.emplace_back([&each] {
            for (int i = 0; i != runs; ++i)
                each.execute();
        });
    for (std::thread& each : workers)
        each.join();
    CHECK(most == 1);
    CHECK(bench.rt.executed == threads * runs);
    bench.rt.on_call = nullptr;
}

TEST_CASE("engine dispatch: a run that fails lets the next one in") {
    fake::bench bench;
    auto first = bench.open();
    auto second = bench.open();
    bench.rt.status["e5rt_execution_stream_execute_sync"] = 5;
    fake::thrown([&] { first.execute(); });
    bench.rt.status.clear();
    CHECK_NOTHROW(second.execute());
    CHECK_NOTHROW(first.execute());
}

TEST_CASE("engine dispatch: sessions with gates of their own do not wait for each other") {
    fake::bench bench;
    bench.options.gate = std::make_shared<e5::dispatch_gate>();
    auto session = bench.open();
    // Would never return if the session took the process's gate, which is held here.
    const std::lock_guard held(*e5::dispatch_gate::process());
    session.execute();
    CHECK(bench.rt.executed == 1);
}

TEST_CASE("engine dispatch: one program more than the limit is refused before it is compiled (R116)") {
    fake::bench bench;
    const int before = e5::loaded_programs();
    bench.options.program_limit = before + 2;
    auto first = bench.open();
    auto second = bench.open();
    bench.rt.names.clear();
    const ane::error failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.code() == ane::errc::engine);
    CHECK(failure.subject() == "loaded programs");
    CHECK(fake::has(failure.what(), std::to_string(before + 2)));
    CHECK(fake::has(failure.what(), "R116"));
    CHECK(bench.rt.names.empty());
    CHECK(!bench.pacing->last_failure()); // no compile failed
    CHECK(e5::loaded_programs() == before + 2);
    first.close();
    auto third = bench.open();
    CHECK(e5::loaded_programs() == before + 2);
}

TEST_CASE("engine dispatch: 128 programs load, the next is refused (R116)") {
    fake::bench bench;
    REQUIRE(e5::loaded_programs() == 0);
    std::vector<e5::session> loaded;
    for (int i = 0; i != 128; ++i)
        loaded.push_back(bench.open());
    CHECK(fake::has(fake::thrown([&] { bench.open(); }).what(), "128"));
    loaded.pop_back();
    CHECK_NOTHROW(bench.open());
}

TEST_CASE("engine dispatch: a failed construction gives its place back") {
    fake::bench bench;
    const int before = e5::loaded_programs();
    bench.options.program_limit = before + 1;
    for (const char* step : {"e5rt_e5_compiler_compile", "e5rt_buffer_object_alloc", "e5rt_execution_stream_create"}) {
        bench.rt.status = {{step, 3}};
        CHECK(fake::thrown([&] { bench.open(); }).subject() == step);
    }
    bench.rt.status.clear();
    CHECK_NOTHROW(bench.open());
    CHECK(e5::loaded_programs() == before);
}

TEST_CASE("engine dispatch: after five seconds without a run the engine is taken for cold (R174)") {
    fake::bench bench;
    auto session = bench.open();
    CHECK(!session.idle());
    CHECK(session.cold()); // never run
    session.execute();
    CHECK(session.idle() == 0s);
    CHECK(!session.cold());
    bench.time->present += 5s - 1ns;
    CHECK(!session.cold());
    bench.time->present += 1ns;
    CHECK(session.idle() == 5s);
    CHECK(session.cold());
    bench.rt.status["e5rt_execution_stream_execute_sync"] = 5;
    fake::thrown([&] { session.execute(); });
    CHECK(session.cold()); // a run that failed warms nothing
    bench.rt.status.clear();
    session.execute();
    CHECK(!session.cold());
    session.close();
    CHECK(fake::thrown([&] { static_cast<void>(session.cold()); }).subject() == "session");
}
