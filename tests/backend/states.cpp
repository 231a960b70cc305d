// States: what programs keep between runs, on every backend.

#include "byte_runs.hpp"
#include "standin_control.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/model.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/print.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ane;
using namespace ane::literals;
using composing::bytes_of;

namespace {

constexpr auto accumulator = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 4>);
    auto total = g.state("total"_s, f16<1, 4>);
    write(total, read(total) + x);
    g.output("y"_s, relu(read(total)));
});

ndarray<shape<1, 4>> filled(double value) {
    ndarray<shape<1, 4>> x;
    std::fill(x.begin(), x.end(), half(value));
    return x;
}

template <class Program> void accumulates(Program program) {
    for (int run = 1; run <= 4; ++run) {
        CHECK(program({"x"_s = filled(1)})["y"_s](0, 3) == half(run));
    }
    CHECK(program.state("total"_s)(0, 0) == half(4.0));
    program.state("total"_s)(0, 0) = half(100.0);
    const auto y = program({"x"_s = filled(1)})["y"_s];
    CHECK(y(0, 0) == half(101.0));
    CHECK(y(0, 1) == half(5.0));
    program.reset();
    CHECK(program({"x"_s = filled(-2)})["y"_s](0, 2) == half(0.0));
    CHECK(program.state("total"_s)(0, 2) == half(-2.0));
}

} // namespace

TEST_CASE("an accumulator gives 1, 2, 3, 4 over four runs; its state is read, written and reset") {
    accumulates(compile<accumulator>(backend::cpu{}, weight_store{}));
    accumulates(program<accumulator, any_program>(compile<accumulator>(backend::cpu{}, weight_store{})));
    for (const target t : {h13, h14, h16, h17s}) {
        accumulates(compile<accumulator>(backend::oracle{t}, weight_store{}));
        const standin::host here(t);
        accumulates(compile<accumulator>(standin::engine(t), weight_store{}));
    }
}

TEST_CASE("a state is an input and the output that it becomes; callers bind neither") {
    CHECK(print(accumulator).find("state \"total\" becomes #2") != std::string::npos);
    const lowered_graph lowered = lower(accumulator);
    const graph_view g = lowered.graph;
    REQUIRE(g.outputs.size() == 2);
    CHECK(g.name(g.outputs[0]) == "total_out");
    CHECK(g.name(g.outputs[0].state) == "total");
    CHECK(g.next_of(g.find(op::input, "total")) == 0);
    CHECK(g.next_of(g.find(op::input, "x")) == -1);
    static_assert(arguments<accumulator>::count == 1);
    static_assert(results<accumulator>::count == 1);
    static_assert(detail::state_node(accumulator, "total") == 1);
    static_assert(detail::state_node(accumulator, "x") == -1);
    static_assert(detail::output_position(accumulator, "total_out") == -1);
}

TEST_CASE("reads after a write see what was written; an output of the same value is a copy") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {3});
    const dynamic_tensor before = g.input("last", {3});
    g.keep(before, x);
    g.output("previous", before);
    g.output("same", x);
    const dynamic_graph model = g.finish();
    const auto run_on = [&](auto program) {
        const std::vector<std::byte> first = bytes_of({half(1.0), half(-0.5), half(65504.0)});
        const std::vector<std::byte> second = bytes_of({half(4.0), half(5.0), half(-6.0)});
        std::vector<std::byte> previous(6);
        std::vector<std::byte> passed(6);
        for (const auto& [given, wanted] : {std::pair(first, std::vector<std::byte>(6)), std::pair(second, first)}) {
            const std::span<const std::byte> in[] = {given};
            const std::span<std::byte> out[] = {previous, passed};
            program.run(in, out);
            CHECK(previous == wanted);
        }
        CHECK(std::equal(first.begin(), first.end(), previous.begin()));
    };
    run_on(backend::cpu{}.compile(model, {}));
    run_on(backend::oracle{h16}.compile(model, {}));
    const standin::host here(h16);
    run_on(standin::engine(h16).compile(model, {}));
}

