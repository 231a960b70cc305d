#include <anemone/base/error.hpp>
#include <anemone/base/thread_pool.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ane;

namespace {

template <class Work> void run(executor& pool, int count, const Work& work) {
    pool.run(
        count, [](const void* context, int i) { (*static_cast<const Work*>(context))(i); }, &work);
}

/// How often each part ran, in a step of `count`.
std::vector<int> counted(executor& pool, int count) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    run(pool, count, [&](int i) { ++seen[static_cast<std::size_t>(i)]; });
    return {seen.begin(), seen.end()};
}

} // namespace

TEST_CASE("thread pool: every part runs once, whatever the numbers of threads and of parts") {
    for (const int threads : {1, 2, 3, 8}) {
        thread_pool pool(threads);
        CHECK(pool.width() == threads);
        for (const int count : {0, 1, 2, 3, 7, 64, 1000}) {
            for (int repetition = 0; repetition < 20; ++repetition) {
                REQUIRE(counted(pool, count) == std::vector<int>(static_cast<std::size_t>(count), 1));
            }
        }
    }
}

TEST_CASE("thread pool: parts run at the same time, and what they wrote is there when the run returns") {
    thread_pool pool(3);
    for (int repetition = 0; repetition < 10; ++repetition) {
        std::atomic<int> inside{0};
        std::array<std::thread::id, 3> ids;
        run(pool, 3, [&](int i) {
            ++inside;
            while (inside < 3) { // ends only if all three are inside at once
                std::this_thread::yield();
            }
            ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
        });
        CHECK(std::set<std::thread::id>(ids.begin(), ids.end()).size() == 3);
        CHECK(std::set<std::thread::id>(ids.begin(), ids.end()).count(std::this_thread::get_id()) == 1);
    }
}

TEST_CASE("thread pool: threads that fell asleep wake up") {
    thread_pool pool(2);
    for (int repetition = 0; repetition < 5; ++repetition) {
        std::atomic<int> inside{0};
        run(pool, 2, [&](int) {
            ++inside;
            while (inside < 2) {
                std::this_thread::yield();
            }
        });
        CHECK(inside == 2);
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
}

TEST_CASE("thread pool: a run out of a part computes its parts there") {
    thread_pool pool(2);
    std::atomic<int> parts{0};
    run(pool, 4, [&](int) {
        const auto outer = std::this_thread::get_id();
        run(pool, 3, [&](int) { parts += std::this_thread::get_id() == outer ? 1 : 1000; });
    });
    CHECK(parts == 12);
}

TEST_CASE("thread pool: threads that run steps at the same time all get theirs done") {
    thread_pool pool(3);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
        callers.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                const int count = 1 + (i * 7 + t) % 9;
                wrong += counted(pool, count) == std::vector<int>(static_cast<std::size_t>(count), 1) ? 0 : 1;
            }
        });
    }
    for (std::thread& t : callers) {
        t.join();
    }
    CHECK(wrong == 0);
}

TEST_CASE("thread pool: of several exceptions the first part's arrives, after all parts have ended") {
    for (const int threads : {1, 3}) {
        thread_pool pool(threads);
        for (int repetition = 0; repetition < 50; ++repetition) {
            std::atomic<int> ended{0};
            try {
                run(pool, 9, [&](int i) {
                    ++ended;
                    if (i % 2 == 1) {
                        throw i;
                    }
                });
                FAIL("nothing was thrown");
            } catch (int i) {
                CHECK(i == 1);
            }
            CHECK(ended == 9);
            CHECK(counted(pool, 5) == std::vector<int>(5, 1)); // it goes on
        }
    }
}

TEST_CASE("thread pool: pools come and go, used or not") {
    for (int i = 0; i < 20; ++i) {
        thread_pool pool(1 + i % 4);
        if (i % 3 != 0) {
            CHECK(counted(pool, 3) == std::vector<int>(3, 1));
        }
    }
}

TEST_CASE("thread pool: a number of threads that no pool has") {
    CHECK_THROWS_WITH_AS(thread_pool(0), "argument: thread pool: 0 threads, from 1 to 1024 are possible", error);
    CHECK_THROWS_WITH_AS(thread_pool(-3), "argument: thread pool: -3 threads, from 1 to 1024 are possible", error);
    CHECK_THROWS_WITH_AS(thread_pool(1025), "argument: thread pool: 1025 threads, from 1 to 1024 are possible", error);
}

TEST_CASE("thread pool: the process has one, as wide as the process may be") {
    CHECK(&process_threads() == &process_threads());
    CHECK(process_threads().width() == available_threads());
    CHECK(available_threads() >= 1);
    CHECK(counted(process_threads(), 17) == std::vector<int>(17, 1));
}

#if defined(__has_feature)
#define ANEMONE_WATCHES_THREADS __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define ANEMONE_WATCHES_THREADS 1
#else
#define ANEMONE_WATCHES_THREADS 0
#endif
#if !ANEMONE_WATCHES_THREADS // the thread sanitizer has no threads in the child of a process with several
namespace {

/// Threads of pools that are gone end when they like, and one that just ends holds locks of the address sanitizer, which
/// a child would find held for good: the C library's own are given back.
void wait_until_threads_are_at_most(int count) {
    const auto running = [] {
        const std::filesystem::path tasks = "/proc/self/task"; // of Linux; elsewhere nothing is waited for
        return std::filesystem::exists(tasks)
                   ? std::distance(std::filesystem::directory_iterator(tasks), std::filesystem::directory_iterator())
                   : 0;
    };
    for (int i = 0; i < 100'000 && running() > count; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace

TEST_CASE("thread pool: the child of a fork has threads of its own") {
    thread_pool pool(2);
    const auto both_run = [&] {
        std::atomic<int> inside{0};
        run(pool, 2, [&](int) {
            ++inside;
            while (inside < 2) {
                std::this_thread::yield();
            }
        });
        return inside == 2;
    };
    CHECK(both_run());
    wait_until_threads_are_at_most(pool.width() + available_threads() - 1);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(600); // a child that waits for threads which it has not ends, and nobody waits for it
        _exit(both_run() && both_run() ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(both_run());
}
#endif
