#include "anemone/backend/engine/e5rt/session.hpp"

#include "anemone/backend/engine/e5rt/compile.hpp"
#include "anemone/backend/engine/e5rt/port.hpp"
#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace e5 = ane::e5rt;

namespace {

using lines = std::vector<std::string>;

std::string joined(const lines& all) {
    std::string text;
    for (const std::string& each : all)
        text += each + "\n";
    return text;
}

lines build_calls(const std::string& directory) {
    return {
        "e5rt_e5_compiler_config_options_create(&)",
        "e5rt_e5_compiler_config_options_set_cache_bundle_location(config1, \"" + directory + "/cache\")",
        "e5rt_e5_compiler_create_with_config(&, config1)",
        "e5rt_e5_compiler_options_create(&)",
        "e5rt_e5_compiler_options_set_compute_device_types_mask(options1, 4)",
        "e5rt_e5_compiler_options_set_force_recompilation(options1, 1)",
        "e5rt_e5_compiler_options_set_segmenter(options1, \"graph\")",
        "e5rt_e5_compiler_options_set_custom_ane_compiler_options(options1, \"TargetArchitecture=h13\")",
        "e5rt_e5_compiler_compile(compiler1, \"" + directory + "/model.mil\", options1, &)",
        "e5rt_program_library_retain_program_function(library1, \"main\", &)",
        "e5rt_precompiled_compute_op_create_options_create_with_program_function(&, function1)",
        "e5rt_precompiled_compute_op_create_options_set_operation_name(op_options1, \"main\")",
        "e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(op_options1, 1)",
        "e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(&, op_options1)",
        "e5rt_e5_compiler_options_release(options1)",
        "e5rt_e5_compiler_release(compiler1)",
        "e5rt_e5_compiler_config_options_release(config1)",
        "e5rt_execution_stream_operation_retain_input_port(operation1, \"x\", &)",
        "e5rt_buffer_object_alloc(&, 64, 0)",
        "e5rt_buffer_object_get_size(buffer1, &)",
        "e5rt_buffer_object_get_data_ptr(buffer1, &)",
        "e5rt_io_port_bind_buffer_object(in1, buffer1)",
        "e5rt_execution_stream_operation_retain_input_port(operation1, \"state\", &)",
        "e5rt_buffer_object_alloc(&, 192, 0)",
        "e5rt_buffer_object_get_size(buffer2, &)",
        "e5rt_buffer_object_get_data_ptr(buffer2, &)",
        "e5rt_io_port_bind_buffer_object(in2, buffer2)",
        "e5rt_execution_stream_operation_retain_output_port(operation1, \"y\", &)",
        "e5rt_buffer_object_alloc(&, 64, 0)",
        "e5rt_buffer_object_get_size(buffer3, &)",
        "e5rt_buffer_object_get_data_ptr(buffer3, &)",
        "e5rt_io_port_bind_buffer_object(out1, buffer3)",
        "e5rt_execution_stream_operation_retain_output_port(operation1, \"state_out\", &)",
        "e5rt_buffer_object_alloc(&, 192, 0)",
        "e5rt_buffer_object_get_size(buffer4, &)",
        "e5rt_buffer_object_get_data_ptr(buffer4, &)",
        "e5rt_io_port_bind_buffer_object(out2, buffer4)",
        "e5rt_async_event_create(&, \"op0_complete\", 0)",
        "e5rt_execution_stream_operation_bind_completion_event(operation1, event1)",
        "e5rt_execution_stream_create(&)",
    };
}

const lines run_first = {"e5rt_execution_stream_encode_operation(stream1, operation1)",
                         "e5rt_execution_stream_execute_sync(stream1)"};
const lines run_again = {"e5rt_execution_stream_execute_sync(stream1)"};
const lines close_calls = {
    "e5rt_execution_stream_release(stream1)",
    "e5rt_buffer_object_release(buffer1)",
    "e5rt_io_port_release(in1)",
    "e5rt_buffer_object_release(buffer2)",
    "e5rt_io_port_release(in2)",
    "e5rt_buffer_object_release(buffer3)",
    "e5rt_io_port_release(out1)",
    "e5rt_buffer_object_release(buffer4)",
    "e5rt_io_port_release(out2)",
    "e5rt_async_event_release(event1)",
    "e5rt_execution_stream_operation_release(operation1)",
    "e5rt_precompiled_compute_op_create_options_release(op_options1)",
    "e5rt_program_function_release(function1)",
    "e5rt_program_library_release(library1)",
};

} // namespace

TEST_CASE("engine session: the calls, their order and their arguments") {
    fake::bench bench;
    auto session = bench.open();
    CHECK(joined(bench.rt.log) == joined(build_calls(bench.directory.string())));
    CHECK(session.degraded().empty());
    CHECK(std::filesystem::is_directory(bench.directory / "cache"));

    bench.rt.log.clear();
    session.execute();
    CHECK(joined(bench.rt.log) == joined(run_first));
    for (int i = 0; i != 3; ++i) {
        bench.rt.log.clear();
        session.execute();
        CHECK(joined(bench.rt.log) == joined(run_again));
    }

    bench.rt.log.clear();
    session.close();
    CHECK(joined(bench.rt.log) == joined(close_calls));
    CHECK(session.closed());
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
    CHECK(bench.report->lines.empty());
    session.close(); // again: nothing
    CHECK(bench.rt.log.size() == close_calls.size());
}

