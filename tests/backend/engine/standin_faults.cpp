// The engine backend over the whole stand-in, with every call of the runtime made to fail in turn.

#include "../standin_control.hpp"
#include <anemone/backend/engine/driver/temporary_directory.hpp>
#include <anemone/backend/engine/e5rt/api.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/io/file.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ane;

namespace {

constexpr auto small_model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto y = g.input("y"_s, f16<1, 4>);
    g.output("sum"_s, x + y);
    g.output("product"_s, x * y);
});

/// A clock that never waits, sleeping moves it, and a report that keeps what it is told.
struct fake_time final : e5rt::clock_source, e5rt::release_report, std::enable_shared_from_this<fake_time> {
    time_point present;
    duration slept;
    std::shared_ptr<e5rt::compile_pacing> pacing = std::make_shared<e5rt::compile_pacing>();
    std::vector<std::string> reported;

    time_point now() override { return present; }
    void sleep(duration span) override {
        present += span;
        slept += span;
    }
    void failed(std::string_view step, std::int64_t) override { reported.emplace_back(step); }

    backend::engine_options options() {
        backend::engine_options o;
        o.library = standin::path();
        o.preflight = false;
        o.session.time = shared_from_this();
        o.session.pacing = pacing;
        o.session.report = shared_from_this();
        o.session.enable_profiling = true;
        o.session.quality_of_service = 1;
        o.session.execution_priority = 1;
        return o;
    }
};

bool is_optional(const char* name) {
    for (const auto& each : e5rt::symbols) {
        if (std::string_view(each.name) == name) {
            return each.required_or_optional == e5rt::presence::optional;
        }
    }
    return false;
}
/// What only a chain calls.
bool only_of_chains(std::string_view name) {
    return name == "e5rt_execution_stream_reset" || name == "e5rt_execution_stream_operation_prepare_op_for_encode";
}
bool is_release(std::string_view name) { return name.size() > 8 && name.substr(name.size() - 8) == "_release"; }

/// Compiles and runs the model once; gives what the driver left out.
std::vector<std::string> compile_and_run(const std::shared_ptr<fake_time>& time) {
    auto p = compile<small_model>(backend::engine(h13, time->options()));
    const ndarray<shape<1, 4>> x{1, 2, 3, 4};
    const ndarray<shape<1, 4>> y{5, 6, 7, 8};
    const auto r = p({"x"_s = x, "y"_s = y});
    CHECK(static_cast<float>(r["sum"_s][1]) == 8.0F);
    CHECK(static_cast<float>(r["product"_s][3]) == 32.0F);
    std::vector<std::string> left_out;
    for (const auto& d : p.compiled().session().degraded()) {
        left_out.emplace_back(d.step);
    }
    return left_out;
}

template <class Action> error thrown(const Action& action) {
    try {
        action();
    } catch (const error& e) {
        return e;
    }
    FAIL("nothing was thrown");
    throw std::logic_error("unreachable");
}

} // namespace

TEST_CASE("engine faults: every call of a compile and a run fails in turn, on its first and later calls") {
    const standin::control& control = standin::control::instance();
    std::uint64_t live = control.live_handles();
    int failures = 0;
    for (const auto& each : e5rt::symbols) {
        const std::string name = each.name;
        if (only_of_chains(name)) {
            continue;
        }
        const std::uint64_t before = control.calls(each.name);
        {
            const auto time = std::make_shared<fake_time>();
            CHECK(compile_and_run(time).empty());
            CHECK(time->reported.empty());
        }
        const std::uint64_t calls = control.calls(each.name) - before;
        CAPTURE(name);
        REQUIRE(calls >= 1); // everything the driver looks up is used
        for (std::uint64_t nth = 1; nth <= calls; ++nth) {
            CAPTURE(nth);
            const auto time = std::make_shared<fake_time>();
            REQUIRE(control.fail(each.name, static_cast<int>(nth), -7) == 0);
            ++failures;
            if (is_release(name)) {
                CHECK_NOTHROW(compile_and_run(time));
                CHECK(time->reported == std::vector<std::string>{name});
            } else if (is_optional(each.name)) {
                CHECK(compile_and_run(time) == std::vector<std::string>{name});
                CHECK(time->reported.empty());
            } else {
                const error e = thrown([&] { compile_and_run(time); });
                CHECK(e.code() == errc::engine);
                CHECK(e.subject() == name);
                CHECK(std::string(e.what()).find("status -7") != std::string::npos);
                CHECK(time->reported.empty());
            }
            control.fail(nullptr, 1, 0);
            live += is_release(name) ? 1 : 0; // a refused release leaves its object: all that can be done is to say so
            CHECK(control.live_handles() == live);
            CHECK(time->slept == e5rt::clock_source::duration::zero());
        }
    }
    CHECK(failures > 0);
}

