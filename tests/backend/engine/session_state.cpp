#include "anemone/backend/engine/e5rt/session_state.hpp"

#include "standin_bench.hpp"
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;
using standin::refusal;
using standin::says;

TEST_CASE("engine session state: in a child after a fork a session refuses, and its end touches nothing") {
    standin::bench bench;
    e5::session_options with = bench.program("add(x = x, y = x)");
    const std::filesystem::path folder = bench.folders.back().path();
    with.held = std::make_shared<e5::temporary_directory>(std::move(bench.folders.back()));
    std::optional<e5::session> session(std::in_place, bench.runtime, standin::bench::ports("x"),
                                       standin::bench::ports("y"), std::move(with));
    session->execute(standin::ample);
    const std::uint64_t releases = bench.rt.calls("e5rt_execution_stream_release");
    const ::pid_t child = ::fork();
    if (child == 0) {
        int wrong = 0;
        try {
            session->execute();
            wrong += 1;
        } catch (const ane::error& failure) {
            wrong += says(failure, "fork") ? 0 : 2;
        }
        try {
            session->execute(standin::ample);
            wrong += 4;
        } catch (const ane::error&) { // as it should
        }
        session.reset();
        wrong += bench.rt.calls("e5rt_execution_stream_release") == releases ? 0 : 8;
        ::_exit(wrong);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(std::filesystem::exists(folder / "model.mil"));
    session->execute(); // the parent's works on
    session->close();
}

TEST_CASE("engine session state: a buffer that is too small is refused, wherever it is") {
    standin::bench bench;
    const std::uint64_t live = bench.rt.live_handles();
    bench.rt.short_buffers(1);
    const ane::error failure = refusal([&] { bench.open(); });
    bench.rt.short_buffers(0);
    CHECK(failure.subject() == "e5rt_buffer_object_get_size");
    CHECK(says(failure, "32 bytes"));
    CHECK(says(failure, "port 'x'"));
    CHECK(bench.rt.live_handles() == live);
    bench.open().execute();
}

TEST_CASE("engine session state: after the service has died a session is opened again, with its states") {
    standin::bench bench;
    standin::instruments::set(bench.watch);
    auto session = bench.open();
    session.alias(0, 0);
    standin::bench::set(session.input(0), 1);
    session.execute();
    CHECK(standin::bench::get(session.output(0)) == 2.0F);
    bench.rt.kill_service();
    for (int i = 0; i != 2; ++i)
        CHECK(refusal([&] { session.execute(); }).subject() == "e5rt_execution_stream_execute_sync");
    session.reopen(); // its first compile fails, as the service is restarting: one pause
    CHECK(bench.watch->slept() == 15s);
    CHECK(standin::bench::get(session.output(0)) == 0.0F);
    standin::bench::set(session.input(0), 3);
    session.execute();
    session.execute(standin::ample);
    CHECK(standin::bench::get(session.output(0)) == 12.0F); // aliased as before

    bench.rt.kill_service(); // while a compile is on its way
    CHECK(refusal([&] { bench.open(); }).subject() == "e5rt_e5_compiler_compile");
    bench.open().execute();
    CHECK(bench.watch->slept() == 30s);
    standin::instruments::set(nullptr);
}

TEST_CASE("engine session state: states of a program after a run that failed or did not return") {
    static constexpr auto counter = ane::graph([](auto& g) {
        using namespace ane;
        auto total = g.state("total"_s, f16<1, 4>);
        auto x = g.input("x"_s, f16<1, 4>);
        write(total, read(total) + x);
        g.output("y"_s, relu(read(total)));
    });
    standin::bench bench;
    ane::backend::engine_options options;
    options.session = bench.options;
    options.session.timeout = standin::ample;
    auto program = ane::compile<counter>(standin::engine(ane::h13, options));
    using namespace ane;
    const ndarray<shape<1, 4>> x{1, 2, 3, 4};
    CHECK(static_cast<float>(program({"x"_s = x})["y"_s](0, 3)) == 4.0F);
    bench.rt.fail("e5rt_execution_stream_execute_sync", 1, -1);
    CHECK_THROWS_AS(program({"x"_s = x}), error);
    program.reset();
    CHECK(static_cast<float>(program({"x"_s = x})["y"_s](0, 3)) == 4.0F);
    e5::session& session = program.compiled().session();
    bench.run_into(session, "e5rt_execution_stream_execute_sync");
    CHECK(says(refusal([&] { program.reset(); }), "busy"));
    CHECK(says(refusal([&] { static_cast<void>(program.state("total"_s)); }), "busy"));
    CHECK(says(refusal([&] { program({"x"_s = x}); }), "busy"));
    bench.rt.let_go();
    standin::await([&] { return !session.running(); });
    program.state("total"_s)(0, 3) = static_cast<half>(10.0F);
    CHECK(static_cast<float>(program({"x"_s = x})["y"_s](0, 3)) == 14.0F);
}

TEST_CASE("engine session state: files that cannot be written are errors, and nothing is left") {
    static constexpr auto model = ane::graph([](auto& g) {
        using namespace ane;
        auto x = g.input("x"_s, f16<1, 4>);
        g.output("y"_s, x + x);
    });
    standin::bench bench;
    const e5::temporary_directory folder("anemone-files");
    const std::string before = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";
    const auto compile = [&](const std::string& directory) {
        ane::backend::engine_options options;
        options.session = bench.options;
        options.directory = directory;
        static_cast<void>(ane::compile<model>(standin::engine(ane::h13, options)));
    };
    const std::string missing = folder.path() / "missing";
    ::setenv("TMPDIR", missing.c_str(), 1);
    const ane::error nowhere = refusal([&] { compile(""); });
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    CHECK(nowhere.code() == ane::errc::file);
    CHECK(says(nowhere, missing));

    ::rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit small{64, old.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const std::string kept = folder.path() / "kept";
    std::optional<ane::error> limited;
    std::optional<ane::error> temporary;
    try {
        limited = refusal([&] { compile(kept); });
        temporary = refusal([&] { compile(""); });
    } catch (const std::logic_error&) { // nothing was refused: judged below, with the limit lifted
    }
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
    REQUIRE(limited);
    CHECK(limited->code() == ane::errc::file);
    CHECK(says(*limited, kept));
    CHECK((!std::filesystem::exists(kept) || std::filesystem::is_empty(kept)));
    REQUIRE(temporary);
    CHECK(temporary->code() == ane::errc::file);
    std::filesystem::remove(kept);
    CHECK(std::filesystem::is_empty(folder.path())); // nor a temporary folder
}