TEST_CASE("engine session: the destructor releases in the same order") {
    fake::bench bench;
    {
        auto session = bench.open();
        session.execute();
        bench.rt.log.clear();
    }
    CHECK(joined(bench.rt.log) == joined(close_calls));
    CHECK(bench.rt.live.empty());
}

TEST_CASE("engine session: options reach the runtime") {
    fake::bench bench;
    bench.options.target_architecture.clear();
    bench.options.function = "f";
    bench.options.device_mask = 7;
    bench.options.force_recompilation = false;
    bench.options.enable_profiling = true;
    bench.options.completion_event = false;
    bench.options.quality_of_service = 33;
    bench.options.execution_priority = 2;
    auto session = bench.open();
    const std::string log = joined(bench.rt.log);
    CHECK(!fake::has(log, "set_custom_ane_compiler_options"));
    CHECK(fake::has(log, "set_compute_device_types_mask(options1, 7)"));
    CHECK(fake::has(log, "set_force_recompilation(options1, 0)"));
    CHECK(fake::has(log, "set_enable_profiling(options1, 1)"));
    CHECK(fake::has(log, "retain_program_function(library1, \"f\", &)"));
    CHECK(fake::has(log, "set_operation_name(op_options1, \"f\")"));
    CHECK(!fake::has(log, "event"));
    CHECK(fake::has(log, "e5rt_execution_stream_create(&)\n"
                         "e5rt_execution_stream_set_quality_of_service(stream1, 33)\n"
                         "e5rt_execution_stream_set_ane_execution_priority(stream1, 2)\n"));
    CHECK(session.degraded().empty());
}

TEST_CASE("engine session: ports are dense, zeroed with their padding, and stay in place") {
    fake::bench bench;
    auto session = bench.open();
    const e5::session& constant = session;
    CHECK(session.input_count() == 2);
    CHECK(session.output_count() == 2);
    CHECK(session.input(0).size() == 2);
    CHECK(session.input(1).size() == 130);
    CHECK(session.output(0).size() == 64);
    CHECK(constant.input(1).data() == session.input(1).data());
    CHECK(constant.output(1).data() == session.output(1).data());
    CHECK(session.input_index("state") == 1);
    CHECK(session.output_index("y") == 0);
    CHECK(bench.rt.data.size() == 4);
    for (const auto& [buffer, data] : bench.rt.data) {
        CHECK(data.size() % 64 == 0);
        CHECK(std::all_of(data.begin(), data.end(), [](std::byte each) { return each == std::byte{0}; }));
    }
    const auto* place = session.input(0).data();
    session.execute();
    session.execute();
    CHECK(session.input(0).data() == place);
    CHECK(fake::thrown([&] { session.input(2); }).code() == ane::errc::port);
    CHECK(fake::thrown([&] { session.output(2); }).code() == ane::errc::port);
    CHECK(fake::thrown([&] { static_cast<void>(session.input_index("y")); }).subject() == "y");
}

TEST_CASE("engine session: the size of an allocation") {
    const auto size = [](std::size_t bytes) { return e5::allocation_size({"p", bytes}); };
    CHECK(size(1) == 64);
    CHECK(size(64) == 64);
    CHECK(size(65) == 128);
    CHECK(size(4096) == 4096);
    CHECK(fake::thrown([&] { static_cast<void>(size(0)); }).code() == ane::errc::port);
    CHECK(size(static_cast<std::size_t>(-64)) == static_cast<std::size_t>(-64));
    CHECK(fake::thrown([&] { static_cast<void>(size(static_cast<std::size_t>(-63))); }).subject() == "p");
}

TEST_CASE("engine session: ports that cannot be") {
    const auto refuse = [](std::vector<e5::port_spec> inputs, std::vector<e5::port_spec> outputs) {
        fake::bench bench;
        bench.inputs = std::move(inputs);
        bench.outputs = std::move(outputs);
        const ane::error failure = fake::thrown([&] { bench.open(); });
        CHECK(failure.code() == ane::errc::port);
        CHECK(bench.rt.log.empty()); // before any work
        return failure.subject();
    };
    CHECK(refuse({{"x", 2}}, {}) == "outputs");
    CHECK(refuse({{"x", 2}, {"x", 2}}, {{"y", 2}}) == "x");
    CHECK(refuse({{"x", 2}}, {{"y", 2}, {"y", 4}}) == "y");
    CHECK(refuse({{"x", 2}}, {{"x", 2}}) == "x");
    CHECK(refuse({{"", 2}}, {{"y", 2}}) == "input");
    CHECK(refuse({{"x", 2}}, {{std::string("y\0z", 3), 2}}) == "output");
    CHECK(refuse({{"x", 0}}, {{"y", 2}}) == "x");

    fake::bench bench; // a program of constants has no input
    bench.inputs.clear();
    CHECK_NOTHROW(bench.open());
}