TEST_CASE("engine faults: closing a session reports every release that fails, and goes on") {
    const standin::control& control = standin::control::instance();
    const auto time = std::make_shared<fake_time>();
    auto p = compile<small_model>(backend::engine(h13, time->options()));
    control.fail("e5rt_io_port_release", 2, -3);
    control.fail("e5rt_execution_stream_release", 1, -4);
    const error e = thrown([&] { p.compiled().session().close(); });
    control.fail(nullptr, 1, 0);
    CHECK(e.code() == errc::engine);
    CHECK(e.subject() == "e5rt_execution_stream_release");
    CHECK(std::string(e.what()).find("e5rt_io_port_release: status -3") != std::string::npos);
    CHECK(p.compiled().session().closed());
    CHECK(thrown([&] { p.compiled().session().execute(); }).code() == errc::argument);
}

TEST_CASE("engine faults: after a failed compile the next one waits 15 seconds, by the clock it was given") {
    const standin::control& control = standin::control::instance();
    const auto time = std::make_shared<fake_time>();
    const auto options = time->options();
    const auto attempt = [&] { static_cast<void>(compile<small_model>(backend::engine(h13, options))); };
    control.fail("e5rt_e5_compiler_compile", 1, -7);
    CHECK_THROWS_AS(attempt(), error);
    CHECK(time->slept == e5rt::clock_source::duration::zero());
    time->present += std::chrono::seconds(4);
    control.fail("e5rt_e5_compiler_compile", 1, -7);
    CHECK_THROWS_AS(attempt(), error);
    CHECK(time->slept == std::chrono::seconds(11));
    attempt();
    CHECK(time->slept == std::chrono::seconds(26));
    attempt();
    CHECK(time->slept == std::chrono::seconds(26)); // a success clears it
}

