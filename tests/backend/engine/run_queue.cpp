#include "anemone/backend/engine/driver/run_queue.hpp"

#include "standin_bench.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <thread>
#include <utility>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;
using standin::refusal;
using standin::says;

namespace {

constexpr const char* execute_step = "e5rt_execution_stream_execute_sync";

} // namespace

TEST_CASE("engine run queue: a run that does not return is busy, never overlapped, and works once it has returned") {
    standin::bench bench;
    const std::uint64_t overlaps = bench.rt.overlaps();
    auto first = bench.open();
    auto second = bench.open();
    standin::bench::set(first.input(0), 3);
    standin::bench::set(second.input(0), 5);
    first.execute(standin::ample);
    standin::bench::set(first.input(0), 4);
    const ane::error late = bench.run_into(first, execute_step);
    const std::uint64_t executions = bench.rt.calls(execute_step);
    CHECK(late.code() == ane::errc::engine);
    CHECK(late.subject() == execute_step);
    CHECK(says(late, "000 us"));
    CHECK(says(late, "cannot be cancelled"));
    CHECK(bench.rt.hung() == 1);
    CHECK(first.running());

    CHECK(says(refusal([&] { first.execute(); }), "busy"));
    CHECK(says(refusal([&] { first.execute(20ms); }), "busy"));
    CHECK(says(refusal([&] { static_cast<void>(first.submit()); }), "busy"));
    CHECK(says(refusal([&] { first.input(0); }), "busy"));
    CHECK(says(refusal([&] { first.output(0); }), "busy"));
    CHECK(says(refusal([&] { first.reopen(); }), "busy"));

    const ane::error other = refusal([&] { second.execute(20ms); });
    CHECK(other.subject() == "dispatch gate");
    CHECK(says(other, "was not begun"));
    CHECK(!second.running());
    CHECK(says(refusal([&] { second.execute(); }), "busy")); // without a timeout: at once
    auto pending = second.submit();
    CHECK(says(refusal([&] { pending.get(); }), "busy"));
    CHECK(!second.running());
    CHECK(bench.rt.calls(execute_step) == executions); // the held one is not counted yet

    bench.rt.let_go();
    standin::await([&] { return !first.running(); });
    CHECK(standin::bench::get(first.output(0)) == 8.0F); // the late run ended well
    second.execute(standin::ample);
    CHECK(standin::bench::get(second.output(0)) == 10.0F);
    second.execute();
    first.execute(standin::ample);
    first.execute();
    CHECK(bench.rt.overlaps() == overlaps);
}

TEST_CASE("engine run queue: what a run that is out uses stays alive after its session, and goes when it returns") {
    standin::bench bench;
    const std::uint64_t live = bench.rt.live_handles();
    const int loaded = e5::loaded_programs();
    {
        auto first = bench.open_with_folder();
        first.execute();
        CHECK(bench.run_into(first, execute_step).subject() == execute_step);
        SUBCASE("closed") { first.close(); }
        SUBCASE("destroyed") {}
    }
    CHECK(bench.rt.live_handles() > live);
    CHECK(e5::loaded_programs() == loaded + 1);
    bench.rt.let_go();
    standin::await([&] { return bench.rt.live_handles() == live; });
    standin::await([&] { return e5::loaded_programs() == loaded; });
    CHECK(bench.watch->reported().empty());
    auto next = bench.open();
    next.execute(standin::ample);
}

TEST_CASE("engine run queue: a session that goes right after its run has released everything when it is gone") {
    standin::bench bench;
    const std::uint64_t live = bench.rt.live_handles();
    int late = 0;
    for (int round = 0; round != 200; ++round) {
        bench.open().submit().get(standin::ample);
        late += bench.rt.live_handles() == live ? 0 : 1;
    }
    CHECK(late == 0);
}

TEST_CASE("engine run queue: a call that hangs on its caller's thread keeps others out for their own timeout only") {
    standin::bench bench;
    auto first = bench.open();
    auto second = bench.open();
    first.execute();
    REQUIRE(bench.rt.hang(execute_step, 1) == 0);
    std::thread caller([&] { first.execute(); });
    standin::await([&] { return bench.rt.hung() == 1; });
    CHECK(says(refusal([&] { second.execute(10ms); }), "busy"));
    CHECK(!bench.gate->try_lock_for(10ms));
    bench.rt.let_go();
    caller.join();
    second.execute(standin::ample);
    CHECK(bench.gate->try_lock_for(10ms));
    bench.gate->unlock();
}

TEST_CASE("engine run queue: a slow run ends within its timeout, a run behind it is withdrawn at its own") {
    standin::bench bench;
    auto first = bench.open();
    auto second = bench.open();
    bench.rt.hang(execute_step, 1);
    auto pending = first.submit();
    CHECK(says(refusal([&] { second.execute(5ms); }), "was not begun"));
    bench.rt.let_go();
    pending.get(standin::ample);
    second.execute(standin::ample);
}

TEST_CASE("engine run queue: failed runs of the worker name the step, and the next run works") {
    standin::bench bench;
    auto session = bench.open();
    for (const char* step : {"e5rt_execution_stream_encode_operation", execute_step}) {
        bench.rt.fail(step, 1, -1);
        const ane::error failure = refusal([&] { session.execute(standin::ample); });
        CHECK(failure.subject() == step);
        CHECK(says(failure, "status -1"));
    }
    session.execute(standin::ample);
    CHECK(!session.running());
}

TEST_CASE("engine run queue: many threads, runs with and without a timeout, never two at once") {
    standin::bench bench;
    const std::uint64_t overlaps = bench.rt.overlaps();
    std::vector<e5::session> sessions;
    for (int i = 0; i != 4; ++i)
        sessions.push_back(bench.open());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i != sessions.size(); ++i)
        threads.emplace_back([&session = sessions[i], i] {
            for (int run = 0; run != 50; ++run)
                session.execute(i % 2 == 0 ? e5::time_span(standin::ample) : e5::time_span());
        });
    for (std::thread& each : threads)
        each.join();
    CHECK(bench.rt.overlaps() == overlaps);
}