TEST_CASE("engine session: options that cannot be") {
    const auto refuse = [](void (*change)(e5::session_options&)) {
        fake::bench bench;
        change(bench.options);
        const ane::error failure = fake::thrown([&] { bench.open(); });
        CHECK(failure.code() == ane::errc::argument);
        CHECK(bench.rt.log.empty());
        return failure.subject();
    };
    CHECK(refuse([](e5::session_options& o) { o.device_mask = 0; }) == "device_mask");
    CHECK(refuse([](e5::session_options& o) { o.device_mask = 8; }) == "device_mask");
    CHECK(refuse([](e5::session_options& o) { o.compile_backoff = std::chrono::nanoseconds{-1}; }) ==
          "compile_backoff");
    CHECK(refuse([](e5::session_options& o) { o.function.clear(); }) == "function");
    CHECK(refuse([](e5::session_options& o) { o.target_architecture = std::string("h\0", 2); }) ==
          "target_architecture");
    CHECK(refuse([](e5::session_options& o) { o.target_architecture = "h13x"; }) == "target_architecture"); // R175
    CHECK(refuse([](e5::session_options& o) { o.target_architecture = "H13"; }) == "target_architecture");
    fake::bench bench;
    CHECK(fake::thrown([&] { e5::session(nullptr, bench.inputs, bench.outputs, bench.options); }).subject() ==
          "runtime");
}

TEST_CASE("engine session: the program directory") {
    fake::bench bench;
    std::filesystem::remove(bench.directory / "model.mil");
    ane::error failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.code() == ane::errc::file);
    CHECK(failure.subject() == (bench.directory / "model.mil").string());
    std::ofstream(bench.directory / "model.mil") << "x";
    std::ofstream(bench.directory / "cache") << "a file is in the way";
    failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.code() == ane::errc::file);
    CHECK(failure.subject() == (bench.directory / "cache").string());
    CHECK(bench.rt.log.empty());
}

TEST_CASE("engine session: a relative directory reaches the runtime as an absolute path") {
    fake::bench bench;
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(bench.directory);
    bench.options.directory = ".";
    { auto session = bench.open(); }
    std::filesystem::current_path(before);
    for (const std::string& line : bench.rt.log)
        if (fake::has(line, "model.mil") || fake::has(line, "/cache"))
            CHECK(fake::has(line, "\"/"));
}

TEST_CASE("engine session: moves; closed and moved-from sessions throw on use") {
    static_assert(!std::is_copy_constructible_v<e5::session> && !std::is_copy_assignable_v<e5::session>);
    static_assert(std::is_nothrow_move_constructible_v<e5::session> && std::is_nothrow_move_assignable_v<e5::session>);
    fake::bench bench;
    auto first = bench.open();
    const auto* place = first.input(0).data();
    e5::session second = std::move(first);
    CHECK(second.input(0).data() == place);
    second.execute();
    CHECK(first.closed()); // NOLINT: a moved-from session is closed
    CHECK(fake::thrown([&] { first.execute(); }).subject() == "session");
    CHECK(fake::thrown([&] { first.input(0); }).subject() == "session");
    CHECK_NOTHROW(first.close());
    auto third = bench.open();
    third = std::move(second); // releases what it held
    CHECK(std::count_if(bench.rt.live.begin(), bench.rt.live.end(),
                        [](const auto& each) { return fake::has(each.second, "stream"); }) == 1);
    third.execute();
    third.close();
    CHECK(fake::thrown([&] { third.execute(); }).subject() == "session");
    CHECK(fake::thrown([&] { third.alias(1, 1); }).subject() == "session");
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
}

TEST_CASE("engine session: loaded programs are counted") {
    fake::bench bench;
    const int before = e5::loaded_programs();
    {
        auto first = bench.open();
        auto second = bench.open();
        CHECK(e5::loaded_programs() == before + 2);
        first.close();
        CHECK(e5::loaded_programs() == before + 1);
        bench.rt.status["e5rt_execution_stream_create"] = 3;
        fake::thrown([&] { bench.open(); });
        CHECK(e5::loaded_programs() == before + 1);
    }
    CHECK(e5::loaded_programs() == before);
}

TEST_CASE("engine session: compile only") {
    fake::bench bench;
    const auto library = bench.library();
    CHECK(e5::check_compiles(library, bench.options).empty());
    lines expected = build_calls(bench.directory.string());
    expected.resize(9);
    expected.insert(expected.end(),
                    {"e5rt_program_library_release(library1)", "e5rt_e5_compiler_options_release(options1)",
                     "e5rt_e5_compiler_release(compiler1)", "e5rt_e5_compiler_config_options_release(config1)"});
    CHECK(joined(bench.rt.log) == joined(expected));
    CHECK(bench.rt.live.empty());
}
