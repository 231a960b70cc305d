#include "anemone/backend/engine/e5rt/pending_run.hpp"

#include "standin_bench.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;
using standin::refusal;
using standin::says;

TEST_CASE("engine pending run: submit, wait, get once") {
    standin::bench bench;
    auto session = bench.open();
    standin::bench::set(session.input(0), 2);
    auto run = session.submit();
    CHECK(run.wait_for(standin::ample));
    run.get();
    CHECK(standin::bench::get(session.output(0)) == 4.0F);
    CHECK(session.idle() == 0s);
    CHECK(says(refusal([&] { run.get(); }), "has no result"));
    CHECK(!run.cancel());
    auto next = session.submit();
    next.get(standin::ample);
    CHECK(says(refusal([&] { run.get(standin::ample); }),
               "has no result")); // another run's result is not taken for its own
}

TEST_CASE("engine pending run: before it begins it can be cancelled, after that not") {
    standin::bench bench;
    auto first = bench.open();
    auto second = bench.open();
    first.execute();
    REQUIRE(bench.rt.hang("e5rt_execution_stream_execute_sync", 1) == 0);
    auto running = first.submit();
    standin::await([&] { return bench.rt.hung() == 1; });
    auto waiting = second.submit();
    CHECK(!running.cancel());
    CHECK(!running.wait_for(1ms));
    CHECK(refusal([&] { second.execute(); }).code() == ane::errc::argument); // it is submitted already
    CHECK(waiting.cancel());
    CHECK(waiting.wait_for(1ms));
    CHECK(!second.running());
    CHECK(says(refusal([&] { waiting.get(); }), "cancelled"));
    std::optional<e5::session> third = bench.open();
    static_cast<void>(third->submit());
    third.reset(); // withdraws it
    bench.rt.let_go();
    running.get(standin::ample);
    const std::uint64_t before = bench.rt.calls("e5rt_execution_stream_execute_sync");
    second.execute(standin::ample);
    CHECK(bench.rt.calls("e5rt_execution_stream_execute_sync") == before + 1);
}
