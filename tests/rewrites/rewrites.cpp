// Every rewrite on a model of its own: it applies, the oracle gives the same bits (or values within a rounding), and a
// wrong rewrite is told from a right one.

#include "same.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/rewrites/registry.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;
using rewriting::compare;

namespace {

/// An M1 whose on-chip memory is small, so that small models leave it.
constexpr target_description tiny = derive(describe(h13), [](auto& d) {
    d.memory.working_set_nominal = 512;
    d.memory.working_set_measured = 1024;
});

dynamic_graph attention_model() {
    dynamic_builder g;
    const auto q = g.input("q", {1, 2, 16, 8});
    const auto k = g.input("k", {1, 2, 24, 8});
    const auto v = g.input("v", {1, 2, 24, 8});
    g.output("y", g.add(op::attention, {q, k, v, g.input("mask", {1, 1, 16, 24})}, score_scaling{0.3F}));
    return g.finish();
}

/// A transformer block without biases: with channels first its bits stay.
dynamic_graph block_model(bool biased) {
    constexpr std::int64_t rows = 12, width = 32, heads = 4;
    dynamic_builder g;
    auto x = g.input("x", {rows, width});
    const auto linear = [&](const std::string& name, const dynamic_tensor& v, std::int64_t out) {
        const auto w = g.weight(name, {out, v.shape().width()});
        return biased ? g.add(op::linear, {v, w, g.weight(name + ".bias", {out})}) : g.add(op::linear, {v, w});
    };
    const auto split = [&](const dynamic_tensor& v) {
        return g.add(op::transpose, {g.reshape(v, {1, rows, heads, width / heads})}, permutation{0, 2, 1, 3});
    };
    const auto n =
        g.add(op::layer_norm, {x, g.weight("gamma", {width}), g.weight("beta", {width})}, stabilizer{1e-5F, -1});
    const auto a =
        g.add(op::attention, {split(linear("q", n, width)), split(linear("k", n, width)), split(linear("v", n, width))},
              score_scaling{0.25F});
    const auto joined = g.reshape(g.add(op::transpose, {a}, permutation{0, 2, 1, 3}), {rows, width});
    x = g.add(op::add, {x, linear("o", joined, width)});
    const auto m = g.add(op::rms_norm, {x, g.weight("gain", {width})}, stabilizer{1e-5F, -1});
    x = g.add(op::add, {x, linear("down", g.add(op::gelu, {linear("up", m, 4 * width)}), width)});
    g.output("y", x);
    return g.finish();
}

dynamic_graph transposes_model() {
    dynamic_builder g;
    auto x = g.input("x", {2, 3, 4, 5});
    x = g.add(op::transpose, {x}, permutation{0, 2, 1, 3});
    x = g.add(op::relu, {g.add(op::transpose, {x}, permutation{3, 1, 2, 0})});
    g.output("y", x);
    g.output("z", g.add(op::sigmoid, {g.add(op::transpose, {g.add(op::transpose, {x}, permutation{1, 0, 2, 3})},
                                            permutation{1, 0, 2, 3})}));
    return g.finish();
}

dynamic_graph vocabulary_model() {
    dynamic_builder g;
    g.output("y", g.add(op::linear, {g.input("x", {6, 32}), g.weight("w", {96, 32})}));
    return g.finish();
}

dynamic_graph pointwise_model() {
    dynamic_builder g;
    g.output("y", g.add(op::conv2d, {g.input("x", {2, 24, 5, 7}), g.weight("w", {40, 24, 1, 1}), g.weight("b", {40})},
                        conv{}));
    return g.finish();
}

dynamic_graph factors_model() {
    dynamic_builder g;
    const auto x = g.add(op::mul, {g.input("x", {4, 16}), g.constant(0.3)});
    g.output("y", g.add(op::mul, {x, g.weight("w", {16})}));
    return g.finish();
}

dynamic_graph model_for(std::string_view rewrite) {
    if (rewrite == "attention_as_parts" || rewrite == "tile_queries") {
        return attention_model();
    }
    if (rewrite == "channels_first") {
        return block_model(true);
    }
    if (rewrite == "cancel_transposes") {
        return transposes_model();
    }
    if (rewrite == "split_outputs" || rewrite == "linear_as_convolution") {
        return vocabulary_model();
    }
    if (rewrite == "pointwise_as_product") {
        return pointwise_model();
    }
    if (rewrite == "merge_factors") {
        return factors_model();
    }
    FAIL("a rewrite without a model: ", std::string(rewrite));
    return {};
}

/// A copy in which one thing is wrong: a constant, a window, a permutation, or two operands exchanged.
dynamic_graph damaged(const dynamic_graph& g, int index) {
    dynamic_graph wrong = prune(g);
    node& n = wrong.nodes[static_cast<std::size_t>(index)];
    if (n.kind == op::slice) {
        window w = n.get<window>();
        for (int i = 0; i < w.begin.rank; ++i) {
            w.begin[i] = 0;
        }
        n.attributes = w;
    } else if (n.operands.count == 2) {
        std::swap(wrong.operand_pool[static_cast<std::size_t>(n.operands.first)],
                  wrong.operand_pool[static_cast<std::size_t>(n.operands.first + 1)]);
    }
    return wrong;
}

} // namespace

