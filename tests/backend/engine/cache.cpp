#include "anemone/backend/engine/e5rt/cache.hpp"

#include "standin_bench.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace e5 = ane::e5rt;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using standin::refusal;

namespace {

std::vector<std::string> places(const fs::path& cache) {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(cache))
        if (each.is_directory())
            names.push_back(each.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

TEST_CASE("engine cache: equal programs share a place, different ones do not") {
    standin::bench bench;
    const e5::temporary_directory cache("anemone-cache");
    bench.options.cache = cache.path() / "made" / "here";
    const auto open = [&](const std::string& call) {
        auto session = bench.open(call);
        standin::bench::set(session.input(0), 3);
        session.execute();
        CHECK(session.degraded().empty());
        return standin::bench::get(session.output(0));
    };
    CHECK(open("add(x = x, y = x)") == 6.0F);
    CHECK(open("add(x = x, y = x)") == 6.0F);
    CHECK(places(bench.options.cache).size() == 1);
    CHECK(open("mul(x = x, y = x)") == 9.0F);
    CHECK(places(bench.options.cache).size() == 2);
    bench.options.target_architecture = "h13g";
    CHECK(open("mul(x = x, y = x)") == 9.0F);
    CHECK(places(bench.options.cache).size() == 3);
    // Weights count, wherever the text does not.
    auto with = bench.program("mul(x = x, y = x)");
    std::ofstream(bench.folders.back().path() / "weights.bin") << "other";
    e5::session(bench.runtime, standin::bench::ports("x"), standin::bench::ports("y"), with);
    CHECK(places(bench.options.cache).size() == 4);
    for (const auto& each : bench.folders)
        CHECK(!fs::exists(each.path() / "cache"));
}

TEST_CASE("engine cache: a stale program is compiled anew, once, and that is noted") {
    standin::bench bench;
    const e5::temporary_directory cache("anemone-cache");
    bench.options.cache = cache.path();
    const std::uint64_t live = bench.rt.live_handles();
    {
        bench.rt.stale(1);
        const std::uint64_t compiles = bench.rt.calls("e5rt_e5_compiler_compile");
        auto session = bench.open();
        session.execute();
        CHECK(bench.rt.calls("e5rt_e5_compiler_compile") == compiles + 2);
        REQUIRE(session.degraded().size() == 1);
        CHECK(session.degraded()[0].step ==
              "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options");
        CHECK(bench.watch->slept() == e5::time_span::zero()); // no compile failed
    }
    bench.rt.program_limit(1); // no stale program, but the second attempt fails too
    {
        auto session = bench.open();
        const ane::error full = refusal([&] { bench.open(); });
        CHECK(standin::says(full, "about 128"));
    }
    bench.rt.program_limit(0);
    CHECK(bench.rt.live_handles() == live);
}

TEST_CASE("engine cache: several threads that compile the same wait for each other") {
    standin::bench bench;
    const e5::temporary_directory cache("anemone-cache");
    bench.options.cache = cache.path();
    const auto with = bench.program("add(x = x, y = x)");
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
        threads.emplace_back([&] {
            for (int again = 0; again != 5; ++again)
                e5::session(bench.runtime, standin::bench::ports("x"), standin::bench::ports("y"), with).execute();
        });
    for (std::thread& each : threads)
        each.join();
    CHECK(places(cache.path()).size() == 1);
}

TEST_CASE("engine cache: a place that cannot be made names the file") {
    standin::bench bench;
    const e5::temporary_directory folder("anemone-cache");
    std::ofstream(folder.path() / "file") << "in the way";
    bench.options.cache = folder.path() / "file";
    const ane::error failure = refusal([&] { bench.open(); });
    CHECK(failure.code() == ane::errc::file);
    CHECK(failure.subject() == bench.options.cache);
}

TEST_CASE("engine cache: while another process compiles the same, this one waits, no longer than its limit") {
    standin::bench bench;
    const e5::temporary_directory cache("anemone-cache");
    bench.options.cache = cache.path();
    bench.open();
    std::string lock;
    for (const auto& each : fs::directory_iterator(cache.path()))
        if (each.path().extension() == ".lock")
            lock = each.path();
    REQUIRE(!lock.empty());
    int locked[2];
    int end[2];
    REQUIRE(::pipe(locked) == 0);
    REQUIRE(::pipe(end) == 0);
    const ::pid_t other = ::fork();
    if (other == 0) { // holds the lock until it is told to end
        const int file = ::open(lock.c_str(), O_RDWR);
        const char word = ::flock(file, LOCK_EX) == 0 ? 'y' : 'n';
        char none = 0;
        ::_exit(::write(locked[1], &word, 1) == 1 && ::read(end[0], &none, 1) == 1 ? 0 : 1);
    }
    char word = 0;
    REQUIRE(::read(locked[0], &word, 1) == 1);
    REQUIRE(word == 'y');
    std::weak_ptr<const void> out;
    for (bench.options.setup_timeout = 20ms;;
         bench.options.setup_timeout.nanoseconds *= 4) { // as long as it takes to come to the lock
        bench.options.held = std::make_shared<int>();
        out = bench.options.held;
        if (refusal([&] { bench.open(); }).subject() == "lock of the cache")
            break;
    }
    bench.options.held.reset();
    REQUIRE(::write(end[1], &word, 1) == 1);
    int status = -1;
    REQUIRE(::waitpid(other, &status, 0) == other);
    CHECK(status == 0);
    bench.options.setup_timeout = standin::ample;
    bench.open().execute();
    standin::await([&] { return out.expired() && bench.rt.live_handles() == 0; }); // those that waited have ended too
    for (const int each : {locked[0], locked[1], end[0], end[1]})
        ::close(each);
}
