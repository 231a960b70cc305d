#include <anemone/build.hpp>
#include <anemone/graph/reflection.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/passes/validate.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

TEST_CASE("shapes follow from shape rules, for every operation") {
    const dynamic_graph built = build_graph([](auto& g) {
        auto x = g.input("x"_s, f16<2, 4, 9, 10>);
        auto vector = [&](const char* name) { return g.weight(name, f16<4>); };
        auto c = conv2d<conv{.stride = {2, 1}, .dilation = 2, .padding = {1, 2, 3, 4}, .groups = 2}>(
            x, g.weight("c", f16<6, 2, 3, 3>), g.weight("cb", f16<6>));
        static_assert(decltype(c)::extent == extents{2, 6, 4, 13});
        auto d = conv_transpose2d<conv_transpose{.stride = 2, .padding = 1}>(x, g.weight("d", f16<4, 5, 3, 3>));
        static_assert(decltype(d)::extent == extents{2, 5, 17, 19});
        auto p = avg_pool<pool{.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}>(x);
        static_assert(decltype(p)::extent == extents{2, 4, 5, 6});
        auto n = batch_norm(x, vector("m"), vector("v"), vector("g"), vector("b"));
        auto l = layer_norm<axis{1}>(n, vector("lg"), vector("lb"));
        auto r = reduce_mean<axes{2, -1}>(l);
        static_assert(decltype(r)::extent == extents{2, 4, 1, 1});
        auto f = reduce_sum<axes{1}, false>(l);
        static_assert(decltype(f)::extent == extents{2, 9, 10});
        auto t = transpose<permutation{0, 2, 3, 1}>(x);
        static_assert(decltype(t)::extent == extents{2, 9, 10, 4});
        auto s = slice<window{.begin = {0, 1, 2, 3}, .size = {1, 2, 3, 4}}>(x);
        auto q = pad<pads{.before = {0, 0, 1, 0}, .after = {0, 0, 0, 2}}>(s, 0.5);
        static_assert(decltype(q)::extent == extents{1, 2, 4, 6});
        auto k = concat<axis{-1}>(q, q);
        static_assert(decltype(k)::extent == extents{1, 2, 4, 12});
        auto m = matmul<transposed{.a = true}>(reshape<8, 9, 10>(x), g.weight("mm", f16<9, 7>));
        static_assert(decltype(m)::extent == extents{8, 10, 7});
        auto a = attention(reshape<2, 4, 9, 10>(x), x, x, g.weight("mask", f16<9, 9>));
        auto i = arg_max<axis{1}>(x);
        static_assert(decltype(i)::extent == extents{2, 1, 9, 10});
        auto b = minimum(maximum(x, 0), leaky_relu(x)) / (clamp(x, 1, 2) * 2 - 1);
        auto u = to_f16(g.input("pixels"_s, u8<1, 3, 2, 2>));
        g.output("c"_s, c), g.output("d"_s, d), g.output("p"_s, p), g.output("r"_s, r), g.output("f"_s, f);
        g.output("t"_s, t), g.output("k"_s, k), g.output("m"_s, m), g.output("a"_s, a), g.output("i"_s, i);
        g.output("b"_s, b), g.output("u"_s, u), g.output("flat"_s, flatten(x));
    });
    const graph_view g = built;
    for (int i = 0; i < g.size(); ++i) {
        INFO(print(g, i));
        const inferred r = infer(g, g[i]);
        CHECK(r.ok());
        CHECK(r.shape == g[i].shape);
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
                      "graph: w: the weight is asked for twice with different shapes");
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

TEST_CASE("validate refuses graphs that no builder makes") {
    const auto sound = [] {
        return build_graph([](auto& g) { g.output("y"_s, relu(g.input("x"_s, f16<2, 3>) + g.weight("w", f16<3>))); });
    };
    CHECK_NOTHROW(validate(sound()));
    constexpr bool residual_is_valid = (validate(residual), true);
    static_assert(residual_is_valid);
    const auto refused = [&](auto change) {
        dynamic_graph g = sound();
        change(g);
        CHECK_THROWS_AS(validate(g), error);
    };
    refused([](dynamic_graph& g) { g.nodes[3].shape = {400}; });
    refused([](dynamic_graph& g) { g.operand_pool[0] = 3; });
    refused([](dynamic_graph& g) { g.operand_pool[0] = -1; });
    refused([](dynamic_graph& g) { g.nodes[3].operands.count = 2; });
    refused([](dynamic_graph& g) { g.nodes[2].operands.first = 90; });
    refused([](dynamic_graph& g) { g.nodes[3].attributes = conv{}; });
    refused([](dynamic_graph& g) { g.nodes[0].type = dtype::uint8, g.nodes[2].kind = op::matmul; });
    refused([](dynamic_graph& g) { g.outputs[0].node = 9; });
    refused([](dynamic_graph& g) { g.outputs.clear(); });
    refused([](dynamic_graph& g) { g.nodes[0].attributes = within(1, -1); });
    for (const extents& shape :
         {extents{0, 3}, extents{2, -1}, extents{std::int64_t{1} << 40, std::int64_t{1} << 40}}) {
        refused([&](dynamic_graph& g) { g.nodes[0].shape = g.nodes[2].shape = g.nodes[3].shape = shape; });
    }
    refused([](dynamic_graph& g) { g.nodes[0].shape.rank = 9; });
}

TEST_CASE("validate refuses element types that an operation does not read or make") {
    const auto sum_of = [](dtype left, dtype result) {
        dynamic_graph g;
        for (const dtype type : {left, dtype::f16}) {
            node n;
            n.kind = op::input;
            n.type = type;
            n.shape = {2};
            n.attributes = contract{};
            n.name = g.intern(g.nodes.empty() ? "a" : "b");
            g.append(n, {});
        }
        node sum;
        sum.kind = op::add;
        sum.type = result;
        sum.shape = {2};
        g.append(sum, std::vector<int>{0, 1});
        g.add_output(2, "y");
        return g;
    };
    CHECK_NOTHROW(validate(sum_of(dtype::f16, dtype::f16)));
    CHECK_THROWS_WITH(validate(sum_of(dtype::uint8, dtype::f16)), "graph: add: does not read elements of type uint8");
    CHECK_THROWS_WITH(validate(sum_of(dtype::f16, dtype::boolean)),
                      "graph: add: does not compute elements of type bool");
}

TEST_CASE("validate refuses attributes that passes and backends would misread") {
    const auto one = [](op kind, const attributes& values, const extents& shape, int operands = 1) {
        dynamic_graph g;
        node n;
        n.kind = op::input;
        n.shape = {2, 3};
        n.attributes = contract{};
        n.name = g.intern("x");
        const int x = g.append(n, {});
        node weight = n;
        weight.kind = op::weight;
        weight.shape = {3};
        weight.name = g.intern("w");
        const int w = g.append(weight, {});
        node result;
        result.kind = kind;
        result.attributes = values;
        result.shape = shape;
        const int all[] = {x, kind == op::layer_norm ? w : x, w};
        g.add_output(g.append(result, std::span<const int>(all).first(static_cast<std::size_t>(operands))), "y");
        return g;
    };
    CHECK_THROWS_WITH(validate(one(op::softmax, axis{-1}, {2, 3})),
                      "graph: softmax: counts an axis from the last: give it from the front (-1, not 1)");
    CHECK_NOTHROW(validate(one(op::softmax, axis{1}, {2, 3})));
    CHECK_THROWS_AS(validate(one(op::arg_max, axis{-2}, {1, 3})), error);
    CHECK_THROWS_AS(validate(one(op::concat, axis{-1}, {2, 6}, 2)), error);
    CHECK_NOTHROW(validate(one(op::concat, axis{1}, {2, 6}, 2)));
    CHECK_THROWS_AS(validate(one(op::reduce_sum, axes{0, -1}, {1, 1})), error);
    CHECK_THROWS_AS(validate(one(op::reduce_sum, axes{}, {1, 1})), error);
    CHECK_NOTHROW(validate(one(op::reduce_sum, axes{0, 1}, {1, 1})));
    CHECK_THROWS_AS(validate(one(op::transpose, permutation{-1, 0}, {3, 2})), error);
    CHECK_THROWS_AS(validate(one(op::layer_norm, stabilizer{1e-5F, -1}, {2, 3}, 3)), error);
    CHECK_NOTHROW(validate(one(op::layer_norm, stabilizer{1e-5F, 1}, {2, 3}, 3)));
    CHECK_THROWS_AS(validate(one(op::clamp, coefficients{2, 1}, {2, 3})), error);
    CHECK_NOTHROW(validate(one(op::clamp, coefficients{1, 1}, {2, 3})));
    // No values in the payload, outside it, or neither one nor one each.
    for (const literal values : {literal{0, 0}, literal{0, 1}, literal{-1, 1}, literal{1 << 30, 1 << 30}}) {
        CHECK_THROWS_AS(validate(one(op::constant, values, {2, 3}, 0)), error);
    }
    dynamic_graph filled = one(op::constant, literal{0, 3}, {2, 3}, 0);
    const float payload[] = {1, 2, 3};
    filled.keep(payload);
    CHECK_THROWS_AS(validate(filled), error);
    filled.nodes.back().attributes = literal{0, 1};
    CHECK_NOTHROW(validate(filled));
}

TEST_CASE("attributes are reflected, compared and guarded") {
    std::vector<std::string> members;
    for_each_member(conv{.groups = 3}, [&](std::string_view name, const auto&) { members.emplace_back(name); });
    CHECK(members == std::vector<std::string>{"stride", "dilation", "padding", "groups"});
    CHECK(attributes(conv{.stride = 2}) == attributes(conv{.stride = 2}));
    CHECK_FALSE(attributes(conv{.stride = 2}) == attributes(conv{}));
    CHECK_FALSE(attributes(conv{}) == attributes(pool{}));
    CHECK_THROWS_AS(attributes(conv{}).get<pool>(), error);
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
