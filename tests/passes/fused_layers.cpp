#include <anemone/analysis/arena.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/fused_layers.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace ane;

namespace {

constexpr op_set hosts{op::conv2d, op::linear, op::matmul};

/// The layers that have a value in memory, each with the kinds of its nodes in their order.
std::vector<std::vector<op>> layers_of(const graph_view& g) {
    const fused_layers layers = fuse_layers(g, hosts);
    const sequence<char> known = constant_nodes(g);
    std::vector<std::vector<op>> result;
    for (int end = 0; end < g.size(); ++end) {
        if (is_source(g[end].kind) || known[static_cast<std::size_t>(end)] != 0 || layers.end_of(end) != end) {
            continue;
        }
        std::vector<op> kinds;
        for (int i = end; i >= 0; i = layers.before_node(i)) {
            CHECK(layers.end_of(i) == end);
            kinds.insert(kinds.begin(), g[i].kind);
        }
        result.push_back(kinds);
    }
    return result;
}

using kinds = std::vector<std::vector<op>>;

} // namespace

TEST_CASE("fused layers: how values repeat over a shape") {
    const auto is = [](const extents& value, const extents& over, std::int64_t inner, std::int64_t period) {
        const repetition r = repetition_of(value, over);
        return r.exists() && r.inner == inner && r.period == period;
    };
    CHECK(is({2, 3, 4, 5}, {2, 3, 4, 5}, 1, 120));
    CHECK(is({5}, {2, 3, 4, 5}, 1, 5));
    CHECK(is({4, 5}, {2, 3, 4, 5}, 1, 20));
    CHECK(is({1, 3, 1, 1}, {2, 3, 4, 5}, 20, 3));
    CHECK(is({3, 1, 1}, {2, 3, 4, 5}, 20, 3));
    CHECK(is({2, 1, 1, 1}, {2, 3, 4, 5}, 60, 2));
    CHECK(is({3, 4, 1}, {2, 3, 4, 5}, 5, 12));
    CHECK(is({1, 1, 1, 1}, {1, 1, 1, 1}, 1, 1));
    CHECK(is({7, 1, 1}, {7, 1, 1}, 1, 7));
    CHECK(repetition_of(extents{}, extents{2, 3}).period == 1); // one value for all
    CHECK_FALSE(repetition_of({2, 1, 4, 5}, {2, 3, 4, 5}).exists());
    CHECK_FALSE(repetition_of({2, 1, 4, 1}, {2, 3, 4, 5}).exists());
    CHECK_FALSE(repetition_of({4}, {2, 3, 4, 5}).exists());
}

TEST_CASE("fused layers: bias, scale, residual and activations join a convolution") {
    dynamic_builder g;
    const auto x = g.input("x", {1, 8, 6, 6});
    const auto other = g.input("other", {1, 8, 6, 6});
    auto y = g.add(op::conv2d, {x, g.weight("w", {8, 8, 3, 3})}, conv{.padding = same});
    y = g.add(op::add, {y, g.weight("bias", {8, 1, 1})});
    y = g.add(op::mul, {g.weight("scale", {1, 8, 1, 1}), y});
    y = g.add(op::relu, {y});
    y = g.add(op::add, {other, y});
    y = g.add(op::sigmoid, {y});
    g.output("y", y);
    CHECK(layers_of(g.finish()) == kinds{{op::conv2d, op::add, op::mul, op::relu, op::add, op::sigmoid}});
}

TEST_CASE("fused layers: a function that is written out joins, also where values are read several times") {
    dynamic_builder g;
    const auto x = g.add(op::linear, {g.input("x", {4, 8}), g.weight("w", {16, 8})});
    const auto y = g.add(op::mul, {x, g.add(op::sigmoid, {x})}); // x sigmoid(x)
    g.output("y", y);
    CHECK(layers_of(g.finish()) == kinds{{op::linear, op::sigmoid, op::mul}});
}

TEST_CASE("fused layers: what a caller or another layer reads ends one") {
    dynamic_builder g;
    const auto x = g.input("x", {4, 8});
    const auto h = g.add(op::linear, {x, g.weight("w", {8, 8})});
    const auto a = g.add(op::tanh, {h});
    g.output("a", a);
    g.output("b", g.add(op::abs, {g.add(op::square, {a})}));
    const auto sum = g.add(op::reduce_sum, {h}, axes{1});
    g.output("c", g.add(op::add, {g.add(op::relu, {sum}), x})); // h is read by two layers, sum repeats over the result
    CHECK(layers_of(g.finish()) ==
          kinds{{op::linear}, {op::tanh}, {op::square, op::abs}, {op::reduce_sum}, {op::relu}, {op::add}});
}