TEST_CASE("engine faults: no result where one was promised") {
    // A resolver that answers with the stand-in, but for one function that reports success and hands out nothing.
    const standin::control& control = standin::control::instance();
    const std::uint64_t live = control.live_handles();
    const e5rt::temporary_directory directory("anemone-faults");
    write_file(
        directory.path() / "model.mil",
        std::string("program(1.3)\n[buildInfo = dict<string, string>({{\"coremlc-component-MIL\", \"3520.4.1\"}, "
                    "{\"coremlc-version\", \"3520.5.1\"}})]\n{\n    func main<ios18>(tensor<fp16, [1, 4]> x) {\n"
                    "        tensor<fp16, [1, 4]> y = relu(x = x)[name = string(\"y\")];\n    } -> (y);\n}\n"));
    const auto open = [&](const std::shared_ptr<const e5rt::library>& runtime, const std::string& input = "x",
                          const std::string& output = "y") {
        const auto time = std::make_shared<fake_time>();
        e5rt::session_options options = time->options().session;
        options.directory = directory.path();
        options.target_architecture = "h13";
        e5rt::session s(runtime, {{input, 8}}, {{output, 8}}, options);
        s.execute();
        std::vector<std::string> left_out;
        for (const auto& d : s.degraded()) {
            left_out.emplace_back(d.step);
        }
        return left_out;
    };
    const auto without = [&](std::string_view missing, void* instead) {
        return e5rt::library::from_resolver(
            [&control, missing, instead](const char* name) { return name == missing ? instead : control.symbol(name); },
            "partial");
    };
    CHECK(open(without("", nullptr)).empty());

    SUBCASE("a missing function") {
        for (const auto& each : e5rt::symbols) {
            CAPTURE(each.name);
            if (each.required_or_optional == e5rt::presence::required) {
                const error e = thrown([&] { without(each.name, nullptr); });
                CHECK(e.code() == errc::library);
                CHECK(e.subject() == each.name);
                CHECK(std::string(e.what()).find("partial") != std::string::npos);
            } else {
                const auto missing =
                    only_of_chains(each.name) ? std::vector<std::string>{} : std::vector<std::string>{each.name};
                CHECK(open(without(each.name, nullptr)) == missing);
            }
            CHECK(control.live_handles() == live);
        }
    }
    SUBCASE("a null object") {
        // With the very types of the functions that they replace.
        const auto erased = [](auto function) { return reinterpret_cast<void*>(function); };
        const auto plain = erased(+[](void** out) -> std::int64_t { return *out = nullptr, 0; });
        const auto of_object = erased(+[](void** out, void*) -> std::int64_t { return *out = nullptr, 0; });
        const auto alloc =
            erased(+[](void** out, std::uint64_t, std::uint32_t) -> std::int64_t { return *out = nullptr, 0; });
        const auto event =
            erased(+[](void** out, const char*, std::uint32_t) -> std::int64_t { return *out = nullptr, 0; });
        const auto getter = erased(+[](void*, void** out) -> std::int64_t { return *out = nullptr, 0; });
        const auto retain = erased(+[](void*, const char*, void** out) -> std::int64_t { return *out = nullptr, 0; });
        const auto compiled =
            erased(+[](void*, const char*, void*, void** out) -> std::int64_t { return *out = nullptr, 0; });
        const std::pair<const char*, void*> makers[] = {
            {"e5rt_e5_compiler_config_options_create", plain},
            {"e5rt_e5_compiler_create_with_config", of_object},
            {"e5rt_e5_compiler_options_create", plain},
            {"e5rt_e5_compiler_compile", compiled},
            {"e5rt_program_library_retain_program_function", retain},
            {"e5rt_precompiled_compute_op_create_options_create_with_program_function", of_object},
            {"e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options", of_object},
            {"e5rt_execution_stream_operation_retain_input_port", retain},
            {"e5rt_execution_stream_operation_retain_output_port", retain},
            {"e5rt_buffer_object_alloc", alloc},
            {"e5rt_buffer_object_get_data_ptr", getter},
            {"e5rt_execution_stream_create", plain},
        };
        for (const auto& maker : makers) { // no structured binding: clang 14 does not capture it
            CAPTURE(maker.first);
            const error e = thrown([&] { open(without(maker.first, maker.second)); });
            CHECK(e.code() == errc::engine);
            CHECK(e.subject() == maker.first);
            CHECK(std::string(e.what()).find("null") != std::string::npos);
            CHECK(control.live_handles() == live);
        }
        CHECK(open(without("e5rt_async_event_create", event)) == std::vector<std::string>{"e5rt_async_event_create"});
        CHECK(control.live_handles() == live);
    }
    SUBCASE("an unknown port") {
        const error input = thrown([&] { open(without("", nullptr), "nowhere"); });
        CHECK(input.subject() == "e5rt_execution_stream_operation_retain_input_port");
        CHECK(std::string(input.what()).find("nowhere") != std::string::npos);
        const error output = thrown([&] { open(without("", nullptr), "x", "nowhere"); });
        CHECK(output.subject() == "e5rt_execution_stream_operation_retain_output_port");
        CHECK(control.live_handles() == live);
    }
}

