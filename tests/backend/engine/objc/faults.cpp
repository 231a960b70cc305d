// Every call of the netplist door made to fail, once for each time that it is made: nothing leaks, the error names the
// step, and what comes after it works.

#include "door.hpp"
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using namespace ane::literals;

namespace {

constexpr auto counter = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 3, 5>);
    auto total = g.state("total"_s, f16<1, 2, 3, 5>);
    write(total, read(total) + x);
    g.output("y"_s, read(total));
});

using counted_cube = ndarray<shape<1, 2, 3, 5>>;
using counter_program = program<counter, backend::engine_program>;

counted_cube cube_of_ones() {
    counted_cube x;
    for (half& v : x.elements()) {
        v = half(1.0);
    }
    return x;
}

counter_program counting(backend::engine_options options = objc_standin::options()) {
    return compile<counter>(objc_standin::engine(h13, std::move(options)), weight_store{});
}

/// A call, and whether the program cannot do without it.
struct door_step {
    const char* name;
    bool needed = true;
};
constexpr door_step first_use[] = {
    {"objc_getClass"},
    {"class_respondsToSelector", false}, // of a message that may be missing
    {"CFDataCreate"},
    {"CFStringCreateWithBytes"},
    {"CFNumberCreate"},
    {"CFArrayCreate"},
    {"CFDictionaryCreate"},
    {"CFDictionaryGetValue", false}, // a stride that is missing is derived
    {"CFNumberGetValue"},
    {"CFStringGetCString"},
    {"IOSurfaceCreate"},
    {"IOSurfaceLock"},
    {"IOSurfaceUnlock"},
    {"IOSurfaceGetBaseAddress"},
    {"IOSurfaceGetAllocSize"},
    {"modelWithNetworkDescription:weights:optionsPlist:"},
    {"inMemoryModelWithDescriptor:"},
    {"localModelPath"},
    {"compileWithQoS:options:error:"},
    {"loadWithQoS:options:error:", false}, // it is tried again
    {"modelAttributes"},
    {"objectWithIOSurface:"},
    {"requestWithInputs:inputIndices:outputs:outputIndices:procedureIndex:"},
    {"mapIOSurfacesWithRequest:cacheInference:error:"},
};

struct silent_report final : e5rt::release_report {
    void failed(std::string_view step, std::int64_t) override { steps.emplace_back(step); }
    std::vector<std::string> steps;
};

} // namespace

