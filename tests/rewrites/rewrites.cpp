// Every rewrite on a model of its own: it applies, the oracle gives the same bits (or values within a rounding), and a
// wrong rewrite is told from a right one.

#include "models.hpp"
#include "same.hpp"
#include <anemone/dynamic_builder.hpp>
#include <anemone/passes/prune.hpp>
#include <anemone/rewrites/registry.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;
using namespace rewriting;

namespace {

/// Whether `damaged` has something to break at a node, so that results have to differ.
bool can_be_damaged(const graph_view& g, int index) {
    const node& n = g[index];
    if (n.kind == op::slice) {
        for (int k = 0; k < n.shape.rank; ++k) {
            if (n.get<window>().begin[k] != 0) {
                return true;
            }
        }
        return false;
    }
    if (n.kind == op::concat) {
        return n.operands.count == 2 && g.operand(n, 0).shape == g.operand(n, 1).shape;
    }
    if (n.kind == op::transpose) {
        return !detail::is_view(n, g.operand(n, 0).shape);
    }
    for (int reader = index + 1; reader < g.size(); ++reader) { // it tells no sum with a number from a product with it
        if (g[reader].kind == op::softmax && g.operands(reader)[0] == index) {
            return false;
        }
    }
    return n.kind == op::add || n.kind == op::sub || n.kind == op::mul;
}

/// A copy in which one thing is wrong: a window, the order of a concatenation, a permutation that is a view, a sum that
/// is a difference, a product that is a sum.
dynamic_graph damaged(const dynamic_graph& g, int index) {
    dynamic_graph wrong = prune(g);
    node& n = wrong.nodes[static_cast<std::size_t>(index)];
    if (n.kind == op::slice) {
        window w = n.get<window>();
        for (int i = 0; i < w.begin.rank; ++i) {
            w.begin[i] = 0;
        }
        n.attributes = w;
    } else if (n.kind == op::transpose) {
        n.kind = op::reshape;
        n.attributes = no_attributes{};
    } else if (n.kind == op::concat || n.kind == op::sub) {
        std::swap(wrong.operand_pool[static_cast<std::size_t>(n.operands.first)],
                  wrong.operand_pool[static_cast<std::size_t>(n.operands.first + 1)]);
    } else {
        n.kind = n.kind == op::add ? op::sub : op::add;
    }
    return wrong;
}

} // namespace

TEST_CASE("every rewrite applies to its model, and keeps what it says") {
    for (const rewrite_record& r : rewrite_table) {
        CAPTURE(std::string(r.id));
        const dynamic_graph model = model_for(r.id);
        const rewritten made = r.apply(model, tiny);
        REQUIRE(made.places > 0);
        for (const target chip : {h13, h17s}) {
            for (unsigned seed = 1; seed <= 3; ++seed) {
                const auto c = compare(model, made.graph, chip, seed);
                CHECK(c.same_bits == (r.kept == rewrite_exactness::bits));
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

TEST_CASE("channels first: a block as PyTorch exports it") {
    const dynamic_graph model = exported_model();
    const rewritten made = detail::channels_first(model, describe(h13));
    const auto c = compare(model, made.graph, h13, 11);
    CHECK(c.worst < 0x1p-8);
    int transposes = 0;
    for (const node& n : made.graph.nodes) {
        transposes += n.kind == op::transpose ? 1 : 0;
    }
    CHECK(transposes == 2); // on the way in and on the way out
}

TEST_CASE("cancelled transposes: a token of a decoder needs none") {
    const dynamic_graph model = token_model();
    const rewritten made = detail::cancel_transposes(model, describe(h13));
    CHECK(compare(model, made.graph, h17s, 13).same_bits);
    for (const node& n : made.graph.nodes) {
        CHECK(n.kind != op::transpose);
    }
}

TEST_CASE("a rewrite that does not fit leaves a model alone") {
    dynamic_builder g;
    g.output("y", g.add(op::max_pool, {g.input("x", {1, 4, 8, 8})}, pool{.kernel = 2, .stride = 2}));
    const dynamic_graph model = g.finish();
    for (const rewrite_record& r : rewrite_table) {
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

TEST_CASE("every rewrite: the comparison tells a wrong one from a right one") {
    for (const rewrite_record& r : rewrite_table) {
        CAPTURE(std::string(r.id));
        const dynamic_graph model = model_for(r.id);
        const dynamic_graph made = r.apply(model, tiny).graph;
        int tried = 0, told = 0;
        for (int i = 0; i < static_cast<int>(made.nodes.size()); ++i) {
            if (!can_be_damaged(made, i)) {
                continue;
            }
            ++tried;
            told += compare(model, damaged(made, i), h13, 3).worst > 0x1p-8 ? 1 : 0;
        }
        CHECK(told > 0);
        CHECK(told >= tried - 1); // the sign of a bias of keys moves no softmax
    }
}