TEST_CASE("fused layers: of two hosts one computes the sums, the other's value is a residual") {
    dynamic_builder g;
    const auto x = g.input("x", {4, 8});
    const auto a = g.add(op::linear, {x, g.weight("w", {8, 8})});
    const auto b = g.add(op::linear, {x, g.weight("v", {8, 8})});
    g.output("y", g.add(op::relu, {g.add(op::add, {a, b})}));
    CHECK(layers_of(g.finish()) == kinds{{op::linear}, {op::linear, op::add, op::relu}});
}

TEST_CASE("fused layers: jumps read rounded values") {
    dynamic_builder g;
    const auto x = g.input("x", {4, 8});
    const auto h = g.add(op::exp, {g.add(op::mul, {x, x})});
    g.output("y", g.add(op::abs, {g.add(op::floor, {h})}));
    CHECK(layers_of(g.finish()) == kinds{{op::mul, op::exp}, {op::floor, op::abs}});
}

TEST_CASE("fused layers: one operation alone stays alone, and a reshape takes its operand's place") {
    dynamic_builder g;
    const auto x = g.input("x", {4, 8});
    g.output("y", g.reshape(g.add(op::relu, {x}), {8, 4}));
    CHECK(layers_of(g.finish()) == kinds{{op::relu}, {op::reshape}});
}

TEST_CASE("fused layers: a transpose of whole rows ends a layer, another stands alone") {
    dynamic_builder g;
    const auto x = g.input("x", {1, 8, 64});
    const auto heads = g.reshape(g.add(op::linear, {x, g.weight("w", {64, 64})}), {1, 8, 2, 32});
    const auto turned = g.add(op::transpose, {heads}, permutation{0, 2, 1, 3});
    g.output("y", g.add(op::relu, {turned}));
    g.output("z", g.add(op::transpose, {g.add(op::matmul, {x, g.weight("v", {64, 64})})}, permutation{0, 2, 1}));
    g.output("u", g.add(op::transpose, {g.input("t", {2, 4, 32})}, permutation{1, 0, 2}));
    CHECK(layers_of(g.finish()) ==
          kinds{{op::linear, op::reshape, op::transpose}, {op::relu}, {op::matmul}, {op::transpose}, {op::transpose}});
}

TEST_CASE("fused layers: long chains are cut, and every node is in one layer") {
    dynamic_builder g;
    auto x = g.input("x", {4, 8});
    for (int i = 0; i < 50; ++i) {
        x = g.add(i % 2 == 0 ? op::relu : op::tanh, {x});
    }
    g.output("y", x);
    const auto layers = layers_of(g.finish());
    std::size_t nodes = 0;
    for (const auto& l : layers) {
        CHECK(l.size() <= 16);
        nodes += l.size();
    }
    CHECK(layers.size() == 4);
    CHECK(nodes == 50);
}

TEST_CASE("fused layers: parts of a layer have no memory, and what they read lives until its end") {
    dynamic_builder g;
    const auto x = g.input("x", {1, 64});
    const auto early = g.add(op::softmax, {x}, axis{1});                // 1: read by the layer's first operation
    const auto h = g.add(op::linear, {early, g.weight("w", {64, 64})}); // 3
    const auto late = g.add(op::softmax, {x}, axis{1});
    g.output("y", g.add(op::add, {g.add(op::relu, {h}), late}));
    const dynamic_graph graph = g.finish();
    const graph_view v = graph;
    const fused_layers layers = fuse_layers(v, hosts);
    const sequence<lifetime> alive = lifetimes(v, layers.ends);
    int softmaxes = 0;
    for (int i = 0; i < v.size(); ++i) {
        const lifetime& life = alive[static_cast<std::size_t>(i)];
        if (v[i].kind == op::linear || v[i].kind == op::relu) {
            CHECK_FALSE(life.stored());
        } else if (v[i].kind == op::softmax) {
            ++softmaxes;
            CHECK(life == lifetime{i, v.size() - 1});
        } else if (v[i].kind == op::add) {
            CHECK(life == lifetime{i, v.size()});
        }
    }
    CHECK(softmaxes == 2);
    CHECK(plan_arena(v, alive).bytes == 3 * 128);
    CHECK(plan_arena(v).bytes == 3 * 128);
}