TEST_CASE("netplist faults: each call of a compile fails in its turn") {
    const long before = objc_standin::books().live();
    for (const door_step& each : first_use) {
        objc_standin::books().forget_calls();
        { const counter_program whole = counting(); }
        const int times = static_cast<int>(objc_standin::books().calls(each.name));
        CHECK_MESSAGE(times > 0, each.name);
        for (int nth = 1; nth <= times; ++nth) {
            objc_standin::books().fail(each.name, nth);
            bool thrown = false;
            try {
                counter_program program = counting();
                CHECK(program({"x"_s = cube_of_ones()})["y"_s](0, 1, 2, 4) == half(1.0));
            } catch (const error& e) {
                thrown = true;
                const std::string text = e.what();
                CHECK_MESSAGE((e.code() == errc::engine || e.code() == errc::library), text);
                CHECK_MESSAGE(text.size() > e.subject().size() + 20, text); // a reason, and what to do
                if (std::string_view(each.name).find(':') != std::string_view::npos) {
                    CHECK_MESSAGE(e.subject().find(each.name) != std::string::npos, text);
                    CHECK_MESSAGE(text.find("; ") != std::string::npos, text);
                }
            }
            CHECK_MESSAGE((thrown || !each.needed), each.name, " ", nth);
            objc_standin::books().fail("", 0);
            CHECK_MESSAGE(objc_standin::books().live() == before, each.name, " ", nth);
            CHECK(objc_standin::books().pools() == 0);
        }
    }
    counter_program after = counting();
    CHECK(after({"x"_s = cube_of_ones()})["y"_s](0, 0, 0, 0) == half(1.0));
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist faults: each call of a run fails in its turn, and the next run works") {
    counter_program program = counting();
    results<counter> y;
    program.run({"x"_s = cube_of_ones()}, y);
    constexpr const char* calls[] = {"IOSurfaceLock", "IOSurfaceUnlock", "IOSurfaceGetBaseAddress",
                                     "evaluateWithQoS:options:request:error:"};
    for (const char* name : calls) {
        objc_standin::books().forget_calls();
        program.run({"x"_s = cube_of_ones()}, y);
        const int times = static_cast<int>(objc_standin::books().calls(name));
        CHECK(times > 0);
        for (int nth = 1; nth <= times; ++nth) {
            program.reset();
            program.run({"x"_s = cube_of_ones()}, y);
            const long live = objc_standin::books().live();
            objc_standin::books().fail(name, nth);
            try {
                program.run({"x"_s = cube_of_ones()}, y);
                FAIL_CHECK("no error of " << name);
            } catch (const error& e) {
                CHECK(e.code() == errc::engine);
                CHECK_MESSAGE(e.subject().find(name) != std::string::npos, e.what());
                CHECK_MESSAGE(std::string(e.what()).find("again") != std::string::npos, e.what());
            }
            CHECK(objc_standin::books().live() == live);
            CHECK(objc_standin::books().pools() == 0);
            program.reset();
            program.run({"x"_s = cube_of_ones()}, y);
            CHECK(y["y"_s](0, 1, 1, 1) == half(1.0));
        }
    }
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist faults: a reason that cannot be had is no reason to lose the error") {
    counter_program program = counting();
    results<counter> y;
    objc_standin::books().fail("evaluateWithQoS:options:request:error:", 1);
    try {
        program.run({"x"_s = cube_of_ones()}, y);
        FAIL_CHECK("no error");
    } catch (const error& e) {
        CHECK(std::string(e.what()).find("a failure on demand") != std::string::npos);
    }
}

TEST_CASE("netplist faults: an end that fails is thrown by close, reported by the destructor, and leaks nothing") {
    const long before = objc_standin::books().live();
    const auto report = std::make_shared<silent_report>();
    auto options = objc_standin::options();
    options.session.report = report;
    {
        counter_program program = counting(options);
        objc_standin::books().fail("unloadWithQoS:error:", 1);
        CHECK_THROWS_WITH_AS(
            program.compiled().in_memory_session().close(),
            doctest::Contains("releases failed: -[_ANEInMemoryModel unloadWithQoS:error:]: a failure on "
                              "demand; the program may stay loaded"),
            error);
        program.compiled().in_memory_session().close(); // does nothing
    }
    CHECK(report->steps.empty());
    {
        const counter_program program = counting(options);
        objc_standin::books().fail("unloadWithQoS:error:", 1);
    }
    CHECK(report->steps == std::vector<std::string>{"-[_ANEInMemoryModel unloadWithQoS:error:]"});
    CHECK(objc_standin::books().live() == before);
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist faults: classes and messages that a macOS lacks are named") {
    for (const char* name : {"_ANEInMemoryModelDescriptor", "_ANEInMemoryModel", "_ANEIOSurfaceObject", "_ANERequest",
                             "modelWithNetworkDescription:weights:optionsPlist:", "compileWithQoS:options:error:",
                             "loadWithQoS:options:error:", "evaluateWithQoS:options:request:error:"}) {
        objc_standin::books().hide(name, true);
        try {
            static_cast<void>(counting());
            FAIL_CHECK("no error without " << name);
        } catch (const error& e) {
            CHECK(e.code() == errc::library);
            CHECK_MESSAGE(e.subject().find(name) != std::string::npos, e.what());
            CHECK_MESSAGE(std::string(e.what()).find("use the e5rt door") != std::string::npos, e.what());
        }
        objc_standin::books().hide(name, false);
    }
    CHECK(objc_standin::books().live() == 0);
    CHECK(std::string(objc_standin::books().misuse()).empty());
}