TEST_CASE("two states that exchange their values: each run reads what the last one left") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {2});
    const dynamic_tensor a = g.input("a", {2});
    const dynamic_tensor b = g.input("b", {2});
    g.keep(a, g.add(op::add, {b, x}));
    g.keep(b, g.add(op::relu, {a}));
    g.output("y", g.add(op::sub, {a, b}));
    const dynamic_graph model = g.finish();
    const auto run_on = [&](auto program) {
        std::vector<double> found;
        for (const double value : {1.0, 2.0, 3.0, 4.0}) {
            const std::vector<std::byte> given = bytes_of({half(value), half(-value)});
            std::vector<std::byte> y(4);
            const std::span<const std::byte> in[] = {given};
            const std::span<std::byte> out[] = {y};
            program.run(in, out);
            found.push_back(static_cast<double>(reinterpret_cast<const half*>(y.data())[0]));
        }
        // a: 0 1 2 4 6, b: 0 0 1 2 4
        CHECK(found == std::vector<double>{0, 1, 1, 2});
        program.reset();
        const auto a_now = program.state("a");
        CHECK(std::all_of(a_now.begin(), a_now.end(), [](std::byte v) { return v == std::byte{0}; }));
    };
    run_on(backend::cpu{}.compile(model, {}));
    run_on(backend::oracle{h13}.compile(model, {}));
    run_on(any_program(backend::oracle{h13}.compile(model, {})));
    const standin::host here(h13);
    run_on(standin::engine(h13).compile(model, {}));
}

TEST_CASE("states: what is refused") {
    using doctest::Contains;
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {2});
    const dynamic_tensor s = g.input("s", {2});
    const dynamic_tensor sum = g.add(op::add, {x, s});
    g.output("y", sum);
    CHECK_THROWS_WITH_AS(g.keep(sum, s), Contains("is not an input of the graph"), error);
    CHECK_THROWS_WITH_AS(g.keep(s, g.constant({3}, 1.0)), Contains("cannot become"), error);
    CHECK_THROWS_AS(g.keep(dynamic_tensor(), s), error);
    CHECK_THROWS_WITH_AS(g.keep(g.input("bytes", {2}, {}, dtype::uint8), s), Contains("a state is fp16"), error);
    dynamic_builder other;
    CHECK_THROWS_AS(g.keep(s, other.input("x", {2})), error);
    g.output("x_out", x);
    CHECK_THROWS_WITH_AS(g.keep(x, x), Contains("two ports"), error);
    g.keep(s, sum);
    g.keep(s, x); // the last counts
    CHECK_THROWS_WITH_AS(g.output("s_out", x), Contains("another port"), error);
    dynamic_graph model = g.finish();
    CHECK_THROWS_WITH_AS(backend::cpu{}.compile(model, {}).state("t"), Contains("has s"), error);
    CHECK_THROWS_WITH_AS(backend::cpu{}.compile(model, {}).run({}, {}), Contains("the program has 2 inputs"), error);
    for (const int wrong : {-2, 99, 2}) {
        dynamic_graph bad = model;
        for (output_port& port : bad.outputs) {
            port.state = port.is_state() ? wrong : -1;
        }
        CHECK_THROWS_AS(validate(bad), error);
    }
    dynamic_graph twice = model;
    for (output_port& port : twice.outputs) {
        port.state = twice.view().find(op::input, "s");
    }
    CHECK_THROWS_WITH_AS(validate(twice), Contains("two next values"), error);
}

TEST_CASE("a masked write keeps infinities and all rows but the marked one; -0 only where select itself does") {
    static constexpr auto cache = graph([](auto& g) {
        auto rows = g.state("rows"_s, f16<4, 2>);
        write_where(rows, g.input("at"_s, u8<4, 1>), g.input("row"_s, f16<1, 2>));
        g.output("y"_s, read(rows));
    });
    const half infinity = half::from_bits(0x7C00);
    const auto fills = [&](auto program, half zero) {
        const ndarray<shape<1, 2>> rows[] = {{-0.0, 65504}, {1, -2}, {0x1p-14, 3}, {-5, 0.0}};
        for (int i = 0; i < 4; ++i) {
            auto row = rows[i];
            row(0, 1) = i == 2 ? infinity : row(0, 1);
            const auto y = program({"at"_s = ones_at<shape<4, 1>>(i), "row"_s = row})["y"_s];
            for (int k = 0; k < 4; ++k) {
                CHECK(y(k, 0).bits == (k > i ? 0 : k == 0 ? zero.bits : rows[k](0, 0).bits));
            }
        }
        const auto none = program({"at"_s = ones_at<shape<4, 1>>(0, 0), "row"_s = rows[1]})["y"_s];
        CHECK(none(0, 0).bits == zero.bits);
        CHECK(none(2, 1).bits == infinity.bits);
    };
    fills(compile<cache>(backend::cpu{}), half(-0.0));
    for (const target t : {h13, h16}) {
        fills(compile<cache>(backend::oracle{t}), half(0.0));
        const standin::host here(t);
        fills(compile<cache>(standin::engine(t)), half(0.0));
    }
}