TEST_CASE("every rewrite applies to its model, and keeps what it says") {
    for (const rewrite_record& r : rewrites) {
        CAPTURE(std::string(r.id));
        const dynamic_graph model = model_for(r.id);
        const rewritten made = r.apply(model, tiny);
        REQUIRE(made.places > 0);
        for (const target chip : {h13, h17s}) {
            for (unsigned seed = 1; seed <= 3; ++seed) {
                const auto c = compare(model, made.graph, chip, seed);
                CHECK(c.same_bits == (r.kept == keeps::bits));
                CHECK(c.worst <= 0x1p-9);
            }
        }
    }
}

TEST_CASE("channels first: without biases the bits stay, and no value is turned round between the ends") {
    const dynamic_graph model = block_model(false);
    const rewritten made = detail::channels_first(model, describe(h13));
    CHECK(compare(model, made.graph, h13, 7).same_bits);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
    }
    CHECK(transposes == 2);
}

TEST_CASE("a rewrite that does not fit leaves a model alone") {
    dynamic_builder g;
    g.output("y", g.add(op::max_pool, {g.input("x", {1, 4, 8, 8})}, pool{.kernel = 2, .stride = 2}));
    const dynamic_graph model = g.finish();
    for (const rewrite_record& r : rewrites) {
        CAPTURE(std::string(r.id));
        CHECK(r.apply(model, tiny).places == 0);
    }
    // strides, padding, groups and 3x3 kernels are no products of pixels; one row needs its weights once
    for (const conv& how : {conv{.stride = 2}, conv{.padding = 1}}) {
        dynamic_builder h;
        h.output("y", h.add(op::conv2d, {h.input("x", {1, 4, 8, 8}), h.weight("w", {4, 4, 1, 1})}, how));
        CHECK(detail::pointwise_as_product(h.finish(), tiny).places == 0);
    }
    dynamic_builder row;
    row.output("y", row.add(op::linear, {row.input("x", {1, 32}), row.weight("w", {96, 32})}));
    CHECK(detail::split_outputs(row.finish(), tiny).places == 0);
}

TEST_CASE("the comparison tells a wrong rewrite from a right one") {
    int told = 0, tried = 0;
    for (const rewrite_record& r : rewrites) {
        const dynamic_graph model = model_for(r.id);
        const dynamic_graph made = r.apply(model, tiny).graph;
        for (int i = 0; i < static_cast<int>(made.nodes.size()); ++i) {
            const node& n = made.nodes[static_cast<std::size_t>(i)];
            bool moved = false;
            if (n.kind == op::slice) {
                for (int k = 0; k < n.shape.rank; ++k) {
                    moved = moved || n.get<window>().begin[k] != 0;
                }
            }
            const graph_view view = made;
            const bool exchanged = n.kind == op::sub || (n.kind == op::concat && n.operands.count == 2 &&
                                                         view.operand(n, 0).shape == view.operand(n, 1).shape);
            if (!moved && !exchanged) {
                continue;
            }
            ++tried;
            const auto c = compare(model, damaged(made, i), h13, 3);
            told += c.worst > 0x1p-9 ? 1 : 0;
        }
    }
    CHECK(tried > 4);
    CHECK(told == tried);
}
