#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("engine alias: binds the output's buffer, then releases the input's") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.log.clear();
    session.alias(1, 1);
    CHECK(bench.rt.log == std::vector<std::string>{"e5rt_io_port_bind_buffer_object(in2, buffer4)",
                                                   "e5rt_buffer_object_release(buffer2)"});
    CHECK(session.input(1).data() == session.output(1).data());
    CHECK(session.input(1).size() == 130);
    CHECK(session.input(0).data() != session.output(0).data());
    session.execute();

    bench.rt.log.clear();
    session.close(); // the shared buffer goes once, with the output
    CHECK(bench.rt.log == std::vector<std::string>{
                              "e5rt_execution_stream_release(stream1)", "e5rt_buffer_object_release(buffer1)",
                              "e5rt_io_port_release(in1)", "e5rt_io_port_release(in2)",
                              "e5rt_buffer_object_release(buffer3)", "e5rt_io_port_release(out1)",
                              "e5rt_buffer_object_release(buffer4)", "e5rt_io_port_release(out2)",
                              "e5rt_async_event_release(event1)", "e5rt_execution_stream_operation_release(operation1)",
                              "e5rt_precompiled_compute_op_create_options_release(op_options1)",
                              "e5rt_program_function_release(function1)", "e5rt_program_library_release(library1)"});
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
}

TEST_CASE("engine alias: state lives across runs") {
    fake::bench bench;
    bench.inputs = {{"total", 2}};
    bench.outputs = {{"total_out", 2}};
    auto session = bench.open();
    session.alias(0, 0);
    // the program adds one: it reads through the buffer bound to the input and writes through the output's
    bench.rt.on_call = [&](std::string_view name) {
        if (name != "e5rt_execution_stream_execute_sync")
            return;
        std::byte* read = nullptr;
        std::byte* write = nullptr;
        for (const auto& [port, buffer] : bench.rt.bound)
            (fake::starts(bench.rt.live.at(port), "in") ? read : write) = bench.rt.data.at(buffer).data();
        *write = static_cast<std::byte>(static_cast<int>(*read) + 1);
    };
    for (int expected = 1; expected <= 4; ++expected) {
        session.execute();
        CHECK(static_cast<int>(session.output(0)[0]) == expected);
    }
    session.input(0)[0] = std::byte{10}; // seeding and resetting go through the same memory
    session.execute();
    CHECK(static_cast<int>(session.output(0)[0]) == 11);
}

TEST_CASE("engine alias: a bind that fails keeps the input's buffer") {
    fake::bench bench;
    auto session = bench.open();
    const auto* place = session.input(1).data();
    bench.rt.status["e5rt_io_port_bind_buffer_object"] = 3;
    const ane::error failure = fake::thrown([&] { session.alias(1, 1); });
    CHECK(failure.code() == ane::errc::engine);
    CHECK(failure.subject() == "e5rt_io_port_bind_buffer_object");
    CHECK(fake::has(failure.what(), "state_out -> state"));
    CHECK(session.input(1).data() == place);
    bench.rt.status.clear();
    CHECK_NOTHROW(session.alias(1, 1)); // and may be tried again
    session.close();
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
}

TEST_CASE("engine alias: a release of the old buffer that fails is reported, the alias stands") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.status["e5rt_buffer_object_release"] = 3;
    CHECK_NOTHROW(session.alias(1, 1));
    CHECK(bench.report->lines == std::vector<std::string>{"e5rt_buffer_object_release 3"});
    CHECK(session.input(1).data() == session.output(1).data());
    bench.rt.status.clear();
}

TEST_CASE("engine alias: the rules") {
    fake::bench bench;
    bench.inputs.push_back({"more", 130});
    bench.outputs.push_back({"more_out", 130});
    auto session = bench.open();
    bench.rt.log.clear();
    const auto refuse = [&](std::size_t from, std::size_t to) {
        const ane::error failure = fake::thrown([&] { session.alias(from, to); });
        CHECK(failure.code() == ane::errc::port);
        return std::string(failure.what());
    };
    CHECK(fake::has(refuse(0, 1), "64 and 130 bytes"));
    CHECK(fake::has(refuse(3, 1), "index 3 of 3"));
    CHECK(fake::has(refuse(1, 3), "index 3 of 3"));
    CHECK(bench.rt.log.empty());
    session.alias(1, 1);
    CHECK(fake::has(refuse(1, 2), "already")); // the output has an input
    CHECK(fake::has(refuse(2, 1), "already")); // the input has an output
    session.execute();
    CHECK(fake::has(refuse(2, 2), "before the first execute"));
}

TEST_CASE("engine alias: still possible after an encode that failed") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.status["e5rt_execution_stream_encode_operation"] = 3;
    fake::thrown([&] { session.execute(); });
    CHECK_NOTHROW(session.alias(1, 1));
}
