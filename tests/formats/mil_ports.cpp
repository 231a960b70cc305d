// What ports are called in MIL text, and how states become ports of it.

#include "../backend/composer.hpp"
#include "mil_files.hpp"
#include "mil_statements.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/readers/mil.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;
using namespace mil_files;
using namespace mil_statements;

TEST_CASE("mil: ports keep their names, whatever they are called") {
    // Variables are t0, t1, ..., their helpers t0_pad and so on; ports with such names move them aside.
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("t3"_s, f16<1, 2, 4, 4>);
        auto y = g.input("t_"_s, f16<1, 2, 4, 4>);
        auto z = max_pool<pool{.kernel = 2, .stride = 2}>(relu(x + y));
        g.output("t1"_s, z);
        g.output("t__7_pad"_s, conv2d<conv{.padding = same}>(z, g.weight("t5"_s, f16<2, 2, 3, 3>)));
        g.output("t1_pad"_s, exp(z)); // the name that a helper of t1 would have
        g.output("T"_s, x);
    });
    const mil_program program = emitted(model);
    check_text(program);
    CHECK(program.text.find("tensor<fp16, [1, 2, 4, 4]> t3, tensor<fp16, [1, 2, 4, 4]> t_)") != std::string::npos);
    CHECK(program.text.find("-> (t1, t__7_pad, t1_pad, T);") != std::string::npos);
}

TEST_CASE("mil: ports that are named like the helpers of another port") {
    constexpr auto model = graph([](auto& g) {
        auto x = g.input("out_pad"_s, f16<1, 2, 4, 4>);
        g.output("out"_s, max_pool<pool{.kernel = 2, .stride = 2}>(x));
        g.output("out_strides"_s, relu(x));
    });
    check_text(emitted(model));
}

TEST_CASE("mil: ports that are words of the grammar have another name in the text") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("tensor", {4});
    const dynamic_tensor y = g.input("true", {4});
    g.output("fp16", g.add(op::add, {x, y}));
    g.output("tensor_", g.add(op::relu, {x}));
    g.output("x", g.add(op::relu, {y})); // the name of an argument is no word of the grammar
    const dynamic_graph model = g.finish();
    const mil_program program = emitted(model);
    check_text(program);
    CHECK(program.inputs == std::vector<std::string>{"tensor__", "true_"});
    CHECK(program.outputs == std::vector<std::string>{"fp16_", "tensor_", "x"});
    CHECK(program.text.find("main<ios18>(tensor<fp16, [4]> tensor__, tensor<fp16, [4]> true_)") != std::string::npos);
    CHECK(program.text.find("-> (fp16_, tensor_, x);") != std::string::npos);
}

TEST_CASE("states are two ports on the direct route, and Core ML's own in files for it") {
    static constexpr auto exchanged = graph([](auto& g) {
        auto x = g.input("x"_s, f16<2>);
        auto a = g.state("a"_s, f16<2>);
        auto b = g.state("b"_s, f16<2>);
        auto old = read(a);
        write(a, read(b) + x);
        write(b, old);
        g.output("y"_s, read(a));
    });
    const lowered_graph lowered = lower(exchanged);
    const folded_constants none = fold_constants(lowered.graph, {});
    const std::string direct = emit_mil(lowered.graph, none).text;
    CHECK(direct.find("state<") == std::string::npos);
    CHECK(direct.find("_state(") == std::string::npos);
    CHECK(direct.find("-> (a_out, b_out, y)") != std::string::npos);

    const std::string text = emit_mil(lowered.graph, none, {.core_ml_states = true}).text;
    CHECK(text.find("state<tensor<fp16, [2]>> a, state<tensor<fp16, [2]>> b") != std::string::npos);
    CHECK(text.find("-> (y)") != std::string::npos);
    const std::size_t last_read = text.rfind("= read_state(input = ");
    REQUIRE(last_read != std::string::npos);
    CHECK(last_read < text.find("write_state(data = ")); // what is written does not reach this run's reads

    const auto lookup = [](std::string_view) { return std::span<const std::byte>(); };
    const read_model back = read_mil(text, lookup);
    const graph_view g = back.graph;
    REQUIRE(g.outputs.size() == 3);
    for (const char* name : {"a", "b"}) {
        CHECK(g.next_of(g.find(op::input, name)) >= 0);
    }
    auto one = backend::cpu{}.rounding(rounding::each_operation).compile(lowered.graph, {});
    auto other = backend::cpu{}.rounding(rounding::each_operation).compile(back.graph, {});
    for (const double value : {1.0, 2.0, 4.0, 8.0}) {
        const std::vector<half> x(2, half(value));
        std::vector<half> y(2);
        std::vector<half> z(2);
        const std::span<const std::byte> in[] = {std::as_bytes(std::span(x))};
        const std::span<std::byte> out_y[] = {std::as_writable_bytes(std::span(y))};
        const std::span<std::byte> out_z[] = {std::as_writable_bytes(std::span(z))};
        one.run(in, out_y);
        other.run(in, out_z);
        CHECK(y == z);
    }
}

TEST_CASE("a file for Core ML with nothing but states is refused") {
    static constexpr auto silent = graph([](auto& g) {
        auto a = g.state("a"_s, f16<2>);
        write(a, read(a) + g.input("x"_s, f16<2>));
    });
    const lowered_graph lowered = lower(silent);
    CHECK_THROWS_WITH_AS(emit_mil(lowered.graph, fold_constants(lowered.graph, {}), {.core_ml_states = true}),
                         doctest::Contains("needs an output that is not a state"), error);
}
