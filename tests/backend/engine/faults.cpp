#include "anemone/backend/engine/e5rt/symptoms.hpp"
#include "fake_runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace e5 = ane::e5rt;

namespace {

bool optional_step(const std::string& name) {
    return name == "e5rt_async_event_create" || name == "e5rt_execution_stream_operation_bind_completion_event" ||
           name == "e5rt_e5_compiler_options_set_enable_profiling" || name == "e5rt_buffer_object_get_size" ||
           name == "e5rt_execution_stream_set_quality_of_service" ||
           name == "e5rt_execution_stream_set_ane_execution_priority";
}

/// What only a chain calls.
bool of_chains(std::string_view name) {
    return name == "e5rt_execution_stream_reset" || name == "e5rt_execution_stream_operation_prepare_op_for_encode";
}

void ask_for_everything(fake::bench& bench) {
    bench.options.enable_profiling = true;
    bench.options.quality_of_service = 1;
    bench.options.execution_priority = 1;
}

} // namespace

TEST_CASE("engine faults: every call of construction, first run and second run fails in turn") {
    std::vector<std::string> names;
    {
        fake::bench bench;
        ask_for_everything(bench);
        auto session = bench.open();
        session.execute();
        session.execute();
        names = bench.rt.names;
    }
    REQUIRE(names.size() == 46); // the 40 calls of the plain construction, three optional ones, three of the runs
    for (std::size_t at = 0; at != names.size(); ++at) {
        CAPTURE(at);
        CAPTURE(names[at]);
        fake::bench bench;
        ask_for_everything(bench);
        bench.rt.fail_at = static_cast<std::int64_t>(at);
        const auto all = [&] {
            auto session = bench.open();
            session.execute();
            session.execute();
            return session.degraded();
        };
        if (fake::has(names[at], "_release")) {
            CHECK_NOTHROW(all());
            CHECK(bench.report->lines == std::vector<std::string>{names[at] + " -7"});
        } else if (optional_step(names[at])) {
            const auto left_out = all();
            REQUIRE(left_out.size() == 1);
            CHECK(left_out[0].step == names[at]);
            CHECK(left_out[0].status == -7);
            CHECK(bench.report->lines.empty());
        } else {
            const ane::error failure = fake::thrown(all);
            CHECK(failure.code() == ane::errc::engine);
            CHECK(failure.subject() == names[at]);
            CHECK(fake::has(failure.what(), "status -7"));
            CHECK(fake::has(failure.what(), e5::hint_for(names[at])));
            CHECK(bench.report->lines.empty());
        }
        CHECK(bench.rt.live.empty());
        CHECK(bench.rt.misuse.empty());
    }
}

TEST_CASE("engine faults: a null result with status 0 is an error") {
    std::size_t required = 0;
    for (const auto& each : e5::symbols) {
        const std::string name = each.name;
        if ((fake::product(name).empty() && !fake::has(name, "get_data_ptr")))
            continue;
        CAPTURE(name);
        fake::bench bench;
        bench.rt.null_results.insert(name);
        if (optional_step(name)) {
            const auto session = bench.open();
            REQUIRE(session.degraded().size() == 1);
            CHECK(session.degraded()[0].step == name);
        } else {
            ++required;
            const ane::error failure = fake::thrown([&] { bench.open(); });
            CHECK(failure.subject() == name);
            CHECK(fake::has(failure.what(), "null"));
        }
        if (!optional_step(name))
            CHECK(bench.rt.live.empty());
    }
    CHECK(required == 12);
}

TEST_CASE("engine faults: an error names the thing the call was for") {
    {
        fake::bench bench;
        bench.rt.status["e5rt_buffer_object_alloc"] = 5;
        const ane::error failure = fake::thrown([&] { bench.open(); });
        CHECK(fake::has(failure.what(), "port 'x' of 2 bytes"));
    }
    {
        fake::bench bench;
        bench.rt.status["e5rt_e5_compiler_compile"] = 5;
        const ane::error failure = fake::thrown([&] { bench.open(); });
        CHECK(fake::has(failure.what(), (bench.directory / "model.mil").string()));
        CHECK(fake::has(failure.what(), "h13"));
        CHECK(fake::has(failure.what(), "MIL is only supported for H13+"));
    }
    {
        fake::bench bench;
        bench.rt.status["e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options"] = 5;
        const ane::error failure = fake::thrown([&] { bench.open(); });
        CHECK(fake::has(failure.what(), "about 128"));
        CHECK(fake::has(failure.what(), "programs loaded by this driver"));
    }
}

