// Every call of a session and of a chain, from the first to the last release, is late: its caller gives up, everything
// that the caller had goes at once, and only then does the call return. It must still have whatever it uses. The sanitized
// programs run this: what a call no longer has would be a use after free, or a race.

#include "../../standin/call_ledger.hpp"
#include "standin_bench.hpp"
#include "witnesses.hpp"
#include <anemone/backend/engine/e5rt/chain.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;

namespace {

/// How a life ends, if nothing is late.
enum class ending { close, destructor };

/// A session from its compile to its end: with a state, a run of each kind, and a run that is let go of.
void live_as_session(standin::bench& bench, ending how) {
    e5::session session = bench.open_with_folder();
    session.alias(0, 0);
    standin::bench::set(session.input(0), 1);
    session.execute();
    e5::pending_run second = session.submit();
    second.get(bench.options.timeout);
    CHECK(standin::bench::get(session.output(0)) == 4.0F);
    if (how == ending::close)
        session.close();
}

/// A chain that grows after it has run.
void live_as_chain(standin::bench& bench, ending how) {
    e5::chain chain(bench.runtime, bench.options);
    chain.add(bench.ports("x"), bench.ports("y"), bench.program_with_folder());
    chain.add(bench.ports("x"), bench.ports("y"), bench.program_with_folder());
    chain.connect(0, 0, 1, 0);
    standin::bench::set(chain.input(0, 0), 1);
    chain.execute();
    chain.add(bench.ports("x"), bench.ports("y"), bench.program_with_folder());
    chain.connect(1, 0, 2, 0);
    chain.execute();
    CHECK(standin::bench::get(chain.output(2, 0)) == 8.0F);
    if (how == ending::close)
        chain.close();
}

using life = void (*)(standin::bench& bench, ending how);

/// Every call that a life makes.
std::vector<nth_call> calls_of(life live) {
    standin::bench bench;
    bench.options.timeout = bench.options.setup_timeout = standin::ample;
    std::vector<std::pair<std::string, std::uint64_t>> before;
    for (const std::string_view name : ane::standin::exported_functions) {
        const std::string call = "e5rt_" + std::string(name);
        before.emplace_back(call, bench.rt.calls(call.c_str()));
    }
    live(bench, ending::close);
    std::vector<nth_call> all;
    for (const auto& [call, calls] : before)
        for (std::uint64_t nth = 1; nth <= bench.rt.calls(call.c_str()) - calls; ++nth)
            all.push_back({call, static_cast<int>(nth)});
    return all;
}

/// What names a call that is late: the run is one call to those who wait for it.
std::string step_of(const std::string& call) {
    return call.find("_encode") != std::string::npos || call.find("stream_reset") != std::string::npos
               ? "e5rt_execution_stream_execute_sync"
               : call;
}

/// One life in which a call is late, within a limit; whether the limit was long enough to come to that call.
bool is_late(life live, ending how, const nth_call& late, e5::time_span limit) {
    auto bench = std::make_unique<standin::bench>();
    const standin::control& rt = bench->rt;
    const std::uint64_t live_handles = rt.live_handles();
    bench->lets_go = false;
    bench->options.timeout = bench->options.setup_timeout = limit;
    witnesses all;
    all.watch(bench->gate);
    all.watch(bench->watch);
    all.watch(bench->options.pacing);
    all.watch(bench->runtime);
    REQUIRE(rt.hang(late.call.c_str(), late.nth) == 0);
    std::string given_up;
    try {
        live(*bench, how);
        const auto reported = bench->watch->reported(); // by the destructor, which cannot throw
        given_up = reported.empty() ? "" : reported.front();
    } catch (const ane::error& failure) {
        CHECK(failure.code() == ane::errc::engine);
        const bool begun = !standin::says(failure, "was not begun"); // else the machine was too slow for the limit
        CHECK((!begun || standin::says(failure, "cannot be cancelled")));
        given_up = failure.subject();
    }
    const bool was_long_enough = rt.hung() == 1 && given_up == step_of(late.call);
    bench.reset();
    if (was_long_enough)
        CHECK(all.all_are_there()); // they are the call's now
    rt.let_go();
    all.await_the_end();
    standin::await([&] { return rt.live_handles() == live_handles && e5::loaded_programs() == 0; });
    return was_long_enough;
}

void make_each_late(life live) {
    const std::vector<nth_call> all = calls_of(live);
    REQUIRE(all.size() >= 40);
    for (const ending how : {ending::close, ending::destructor})
        make_each_late(all, [&](const nth_call& late, e5::time_span limit) { return is_late(live, how, late, limit); });
}

} // namespace

TEST_CASE("engine late calls: what a call of a session uses outlives all that its caller had") {
    make_each_late(live_as_session);
}

TEST_CASE("engine late calls: what a call of a chain uses outlives all that its caller had") {
    make_each_late(live_as_chain);
}

TEST_CASE("engine late calls: a program that is loaded too late joins no chain") {
    standin::bench bench;
    e5::chain chain(bench.runtime, bench.options);
    const std::uint64_t live = bench.rt.live_handles();
    for (bench.options.setup_timeout = 5ms;; bench.options.setup_timeout.nanoseconds *= 4) {
        e5::chain limited(bench.runtime, bench.options);
        auto program = bench.program_with_folder();
        witnesses folder;
        folder.watch(program.held);
        bench.rt.hang("e5rt_execution_stream_create", 1);
        const ane::error late =
            standin::refusal([&] { limited.add(bench.ports("x"), bench.ports("y"), std::exchange(program, {})); });
        const bool held = bench.rt.hung() == 1 && late.subject() == "e5rt_execution_stream_create";
        bench.rt.let_go();
        folder.await_the_end();
        CHECK(limited.size() == 0);
        if (held)
            break;
    }
    CHECK(chain.size() == 0);
    standin::await([&] { return bench.rt.live_handles() == live; });
}
