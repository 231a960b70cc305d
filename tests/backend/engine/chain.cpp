#include "anemone/backend/engine/e5rt/chain.hpp"

#include "fake_runtime.hpp"
#include "standin_bench.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string_view>

namespace e5 = ane::e5rt;
using namespace std::chrono_literals;
using standin::refusal;
using standin::says;

namespace {

std::size_t add(e5::chain& to, standin::bench& bench, const std::string& call) {
    return to.add(standin::bench::ports("x"), standin::bench::ports("y"), bench.program(call));
}

} // namespace

TEST_CASE("engine chain: programs run in order in one call, and hand their outputs on in place") {
    standin::bench bench;
    const std::uint64_t live = bench.rt.live_handles();
    {
        e5::chain chain(bench.runtime, bench.options);
        CHECK(says(refusal([&] { chain.execute(); }), "is empty"));
        for (int i = 0; i != 3; ++i)
            CHECK(add(chain, bench, "add(x = x, y = x)") == static_cast<std::size_t>(i));
        chain.connect(0, 0, 1, 0);
        chain.connect(1, 0, 2, 0);
        CHECK(chain.input(1, 0).data() == chain.output(0, 0).data());
        const std::uint64_t executions = bench.rt.calls("e5rt_execution_stream_execute_sync");
        for (const float x : {1.0F, 5.0F}) {
            standin::bench::set(chain.input(0, 0), x);
            chain.execute();
            CHECK(standin::bench::get(chain.output(2, 0)) == 8 * x);
        }
        CHECK(bench.rt.calls("e5rt_execution_stream_execute_sync") == executions + 2);

        // Another one after a run: the stream is reset, all are prepared and encoded again.
        CHECK(add(chain, bench, "mul(x = x, y = x)") == 3);
        chain.connect(2, 0, 3, 0);
        CHECK(refusal([&] { chain.connect(2, 0, 1, 0); }).code() == ane::errc::port); // encoded already
        chain.submit().get(standin::ample);
        CHECK(standin::bench::get(chain.output(3, 0)) == 1600.0F);
        chain.execute();
        CHECK(standin::bench::get(chain.output(3, 0)) == 1600.0F);
        chain.close();
        CHECK(bench.rt.live_handles() == live);
        CHECK(refusal([&] { chain.execute(); }).subject() == "chain");
    }
    CHECK(bench.watch->reported().empty());
}

TEST_CASE("engine chain: a call that fails while it grows leaves it able to run") {
    for (const char* step : {"e5rt_execution_stream_reset", "e5rt_execution_stream_operation_prepare_op_for_encode",
                             "e5rt_execution_stream_encode_operation", "e5rt_execution_stream_execute_sync",
                             "e5rt_e5_compiler_compile", "e5rt_io_port_bind_buffer_object"})
        for (const int nth : {1, 2}) {
            CAPTURE(step);
            CAPTURE(nth);
            standin::bench bench;
            e5::chain chain(bench.runtime, bench.options);
            add(chain, bench, "add(x = x, y = x)");
            add(chain, bench, "add(x = x, y = x)");
            chain.connect(0, 0, 1, 0);
            standin::bench::set(chain.input(0, 0), 1);
            chain.execute();
            bench.rt.fail(step, nth, -5);
            const auto grow = [&] {
                add(chain, bench, "relu(x = x)");
                chain.execute();
                chain.execute();
            };
            if (nth == 2 && (step == std::string_view("e5rt_e5_compiler_compile") ||
                             step == std::string_view("e5rt_execution_stream_reset")))
                grow(); // called once
            else
                CHECK(refusal(grow).subject() == step);
            bench.rt.fail(nullptr, 1, 0);
            chain.execute();
            CHECK(standin::bench::get(chain.output(1, 0)) == 4.0F);
        }
}

TEST_CASE("engine chain: one stream takes a hundred programs, and a runtime without reset takes no more after a run") {
    fake::bench bench;
    {
        e5::chain chain(bench.library(), bench.options);
        for (std::size_t i = 0; i != e5::chain_limit; ++i)
            chain.add({{"x", 2}}, {{"y", 2}}, bench.options);
        CHECK(standin::says(refusal([&] { chain.add({{"x", 2}}, {{"y", 2}}, bench.options); }), "100"));
        chain.execute();
    }
    CHECK(bench.rt.live.empty());
    CHECK(bench.rt.misuse.empty());
    bench.rt.absent.insert("e5rt_execution_stream_reset");
    e5::chain chain(bench.library(), bench.options);
    chain.add({{"x", 2}}, {{"y", 2}}, bench.options);
    chain.execute();
    chain.add({{"x", 2}}, {{"y", 2}}, bench.options);
    CHECK(refusal([&] { chain.execute(); }).code() == ane::errc::library);
}
