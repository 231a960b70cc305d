// Everything that the stand-in can do wrong, at the first use and in the hot loop, on the caller's thread and on the
// worker: the error names step and remedy, what was computed before stays, nothing leaks, and the next run works.

#include "../../standin/call_ledger.hpp"
#include "standin_bench.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;
using standin::refusal;
using standin::says;

namespace {

constexpr const char* create_step = "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options";
constexpr const char* run_step = "e5rt_execution_stream_execute_sync";

/// One thing that goes wrong in a run.
struct run_fault {
    const char* name;
    void (*begin)(const standin::control& rt);
    bool only_with_timeout; ///< nobody can end it otherwise
    bool fails;
    const char* remedy;
    bool reopen; ///< before the next run
};

constexpr run_fault run_faults[] = {
    {"status", [](const standin::control& rt) { rt.fail(run_step, 1, -1); }, false, true, "split the program", false},
    {"service death", [](const standin::control& rt) { rt.kill_service(); }, false, true, "session::reopen", true},
    {"lost completion", [](const standin::control&) {}, true, true, "restart the process", false}, // begun by run_into
    {"slow call", [](const standin::control& rt) { rt.slow(30); }, false, false, "", false},
};

/// One thing that goes wrong while a program is compiled and loaded.
struct load_fault {
    const char* name;
    void (*begin)(const standin::control& rt);
    const char* step; ///< null: it is mended by the driver
    const char* remedy;
};

constexpr load_fault load_faults[] = {
    {"service death", [](const standin::control& rt) { rt.kill_service(); }, "e5rt_e5_compiler_compile",
     "compile again"},
    {"program limit", [](const standin::control& rt) { rt.program_limit(1); }, create_step, "release a session"},
    {"stale cache", [](const standin::control& rt) { rt.stale(1); }, nullptr, ""},
    {"buffer too short", [](const standin::control& rt) { rt.short_buffers(1); }, "e5rt_buffer_object_get_size",
     "report this"},
    {"foreign target", [](const standin::control&) { ::setenv("ANEMONE_STANDIN_HOST", "h16", 1); }, create_step,
     "compile in this process for this chip"},
};

/// The stand-in as it was, when it goes.
struct well_again {
    standin::bench& bench;
    explicit well_again(standin::bench& of) : bench(of) { standin::instruments::set(of.watch); }
    well_again(const well_again&) = delete;
    well_again& operator=(const well_again&) = delete;
    ~well_again() {
        mend();
        standin::instruments::set(nullptr);
    }
    void mend() const {
        bench.rt.fail(nullptr, 1, 0);
        bench.rt.let_go();
        bench.rt.slow(0);
        bench.rt.stale(0);
        bench.rt.short_buffers(0);
        bench.rt.program_limit(0);
        ::unsetenv("ANEMONE_STANDIN_HOST");
    }
};

} // namespace

TEST_CASE("engine fault matrix: runs") {
    for (const run_fault& fault : run_faults)
        for (const bool worker : {false, true})
            for (const bool hot : {false, true}) {
                if (fault.only_with_timeout && !worker)
                    continue;
                CAPTURE(fault.name);
                CAPTURE(worker);
                CAPTURE(hot);
                standin::bench bench;
                const well_again after(bench);
                const std::uint64_t live = bench.rt.live_handles();
                const std::uint64_t overlaps = bench.rt.overlaps();
                bench.options.timeout = worker ? standin::ample : e5::time_span();
                auto session = bench.open();
                standin::bench::set(session.input(0), 3);
                for (int i = 0; hot && i != 20; ++i)
                    session.execute(worker ? standin::ample : e5::time_span());
                const float before = standin::bench::get(session.output(0));
                fault.begin(bench.rt);
                if (fault.fails) {
                    const ane::error failure = fault.only_with_timeout ? bench.run_into(session, run_step)
                                                                       : refusal([&] { session.execute(); });
                    CHECK(failure.code() == ane::errc::engine);
                    CHECK(failure.subject() == run_step);
                    CHECK(says(failure, fault.remedy));
                } else
                    session.execute();
                after.mend();
                standin::await([&] { return !session.running(); });
                if (fault.fails && !fault.only_with_timeout)
                    CHECK((hot ? standin::bench::get(session.output(0)) == before : true)); // not half written
                if (fault.reopen) {
                    session.reopen();
                    standin::bench::set(session.input(0), 3);
                }
                session.execute(worker ? standin::ample : e5::time_span());
                CHECK(standin::bench::get(session.output(0)) == 6.0F);
                CHECK(bench.rt.overlaps() == overlaps);
                session.close();
                CHECK(bench.rt.live_handles() == live);
                CHECK(bench.watch->reported().empty());
            }
}

TEST_CASE("engine fault matrix: compiling and loading, while another session runs on") {
    for (const load_fault& fault : load_faults) {
        CAPTURE(fault.name);
        standin::bench bench;
        const well_again after(bench);
        const std::uint64_t live = bench.rt.live_handles();
        const e5::temporary_directory cache("anemone-cache");
        bench.options.cache = cache.path();
        auto other = bench.open("mul(x = x, y = x)");
        other.execute(standin::ample);
        fault.begin(bench.rt);
        if (fault.step != nullptr) {
            const ane::error failure = refusal([&] { bench.open(); });
            CHECK(failure.code() == ane::errc::engine);
            CHECK(failure.subject() == fault.step);
            CHECK(says(failure, fault.remedy));
        } else
            bench.open().execute();
        after.mend();
        auto session = bench.open();
        standin::bench::set(session.input(0), 3);
        session.execute(standin::ample);
        CHECK(standin::bench::get(session.output(0)) == 6.0F);
        if (std::string(fault.name) != "service death")
            other.execute();
        session.close();
        other.close();
        CHECK(bench.rt.live_handles() == live);
        CHECK(bench.watch->reported().empty());
    }
}