TEST_CASE("engine faults: after a failed encode the next run encodes; after a failed execute it does not") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.status["e5rt_execution_stream_encode_operation"] = 9;
    CHECK(fake::thrown([&] { session.execute(); }).subject() == "e5rt_execution_stream_encode_operation");
    CHECK(bench.rt.executed == 0);
    bench.rt.status = {{"e5rt_execution_stream_execute_sync", -1}};
    bench.rt.names.clear();
    const ane::error failure = fake::thrown([&] { session.execute(); });
    CHECK(fake::has(failure.what(), "split the program"));
    bench.rt.status.clear();
    session.execute();
    CHECK(bench.rt.names == std::vector<std::string>{"e5rt_execution_stream_encode_operation",
                                                     "e5rt_execution_stream_execute_sync",
                                                     "e5rt_execution_stream_execute_sync"});
}

TEST_CASE("engine faults: missing optional functions leave their feature out") {
    for (const auto& each : e5::symbols) {
        if (each.required_or_optional == e5::presence::required || of_chains(each.name))
            continue;
        CAPTURE(each.name);
        fake::bench bench;
        ask_for_everything(bench);
        bench.rt.absent.insert(each.name);
        {
            auto session = bench.open();
            session.execute();
            REQUIRE(session.degraded().size() == 1);
            CHECK(session.degraded()[0].step == each.name);
            CHECK(session.degraded()[0].status == 0);
            if (fake::has(each.name, "event"))
                for (const std::string& name : bench.rt.names)
                    CHECK(!fake::has(name, "event"));
        }
        CHECK(bench.rt.live.empty());
        CHECK(bench.rt.misuse.empty());
    }
}

TEST_CASE("engine faults: an event that cannot be bound is released at once") {
    fake::bench bench;
    bench.rt.status["e5rt_execution_stream_operation_bind_completion_event"] = 2;
    auto session = bench.open();
    const auto& names = bench.rt.names;
    const auto bind = std::find(names.begin(), names.end(), "e5rt_execution_stream_operation_bind_completion_event");
    REQUIRE(bind != names.end());
    CHECK(*(bind + 1) == "e5rt_async_event_release");
}

TEST_CASE("engine faults: close lists the releases that fail, and goes on") {
    fake::bench bench;
    auto session = bench.open();
    bench.rt.status = {{"e5rt_execution_stream_release", 4}, {"e5rt_program_library_release", -2}};
    const ane::error failure = fake::thrown([&] { session.close(); });
    CHECK(failure.code() == ane::errc::engine);
    CHECK(failure.subject() == "e5rt_execution_stream_release");
    CHECK(
        fake::has(failure.what(), "e5rt_execution_stream_release: status 4; e5rt_program_library_release: status -2"));
    CHECK(bench.report->lines.empty());
    CHECK(bench.rt.live.empty());
    CHECK(session.closed());
    CHECK_NOTHROW(session.close());
}

TEST_CASE("engine faults: the destructor reports the releases that fail, even to a report that throws") {
    fake::bench bench;
    bench.rt.status = {{"e5rt_io_port_release", 4}};
    { auto session = bench.open(); }
    CHECK(bench.report->lines == std::vector<std::string>(4, "e5rt_io_port_release 4"));
    struct thrower final : e5::release_report {
        void failed(std::string_view, std::int64_t) override { throw 1; }
    };
    bench.options.report = std::make_shared<thrower>();
    { auto session = bench.open(); }
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
}

TEST_CASE("engine faults: releases that fail while an error is on its way are reported") {
    fake::bench bench;
    bench.rt.status = {{"e5rt_execution_stream_create", 8}, {"e5rt_program_function_release", 6}};
    const ane::error failure = fake::thrown([&] { bench.open(); });
    CHECK(failure.subject() == "e5rt_execution_stream_create");
    CHECK(bench.report->lines == std::vector<std::string>{"e5rt_program_function_release 6"});
    CHECK(bench.rt.live.empty());
}

TEST_CASE("engine faults: a failed construction releases in the documented order") {
    fake::bench bench;
    bench.rt.status["e5rt_execution_stream_operation_retain_output_port"] = 1;
    fake::thrown([&] { bench.open(); });
    const auto& log = bench.rt.log;
    const std::vector<std::string> tail(log.end() - 8, log.end());
    CHECK(tail == std::vector<std::string>{"e5rt_buffer_object_release(buffer1)", "e5rt_io_port_release(in1)",
                                           "e5rt_buffer_object_release(buffer2)", "e5rt_io_port_release(in2)",
                                           "e5rt_execution_stream_operation_release(operation1)",
                                           "e5rt_precompiled_compute_op_create_options_release(op_options1)",
                                           "e5rt_program_function_release(function1)",
                                           "e5rt_program_library_release(library1)"});
}

TEST_CASE("engine faults: symptoms are found in a line of the log") {
    const e5::symptom* known = e5::explain("E5RT: GetANEFModel: must re-compile (11)");
    REQUIRE(known != nullptr);
    CHECK(fake::has(known->cause, "128"));
    CHECK(e5::explain("ANE model load has failed. Must re-compile the E5 bundle") != nullptr);
    CHECK(e5::explain("all is well") == nullptr);
    CHECK(e5::hint_for("e5rt_io_port_release").empty());
}
