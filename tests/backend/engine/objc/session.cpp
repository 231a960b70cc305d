#include "door.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ane;
using namespace ane::literals;

namespace {

/// Two inputs and two outputs whose names are not in the order of their declaration.
constexpr auto crossed = graph([](auto& g) {
    auto z = g.input("z"_s, f16<1, 2, 3, 5>);
    auto a = g.input("a"_s, f16<1, 2, 3, 5>);
    g.output("t"_s, z - a);
    g.output("b"_s, relu(a));
});

constexpr auto rectified = graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<1, 3, 4, 5>))); });

using crossed_image = ndarray<shape<1, 2, 3, 5>>;

crossed_image counted_from(int from) {
    crossed_image x;
    int i = from;
    for (half& v : x.elements()) {
        v = half(i++);
    }
    return x;
}

struct ticking_clock final : e5rt::clock_source {
    e5rt::time_span passed;
    e5rt::time_span now() override { return passed; }
    void sleep(e5rt::time_span span) override { passed += span; }
};

void runs_crossed() {
    auto program = compile<crossed>(objc_standin::engine(h13), weight_store{});
    const auto y = program({"z"_s = counted_from(50), "a"_s = counted_from(-7)});
    for (int c = 0; c < 2; ++c) {
        for (int h = 0; h < 3; ++h) {
            for (int w = 0; w < 5; ++w) {
                CHECK(y["t"_s](0, c, h, w) == half(57));
                CHECK(y["b"_s](0, c, h, w) == half(std::max(0, c * 15 + h * 5 + w - 7)));
            }
        }
    }
}

} // namespace

TEST_CASE("netplist session: ports are found by name, whatever the order of the live lists") {
    runs_crossed();
    const objc_standin::option reversed("reverse_ports", 1);
    runs_crossed();
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist session: strides that are given, zero, absent, and wider than 64 bytes") {
    for (const int strides : {0, 1, 2}) {
        const objc_standin::option kind("strides", strides, 2);
        runs_crossed();
    }
    const objc_standin::option wide("row_granule", 256, 64);
    runs_crossed();
    auto program = compile<crossed>(objc_standin::engine(h13), weight_store{});
    objc::session& session = program.compiled().in_memory_session();
    CHECK(session.input_layout(session.input_index("z")).stride[3] == 256);
    CHECK(session.output_layout(session.output_index("b")).surface == 2 * 3 * 256);
    CHECK_THROWS_WITH_AS(session.input_index("b"), doctest::Contains("no input has this name"), error);
    CHECK_THROWS_AS(session.input_layout(2), error);
}

TEST_CASE("netplist session: surfaces that the engine finds too small are status 0x1d, with what to do") {
    // The live lists give no strides, and the engine's rows are wider than the derived ones.
    const objc_standin::option absent("strides", 0, 2);
    const objc_standin::option wide("row_granule", 128, 64);
    auto program = compile<crossed>(objc_standin::engine(h13), weight_store{});
    results<crossed> y;
    CHECK_THROWS_WITH_AS(
        program.run({"z"_s = counted_from(1), "a"_s = counted_from(1)}, y),
        doctest::Contains(
            "-[_ANEInMemoryModel evaluateWithQoS:options:request:error:]: ANEProgramProcessRequestDirect() "
            "Failed with status=0x1d : Program Inference error; a surface is too small"),
        error);
}

TEST_CASE("netplist session: live lists that do not fit the model are refused with the road to what is wrong") {
    {
        const objc_standin::option overlapping("strides", 3, 2);
        CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13), weight_store{}),
                             doctest::Contains("port 'z': RowStride is 2 bytes"), error);
    }
    const objc_standin::option type("foreign_type", 1);
    CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13), weight_store{}),
                         doctest::Contains("modelAttributes.NetworkStatusList[0].LiveInputList[0].Type: is Float32"),
                         error);
    CHECK(objc_standin::books().live() == 0);
}

TEST_CASE("netplist session: each form of the request's factory is found") {
    const std::string stem = "requestWithInputs:inputIndices:outputs:outputIndices:";
    const std::string forms[] = {
        stem + "procedureIndex:", stem + "perfStats:procedureIndex:", stem + "weightsBuffer:procedureIndex:",
        stem + "weightsBuffer:perfStats:procedureIndex:"};
    for (const std::string& form : forms) {
        objc_standin::books().forget_calls();
        runs_crossed();
        CHECK(objc_standin::books().calls(form.c_str()) == 1);
        objc_standin::books().hide(form.c_str(), true);
    }
    CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13), weight_store{}),
                         doctest::Contains("library: +[_ANERequest " + doctest::String(forms[3].c_str())), error);
    for (const std::string& form : forms) {
        objc_standin::books().hide(form.c_str(), false);
    }
    CHECK(objc_standin::books().live() == 0);
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist session: surfaces that cannot be mapped are not, and it is said") {
    objc_standin::books().hide("mapIOSurfacesWithRequest:cacheInference:error:", true);
    {
        runs_crossed();
        auto program = compile<crossed>(objc_standin::engine(h13), weight_store{});
        CHECK(program.compiled().in_memory_session().degraded().size() == 1);
    }
    objc_standin::books().hide("mapIOSurfacesWithRequest:cacheInference:error:", false);
    objc_standin::books().forget_calls();
    auto options = objc_standin::options();
    options.objc.map_surfaces = false;
    static_cast<void>(compile<crossed>(objc_standin::engine(h13, options), weight_store{}));
    CHECK(objc_standin::books().calls("mapIOSurfacesWithRequest:cacheInference:error:") == 0);
    CHECK(std::string(objc_standin::books().misuse()).empty());
}

