// Both doors of in-memory models, with every call of theirs that is slow or loses its service: nothing leaks, no output is
// lost, and the next program works.

#include "door.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

using namespace ane;
using namespace ane::literals;
using namespace std::chrono_literals;

namespace {

constexpr auto summed = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 3, 5>);
    auto sum = g.state("sum"_s, f16<1, 2, 3, 5>);
    write(sum, read(sum) + x);
    g.output("y"_s, read(sum));
});

constexpr const char* run_message = "evaluateWithQoS:options:request:error:";

struct in_memory_door {
    explicit in_memory_door(backend::engine_runtime way) {
        options = objc_standin::options();
        options.runtime = way;
        options.session.gate = std::make_shared<e5rt::dispatch_gate>();
        options.session.pacing = std::make_shared<e5rt::compile_pacing>();
    }

    void limit(e5rt::time_span span) { options.session.timeout = options.session.setup_timeout = span; }

    /// The whole life of a program: compiled, run twice, closed.
    void live_once() {
        auto program = compile<summed>(objc_standin::engine(h13, options), weight_store{});
        ndarray<shape<1, 2, 3, 5>> x;
        for (half& each : x.elements()) {
            each = half(1.5);
        }
        results<summed> y;
        program.run({"x"_s = x}, y);
        program.run({"x"_s = x}, y);
        CHECK(y["y"_s](0, 1, 2, 4) == half(3.0));
        program.compiled().in_memory_session().close();
    }

    std::vector<std::string> calls_of_a_life() {
        objc_standin::books().forget_calls();
        live_once();
        std::vector<std::string> calls = objc_standin::books().called_by_name();
        REQUIRE(calls.size() >= 35);
        return calls;
    }

    backend::engine_options options;
};

/// Does something when the call is held, and lets it go; waited for at the end, also of a test that throws.
class held_thread {
public:
    explicit held_thread(const std::function<void()>& action)
        : thread_([action] {
              objc_standin::await([] { return objc_standin::books().hung() == 1; });
              action();
              objc_standin::books().let_go();
          }) {}
    held_thread(const held_thread&) = delete;
    held_thread& operator=(const held_thread&) = delete;
    ~held_thread() { thread_.join(); }

private:
    std::thread thread_;
};

/// Nothing is held any more when a test ends, however it does.
struct let_go_at_end {
    ~let_go_at_end() { objc_standin::books().let_go(); }
};

constexpr backend::engine_runtime in_memory_doors[] = {backend::engine_runtime::netplist,
                                                       backend::engine_runtime::in_memory_mil};

} // namespace

TEST_CASE("in-memory fault matrix: every call is slow, or its service dies, and the next program works") {
    const let_go_at_end free;
    for (const backend::engine_runtime way : in_memory_doors) {
        in_memory_door door(way);
        const long live = objc_standin::books().live();
        door.limit(objc_standin::ample);
        for (const std::string& call : door.calls_of_a_life()) {
            CAPTURE(call);
            objc_standin::books().hang(call.c_str(), 1);
            {
                const held_thread slow([] { std::this_thread::yield(); });
                door.live_once();
            }

            objc_standin::books().hang(call.c_str(), 1);
            try {
                const held_thread death([] { objc_standin::books().kill_service(); });
                door.live_once();
            } catch (const error& failure) {
                const std::string text = failure.what();
                CHECK(failure.code() == errc::engine);
                CHECK_MESSAGE(text.find("; ") != std::string::npos, text); // a remedy
            }
            CHECK(objc_standin::books().live() == live);
            door.live_once();
        }
        CHECK(std::string(objc_standin::books().misuse()).empty());
    }
}

TEST_CASE("in-memory fault matrix: while a run is out its session and others are busy, and work when it has returned") {
    const let_go_at_end free;
    for (const backend::engine_runtime way : in_memory_doors) {
        in_memory_door door(way);
        door.limit(objc_standin::ample);
        auto first = compile<summed>(objc_standin::engine(h13, door.options), weight_store{});
        auto second = compile<summed>(objc_standin::engine(h13, door.options), weight_store{});
        objc::session& session = first.compiled().in_memory_session();
        session.execute();
        const auto refusal_of = [](const std::function<void()>& action) {
            try {
                action();
            } catch (const error& thrown) {
                return std::string(thrown.what());
            }
            return std::string();
        };
        for (e5rt::time_span limit = 20ms;; limit = e5rt::time_span(limit.nanoseconds * 4)) {
            objc_standin::books().hang(run_message, 1);
            const std::string late = refusal_of([&] { session.execute(limit); });
            if (objc_standin::books().hung() == 1) { // otherwise the machine was too slow for the limit
                CHECK(late.find("cannot be cancelled") != std::string::npos);
                break;
            }
            objc_standin::books().let_go();
            objc_standin::await([&] { return !session.running(); });
        }
        CHECK(session.running());
        std::vector<std::byte> dense(60);
        CHECK(refusal_of([&] { session.write(0, dense); }).find("busy") != std::string::npos);
        CHECK(refusal_of([&] { session.read(0, dense); }).find("busy") != std::string::npos);
        CHECK(refusal_of([&] { session.execute(20ms); }).find("busy") != std::string::npos);
        CHECK(refusal_of([&] { session.execute({}); }).find("busy") != std::string::npos);
        objc::session& other = second.compiled().in_memory_session();
        CHECK(refusal_of([&] { other.execute(20ms); }).find("was not begun") != std::string::npos);
        objc_standin::books().let_go();
        objc_standin::await([&] { return !session.running(); });
        session.execute();
        other.execute();
        session.write(0, dense);
    }
}
