// Programs and threads: each its own, which must share nothing, and one program of two threads, which must be told.
// Compiled twice: like all tests, and header-only under the thread sanitizer (tests/processes/CMakeLists.txt).

#include <anemone/backend/any.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/engine/engine.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/base/thread_pool.hpp>
#include <anemone/build.hpp>
#include <anemone/numerics/workers.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

using namespace ane;

namespace {

constexpr auto layer = graph([](auto& g) {
    auto x = g.input("x"_s, f16<64, 64>);
    g.output("y"_s, relu(linear(x, g.weight("w"_s, f16<64, 64>))));
});
using values = ndarray<shape<64, 64>>;

/// The weights are a multiple of the identity, so the result is known: max(0, 2 x).
weight_store weights() {
    std::vector<float> w(64 * 64, 0.0F);
    for (std::size_t i = 0; i < 64; ++i) {
        w[i * 64 + i] = 2;
    }
    weight_store store;
    store.add("w", {64, 64}, std::span<const float>(w));
    return store;
}

values input_of(int thread, int run) {
    values x;
    for (std::size_t i = 0; i < x.size; ++i) {
        x[i] = half(static_cast<double>((static_cast<int>(i) + 3 * run) % 11 - 5) + 16 * thread);
    }
    return x;
}

bool is_right(const values& x, const results<layer>& outputs) {
    const auto y = outputs["y"_s];
    bool right = true;
    for (std::size_t i = 0; i < x.size; ++i) {
        const auto wanted = 2 * static_cast<double>(x[i]);
        right = right && static_cast<double>(y[i]) == (wanted < 0 ? 0 : wanted);
    }
    return right;
}

backend::engine engine_of_standin() {
    ::setenv("ANEMONE_STANDIN_HOST", "h13g", 0);
    backend::engine_options options;
    options.library = ANEMONE_STANDIN_PATH;
    return backend::engine(h13g, options);
}

/// Runs work(0) here and work(1) in another thread, from the same moment on.
template <class Work> void both(const Work& work) {
    std::atomic<int> ready{0};
    const auto start = [&](int thread) {
        ++ready;
        while (ready < 2) {}
        work(thread);
    };
    std::thread other(start, 1);
    start(0);
    other.join();
}

template <class Backend> void run_separately(const Backend& place) {
    const weight_store w = weights();
    // The stand-in is not compiled for the thread sanitizer, which cannot see what orders the making of its statics: they
    // are made before, and stay.
    const auto kept = compile<layer>(place, w);
    std::atomic<int> right{0};
    both([&](int thread) {
        auto own = compile<layer>(place, w);
        results<layer> outputs;
        for (int run = 0; run < 20; ++run) {
            const values x = input_of(thread, run);
            own.run({"x"_s = x}, outputs);
            right += is_right(x, outputs) ? 1 : 0;
        }
    });
    CHECK(right == 40);
}

/// Two threads run one program until a run was refused: whatever was not is right.
template <class Backend> void run_together(const Backend& place) {
    auto shared = compile<layer>(place, weights());
    std::atomic<int> refused{0};
    std::atomic<int> wrong{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    both([&](int thread) {
        results<layer> outputs;
        for (int run = 0; refused == 0 && std::chrono::steady_clock::now() < end; ++run) {
            const values x = input_of(thread, run);
            try {
                shared.run({"x"_s = x}, outputs);
                wrong += is_right(x, outputs) ? 0 : 1;
            } catch (const error& e) {
                refused += e.code() == errc::argument ? 1 : 1'000'000;
            }
        }
    });
    CHECK(wrong == 0);
    CHECK(refused >= 1);
    CHECK(refused <= 2);
    results<layer> outputs;
    const values x = input_of(0, 0);
    shared.run({"x"_s = x}, outputs); // it is free again
    CHECK(is_right(x, outputs));
}

/// A program that waits inside of a run, which is stage 1, until stage 2.
struct waiting_program {
    std::atomic<int>* stage;
    void run(input_buffers, output_buffers) const {
        int none = 0;
        stage->compare_exchange_strong(none, 1);
        while (*stage != 2) {
            std::this_thread::yield();
        }
    }
};

} // namespace

TEST_CASE("programs of two threads share nothing: cpu") { run_separately(backend::cpu{}); }
TEST_CASE("programs of two threads share nothing but their executor") {
    thread_pool pool(2);
    run_separately(backend::cpu{}.executor(pool));
}
TEST_CASE("programs of two threads share nothing: oracle") {
    run_separately(backend::oracle{h13});
    run_separately(backend::oracle{h17s}.threads(3));
}
TEST_CASE("programs of two threads share nothing: engine") { run_separately(engine_of_standin()); }

TEST_CASE("a program that two threads run is told: cpu") { run_together(backend::cpu{}); }
TEST_CASE("a program that two threads run is told: oracle") { run_together(backend::oracle{h13}); }
TEST_CASE("a program that two threads run is told: engine") { run_together(engine_of_standin()); }

TEST_CASE("a program that two threads run is told: any program, whatever its backend") {
    std::atomic<int> stage{0};
    any_program shared = waiting_program{&stage};
    std::thread first([&] { shared.run({}, {}); });
    while (stage != 1) {
        std::this_thread::yield();
    }
    CHECK_THROWS_WITH_AS(shared.run({}, {}),
                         "argument: program: runs in another thread already; a program is for one thread at a time: "
                         "compile one for each",
                         error);
    stage = 2;
    first.join();
    any_program moved = std::move(shared); // programs stay movable
    moved.run({}, {});
}

// No work of today throws in another thread, so this has no longer way to go.
TEST_CASE("what a worker throws is thrown to the caller") {
    for (int thrower = 0; thrower < 4; ++thrower) {
        std::atomic<int> done{0};
        const auto work = [&](std::int64_t worker) {
            if (worker == thrower) {
                throw std::bad_alloc();
            }
            ++done;
        };
        CHECK_THROWS_AS(numerics::detail::run_workers(4, work), std::bad_alloc);
        CHECK(done == 3);
    }
}