TEST_CASE("netplist session: a load that fails once is tried again after 100 ms, twice is an error") {
    const auto time = std::make_shared<ticking_clock>();
    auto options = objc_standin::options();
    options.session.time = time;
    objc_standin::books().fail("loadWithQoS:options:error:", 1);
    static_cast<void>(compile<crossed>(objc_standin::engine(h13, options), weight_store{}));
    CHECK(time->passed == e5rt::time_span(100'000'000));
    const objc_standin::option refused("refuse_load", 1);
    CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13, options), weight_store{}),
                         doctest::Contains("failed twice, 100 ms apart: a failure on demand; close another program"),
                         error);
    CHECK(objc_standin::books().live() == 0);
}

TEST_CASE("netplist session: the limit on compiles is refused before the compiler fails, and says what to do") {
    auto options = objc_standin::options();
    options.objc.compile_limit = objc::compiles() + 1;
    static_cast<void>(compile<crossed>(objc_standin::engine(h13, options), weight_store{}));
    CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13, options), weight_store{}),
                         doctest::Contains("start another process, keep programs, or use the e5rt door"), error);
    {
        const objc_standin::option limit("compile_limit", 0, 1'000'000); // the compiler's own
        CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13), weight_store{}),
                             doctest::Contains("after about 119 compiles in a process every one fails"), error);
    }
    runs_crossed();
    CHECK(objc::door_options{}.compile_limit == 119);
}

TEST_CASE("netplist session: a failed compile makes the next one of either door wait") {
    const auto time = std::make_shared<ticking_clock>();
    const auto pacing = std::make_shared<e5rt::compile_pacing>();
    auto options = objc_standin::options();
    options.session.time = time;
    options.session.pacing = pacing;
    options.session.compile_backoff = e5rt::default_compile_backoff;
    objc_standin::books().fail("compileWithQoS:options:error:", 1);
    CHECK_THROWS_AS(compile<crossed>(objc_standin::engine(h13, options), weight_store{}), error);
    CHECK(pacing->last_failure().has_value());
    static_cast<void>(compile<crossed>(objc_standin::engine(h13, options), weight_store{}));
    CHECK(time->passed == e5rt::default_compile_backoff);
}

TEST_CASE("netplist session: loaded programs of both doors count together") {
    auto options = objc_standin::options();
    options.session.program_limit = e5rt::loaded_programs() + 1;
    const auto first = compile<crossed>(objc_standin::engine(h13, options), weight_store{});
    CHECK_THROWS_WITH_AS(compile<crossed>(objc_standin::engine(h13, options), weight_store{}),
                         doctest::Contains("R116"), error);
}

TEST_CASE("netplist session: the program's files are removed with it, those in the given directory stay") {
    const char* const before = std::getenv("TMPDIR");
    const std::string usual = before != nullptr ? before : "/tmp";
    const e5rt::temporary_directory alone("anemone_door");
    ::setenv("TMPDIR", alone.path().c_str(), 1);
    std::string place;
    {
        auto program = compile<crossed>(objc_standin::engine(h13), weight_store{});
        for (const auto& entry : std::filesystem::directory_iterator(alone.path())) {
            place = entry.path();
        }
        REQUIRE_FALSE(place.empty());
        CHECK(std::filesystem::exists(place + "/net.plist"));
        CHECK(std::filesystem::exists(place + "/weights.0"));
    }
    CHECK_FALSE(std::filesystem::exists(place));
    ::setenv("TMPDIR", usual.c_str(), 1);
}

TEST_CASE("netplist session: a child of fork neither runs nor releases the parent's programs") {
    auto program = std::make_unique<ane::program<rectified, backend::engine_program>>(
        compile<rectified>(objc_standin::engine(h13), weight_store{}));
    objc_standin::books().forget_calls();
    const pid_t child = ::fork();
    if (child == 0) {
        int verdict = 1;
        try {
            results<rectified> y;
            program->run({"x"_s = ndarray<shape<1, 3, 4, 5>>{}}, y);
        } catch (const error& e) {
            verdict = std::string(e.what()).find("does not survive fork") != std::string::npos ? 0 : 2;
        }
        program.reset();
        verdict += objc_standin::books().calls("unloadWithQoS:error:") != 0 ? 4 : 0;
        ::_exit(verdict);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK((*program)({"x"_s = ndarray<shape<1, 3, 4, 5>>{}})["y"_s](0, 0, 0, 0) == half(0.0));
}

TEST_CASE("netplist session: the gate of the e5rt door keeps its runs apart too") {
    const auto gate = std::make_shared<e5rt::dispatch_gate>();
    auto options = objc_standin::options();
    options.session.gate = gate;
    auto program = compile<rectified>(objc_standin::engine(h13, options), weight_store{});
    std::atomic<bool> done = false;
    gate->lock();
    std::thread runner([&] {
        static_cast<void>(program({"x"_s = ndarray<shape<1, 3, 4, 5>>{}}));
        done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(done);
    gate->unlock();
    runner.join();
    CHECK(done);
}
