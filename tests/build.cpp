#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr auto residual = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8, 16, 16>, within(-1, 1));
    auto block = [&g](auto in, int number) {
        auto s = g.scope("block", number);
        auto w = s.weight("weight", f16<8, 8, 3, 3>, bounded(0.5));
        return relu(conv2d<conv{.padding = same}>(in, w) + in);
    };
    auto y = block(block(x, 0), 1);
    auto dead = exp(y);
    (void)dead;
    g.output("y"_s, y);
});

} // namespace

TEST_CASE("a residual shares its node, and dead operations are gone") {
    constexpr graph_view g = residual;
    static_assert(g.size() == 1 + 2 * 4);
    int readers_of_input = 0;
    for (const node& n : g.nodes) {
        REQUIRE(n.kind != op::exp);
        for (const int o : g.operands(n)) {
            readers_of_input += o == 0 ? 1 : 0;
        }
    }
    CHECK(readers_of_input == 2);
    static_assert(g.find(op::weight, "block.0.weight") > 0 && g.find(op::weight, "block.1.weight") > 0);
    static_assert(g.find(op::weight, "block.2.weight") == -1);
    CHECK(g.find_output("y") == 0);
    constexpr bool residual_is_valid = (validate(residual), true);
    static_assert(residual_is_valid);
}

TEST_CASE("nodes remember the user's line, operators that of their first operand") {
    constexpr graph_view g = residual;
    for (const node& n : g.nodes) {
        CHECK(std::string(n.where.file).find("build.cpp") != std::string::npos);
        CHECK(n.where.line > 10);
        CHECK(n.where.line < 30);
    }
    const auto line_of = [&](op kind) {
        for (const node& n : g.nodes) {
            if (n.kind == kind) {
                return n.where.line;
            }
        }
        return -1;
    };
    CHECK(line_of(op::add) == line_of(op::conv2d));
    CHECK(line_of(op::conv2d) == line_of(op::weight) + 1);
}

TEST_CASE("the same function builds the same graph at run time") {
    const dynamic_graph built = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3>);
        g.output("y"_s, softmax(linear(x, g.weight("w", f16<4, 3>))));
    });
    const graph_view g = built;
    REQUIRE(g.size() == 4);
    CHECK(g[3].shape == extents{2, 4});
    for (int i = 0; i < g.size(); ++i) {
        CHECK(infer(g, g[i]).shape == g[i].shape);
    }
}

TEST_CASE("mistakes in names are errors") {
    CHECK_THROWS_WITH(build_graph([](auto& g) {
                          auto x = g.input(std::string_view("1x"), f16<2>);
                          g.output("y"_s, relu(x));
                      }),
                      "graph: 1x: the name of a port is made of letters, digits and underscores");
    CHECK_THROWS_WITH(build_graph([](auto& g) {
                          auto x = g.input("x"_s, f16<2>);
                          g.input("x"_s, f16<2>);
                          g.output("y"_s, relu(x));
                      }),
                      "graph: x: two inputs of the graph have this name");
    CHECK_THROWS_WITH(build_graph([](auto& g) {
                          auto x = g.input("x"_s, f16<2>);
                          g.weight("w", f16<2>);
                          g.weight("w", f16<3>);
                          g.output("y"_s, relu(x));
                      }),
                      "graph: w: the weight is declared twice with different shapes");
    CHECK_THROWS_AS(build_graph([](auto& g) { g.input("x"_s, f16<2>); }), error);
    CHECK_THROWS_AS(build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, f16<2>) * 65505.0); }), error);
}

TEST_CASE("mistakes in contracts, scopes and numbers are errors, and contracts are shared with the weight") {
    const auto with_weights = [](contract first, contract second) {
        return build_graph([&](auto& g) {
            auto w = g.weight("w", f16<2>, first);
            g.output("y"_s, g.input("x"_s, f16<2>) + (w + g.weight("w", f16<2>, second)));
        });
    };
    CHECK_THROWS_AS(with_weights(bounded(1), bounded(2)), error);
    CHECK_THROWS_AS(with_weights(within(1, -1), {}), error);
    const dynamic_graph late = with_weights({}, bounded(0.5));
    CHECK(late.nodes[static_cast<std::size_t>(late.view().find(op::weight, "w"))].get<contract>() == bounded(0.5));
    CHECK_THROWS_AS(build_graph([](auto& g) { static_cast<void>(g.scope("layer", -3)); }), error);
    CHECK_THROWS_AS(build_graph([](auto& g) { g.output("y"_s, clamp(g.input("x"_s, f16<2>), 5, 1)); }), error);
    CHECK_THROWS_AS(build_graph([](auto& g) {
                        dynamic_graph elsewhere;
                        auto other = builder(elsewhere).input("z"_s, f16<2>);
                        g.output("y"_s, g.input("x"_s, f16<2>) + other);
                    }),
                    error);
}

TEST_CASE("axes may count from the back everywhere") {
    const dynamic_graph built = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3>);
        g.output("t"_s, transpose<permutation{-1, 0}>(x));
        g.output("c"_s, concat<axis{-2}>(x, x));
        g.output("f"_s, flatten<axis{-1}>(x));
    });
    const graph_view g = built;
    CHECK(g[g.outputs[0].node].shape == extents{3, 2});
    CHECK(g[g.outputs[0].node].get<permutation>() == permutation{1, 0});
    CHECK(g[g.outputs[1].node].shape == extents{4, 3});
    CHECK(g[g.outputs[1].node].get<axis>() == axis{0});
}

TEST_CASE("a graph prints a line for each node") {
    const std::string text = print(residual.view());
    CHECK(text.find("conv2d") != std::string::npos);
    CHECK(text.find("fp16 [1, 8, 16, 16]") != std::string::npos);
    CHECK(text.find("\"block.1.weight\"") != std::string::npos);
    CHECK(text.find("output \"y\"") != std::string::npos);
}

TEST_CASE("the order of nodes follows from the graph, not from the order of evaluation") {
    // The same graph, built in two orders; a compiler may choose either for nested calls.
    const dynamic_graph one = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3>);
        auto w = g.weight("w", f16<4, 3>);
        auto b = g.weight("b", f16<4>);
        auto left = exp(x);
        auto right = abs(x);
        g.output("y"_s, linear(left + right, w, b));
    });
    const dynamic_graph two = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 3>);
        auto b = g.weight("b", f16<4>);
        auto right = abs(x);
        auto left = exp(x);
        auto w = g.weight("w", f16<4, 3>);
        g.output("y"_s, linear(left + right, w, b));
    });
    CHECK(print(one.view()) == print(two.view()));
    CHECK(one.nodes[0].kind == op::input);
    CHECK(one.nodes[1].kind == op::exp);
    CHECK(one.nodes[2].kind == op::abs);
}