namespace {

/// The whole life of a session: compiled, run twice, closed. Gives how many optional steps were left out.
std::size_t live_once(standin::bench& bench) {
    auto session = bench.open_with_folder();
    standin::bench::set(session.input(0), 3);
    session.execute();
    session.execute();
    CHECK(standin::bench::get(session.output(0)) == 6.0F);
    const std::size_t left_out = session.degraded().size();
    session.close();
    return left_out;
}

struct counted_call {
    std::string name;
    int times = 0;
};

/// Every function that such a life calls, and how often.
std::vector<counted_call> calls_of_a_life(standin::bench& bench) {
    std::vector<counted_call> calls;
    for (const std::string_view name : ane::standin::exported_functions)
        calls.push_back({"e5rt_" + std::string(name)});
    for (counted_call& each : calls)
        each.times = -static_cast<int>(bench.rt.calls(each.name.c_str()));
    live_once(bench);
    for (counted_call& each : calls)
        each.times += static_cast<int>(bench.rt.calls(each.name.c_str()));
    std::erase_if(calls, [](const counted_call& each) { return each.times == 0; });
    REQUIRE(calls.size() >= 30);
    return calls;
}

/// A thread that is waited for at the end, also of a test that throws.
struct joined {
    std::thread thread;
    explicit joined(std::thread begun) : thread(std::move(begun)) {}
    joined(const joined&) = delete;
    joined& operator=(const joined&) = delete;
    ~joined() { thread.join(); }
};

/// Does something with the call that is held, and lets it go.
template <class Action> std::thread when_held(const standin::bench& bench, Action action) {
    return std::thread([&bench, action] {
        standin::await([&] { return bench.rt.hung() == 1; });
        action();
        bench.rt.let_go();
    });
}

} // namespace

TEST_CASE("engine fault matrix: every call of a session refuses, each time that it is made") {
    standin::bench bench;
    const well_again after(bench);
    for (const counted_call& each : calls_of_a_life(bench))
        for (int nth = 1; nth <= each.times; ++nth) {
            const std::string& name = each.name;
            CAPTURE(name);
            CAPTURE(nth);
            static_cast<void>(bench.watch->reported());
            const std::uint64_t live = bench.rt.live_handles();
            const bool stays = name.find("_release") != std::string::npos; // the stand-in refuses and does nothing
            REQUIRE(bench.rt.fail(name.c_str(), nth, -5) == 0);
            try {
                const std::size_t left_out = live_once(bench);
                CHECK(left_out + bench.watch->reported().size() > 0); // an optional step, or a release of a tool
            } catch (const ane::error& failure) {
                CHECK(failure.code() == ane::errc::engine);
                CHECK(failure.subject() == name);
                CHECK(says(failure, "status -5"));
            }
            after.mend();
            CHECK(bench.rt.live_handles() == live + (stays ? 1U : 0U));
            CHECK(e5::loaded_programs() == 0);
        }
    live_once(bench);
}

TEST_CASE("engine fault matrix: every call of a session is slow, and all is well") {
    standin::bench bench;
    bench.options.timeout = bench.options.setup_timeout = standin::ample;
    for (const counted_call& each : calls_of_a_life(bench)) {
        const std::string& name = each.name;
        CAPTURE(name);
        REQUIRE(bench.rt.hang(name.c_str(), 1) == 0);
        const joined other(when_held(bench, [] { std::this_thread::yield(); }));
        live_once(bench);
    }
    CHECK(bench.watch->reported().empty());
}

TEST_CASE("engine fault matrix: the service dies during every call of a session, and the next session works") {
    standin::bench bench;
    const well_again after(bench);
    const std::uint64_t live = bench.rt.live_handles();
    bench.options.timeout = bench.options.setup_timeout = standin::ample;
    for (const counted_call& each : calls_of_a_life(bench)) {
        const std::string& name = each.name;
        CAPTURE(name);
        REQUIRE(bench.rt.hang(name.c_str(), 1) == 0);
        try {
            const joined other(when_held(bench, [&] { bench.rt.kill_service(); }));
            live_once(bench);
        } catch (const ane::error& failure) {
            CHECK(failure.code() == ane::errc::engine);
            CHECK(says(failure, "; ")); // a remedy
        }
        CHECK(bench.rt.live_handles() == live);
        bench.watch->sleep(20s);
        live_once(bench);
    }
}

TEST_CASE("engine fault matrix: an encode that does not return holds the first run only as long as its timeout") {
    standin::bench bench;
    auto session = bench.open();
    CHECK(says(bench.run_into(session, "e5rt_execution_stream_encode_operation"), "cannot be cancelled"));
    bench.rt.let_go();
    standin::await([&] { return !session.running(); });
    session.execute(standin::ample);
}
