// Both doors of in-memory models, with every call of theirs that hangs, is slow, or loses its service: nobody is held
// longer than the limit, nothing leaks, no output is lost, and the next program works.

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

/// What a program of the doors calls; those that only read or count are left out.
constexpr const char* door_calls[] = {"objc_getClass",
                                      "class_respondsToSelector",
                                      "objc_release",
                                      "CFDataCreate",
                                      "CFStringCreateWithBytes",
                                      "CFNumberCreate",
                                      "CFArrayCreate",
                                      "CFDictionaryCreate",
                                      "CFDictionaryGetValue",
                                      "CFNumberGetValue",
                                      "CFStringGetCString",
                                      "CFRelease",
                                      "IOSurfaceCreate",
                                      "IOSurfaceLock",
                                      "IOSurfaceUnlock",
                                      "IOSurfaceGetBaseAddress",
                                      "IOSurfaceGetAllocSize",
                                      "NSTemporaryDirectory",
                                      "modelWithNetworkDescription:weights:optionsPlist:",
                                      "modelWithMILText:weights:optionsPlist:",
                                      "inMemoryModelWithDescriptor:",
                                      "localModelPath",
                                      "hexStringIdentifier",
                                      "compileWithQoS:options:error:",
                                      "loadWithQoS:options:error:",
                                      "modelAttributes",
                                      "objectWithIOSurface:",
                                      "requestWithInputs:inputIndices:outputs:outputIndices:procedureIndex:",
                                      "mapIOSurfacesWithRequest:cacheInference:error:",
                                      run_message,
                                      "unmapIOSurfacesWithRequest:",
                                      "unloadWithQoS:error:"};

struct in_memory_door {
    explicit in_memory_door(backend::engine_door way) {
        options = objc_standin::options();
        options.door = way;
        options.session.gate = &gate;
        options.session.pacing = &pacing;
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
        std::vector<std::string> calls;
        for (const char* each : door_calls) {
            if (objc_standin::books().calls(each) != 0) {
                calls.emplace_back(each);
            }
        }
        REQUIRE(calls.size() >= 25);
        return calls;
    }

    e5rt::dispatch_gate gate;
    e5rt::compile_pacing pacing;
    backend::engine_options options;
};

void await_quiet(const std::function<bool()>& holds) {
    for (int i = 0; !holds(); ++i) {
        REQUIRE(i < 10000);
        std::this_thread::sleep_for(1ms);
    }
}

/// Does something when the call is held, and lets it go; waited for at the end, also of a test that throws.
class held_thread {
public:
    explicit held_thread(const std::function<void()>& action)
        : thread_([action] {
              for (int i = 0; objc_standin::books().hung() != 1 && i < 10000; ++i) {
                  std::this_thread::sleep_for(1ms);
              }
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

constexpr backend::engine_door in_memory_doors[] = {backend::engine_door::netplist,
                                                    backend::engine_door::in_memory_mil};

} // namespace

TEST_CASE("in-memory fault matrix: every call hangs, and holds its caller no longer than the limit") {
    const let_go_at_end free;
    for (const backend::engine_door way : in_memory_doors) {
        in_memory_door door(way);
        const long live = objc_standin::books().live();
        for (const std::string& call : door.calls_of_a_life()) {
            CAPTURE(call);
            for (e5rt::time_span limit = 20ms;; limit = e5rt::time_span(limit.nanoseconds * 4)) {
                door.limit(limit);
                objc_standin::books().hang(call.c_str());
                std::optional<error> late;
                try {
                    door.live_once();
                } catch (const error& thrown) {
                    late = thrown;
                }
                REQUIRE(late.has_value());
                // Otherwise the machine was too slow for the limit: an earlier call was under way when it was up.
                const bool named =
                    call.find(':') == std::string::npos || late->subject().find(call) != std::string::npos;
                const bool held = objc_standin::books().hung() == 1 && (named || limit > e5rt::time_span(2s));
                if (held) {
                    const std::string text = late->what();
                    CHECK(late->code() == errc::engine);
                    CHECK_MESSAGE(text.find("cannot be cancelled") != std::string::npos, text);
                    CHECK_MESSAGE(text.find("restart the process") != std::string::npos, text);
                    if (call.find(':') != std::string::npos) {
                        CHECK_MESSAGE(late->subject().find(call) != std::string::npos, text);
                    }
                }
                objc_standin::books().let_go();
                await_quiet([&] { return objc_standin::books().live() == live && e5rt::loaded_programs() == 0; });
                if (held) {
                    break;
                }
            }
            door.limit(10s);
            door.live_once();
        }
        CHECK(std::string(objc_standin::books().misuse()).empty());
    }
}

TEST_CASE("in-memory fault matrix: every call is slow, or its service dies, and the next program works") {
    const let_go_at_end free;
    for (const backend::engine_door way : in_memory_doors) {
        in_memory_door door(way);
        const long live = objc_standin::books().live();
        door.limit(10s);
        for (const std::string& call : door.calls_of_a_life()) {
            CAPTURE(call);
            objc_standin::books().hang(call.c_str());
            {
                const held_thread slow([] { std::this_thread::sleep_for(1ms); });
                door.live_once();
            }

            objc_standin::books().hang(call.c_str());
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
    for (const backend::engine_door way : in_memory_doors) {
        in_memory_door door(way);
        door.limit(10s);
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
            objc_standin::books().hang(run_message);
            const std::string late = refusal_of([&] { session.execute(limit); });
            if (objc_standin::books().hung() == 1) { // otherwise the machine was too slow for the limit
                CHECK(late.find("cannot be cancelled") != std::string::npos);
                break;
            }
            objc_standin::books().let_go();
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
        await_quiet([&] { return !session.running(); });
        session.execute();
        other.execute();
        session.write(0, dense);
    }
}