TEST_CASE("engine faults: a library that is not there, or is no runtime") {
    backend::engine_options options;
    options.library = "/nowhere/libe5rt.so";
    const error e = thrown([&] { static_cast<void>(compile<small_model>(backend::engine(h13, options))); });
    CHECK(e.code() == errc::library);
    CHECK(std::string(e.what()).find("/nowhere/libe5rt.so") != std::string::npos);
    options.library = "libm.so.6";
    const error other = thrown([&] { static_cast<void>(compile<small_model>(backend::engine(h13, options))); });
    CHECK(other.code() == errc::library);
    CHECK(other.subject() == e5rt::symbols[0].name);
}

TEST_CASE("engine faults: what the engine refuses names the step, and later compiles are fine") {
    const auto time = std::make_shared<fake_time>();
    const auto options = time->options();
    const auto foreign = [&] { static_cast<void>(compile<small_model>(backend::engine(h16, options))); };
    const standin::control& control = standin::control::instance();
    const std::uint64_t live = control.live_handles();
    CHECK(thrown(foreign).subject() == // compiled, but for another machine than the host
          "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options");
    const error old = thrown([&] { static_cast<void>(compile<small_model>(backend::engine(h12, options))); });
    CHECK(std::string(old.what()).find("MIL is only supported for H13+") != std::string::npos);
    CHECK(time->slept == e5rt::clock_source::duration::zero()); // neither was a failed compile

    static constexpr auto wide = graph([](auto& g) { // a kernel of width 14, which A13 does not take
        auto x = g.input("x"_s, f16<1, 1, 4, 20>);
        auto w = g.constant(f16<1, 1, 1, 14>, 0.5);
        g.output("y"_s, conv2d(x, w));
    });
    const error refused = thrown([&] { static_cast<void>(compile<wide>(backend::engine(h13, options))); });
    CHECK(refused.code() == errc::engine);
    CHECK(refused.subject() == "e5rt_e5_compiler_compile");
    CHECK(std::string(refused.what()).find("ANECCompile() FAILED") != std::string::npos); // among the known symptoms
    CHECK(control.live_handles() == live);
    CHECK(compile_and_run(time).empty());
    CHECK(time->slept == std::chrono::seconds(15));
}

TEST_CASE("engine faults: the preflight refuses what the rules refuse, before any compile") {
    static constexpr auto wide = graph([](auto& g) { // a kernel of width 14, which A13 does not take
        auto x = g.input("x"_s, f16<1, 1, 4, 20>);
        auto w = g.weight("stem.weight", f16<1, 1, 1, 14>);
        g.output("y"_s, conv2d(x, w));
    });
    weight_store weights;
    weights.add("stem.weight", {1, 1, 1, 14}, std::span<const float>(std::vector<float>(14, 0.5F)));
    const auto time = std::make_shared<fake_time>();
    auto options = time->options();
    options.preflight = true;
    const standin::control& control = standin::control::instance();
    const std::uint64_t compiles = control.calls("e5rt_e5_compiler_compile");
    const error refused = thrown([&] { static_cast<void>(compile<wide>(backend::engine(h13, options), weights)); });
    CHECK(refused.code() == errc::lowering);
    CHECK(std::string(refused.what()).find("conv2d \"y\" (standin_faults.cpp:") != std::string::npos);
    CHECK(std::string(refused.what()).find("kernel width 14 exceeds 13 on h13") != std::string::npos);
    CHECK(thrown([&] { static_cast<void>(compile<small_model>(backend::engine(h12, options))); }).code() ==
          errc::lowering);
    CHECK(control.calls("e5rt_e5_compiler_compile") == compiles);
    options.rules = waive(rule::kernel_width_exceeds);
    CHECK(thrown([&] { static_cast<void>(compile<wide>(backend::engine(h13, options), weights)); }).code() ==
          errc::engine); // waived: the engine's compiler has the last word
}
