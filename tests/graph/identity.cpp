#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <utility>

using namespace ane;
using doctest::Contains;

namespace {

/// Builds a graph in the same place as the one before it, whatever the two are.
template <class Function> void build_at(std::optional<dynamic_graph>& place, const Function& describe) {
    place.emplace();
    describe(builder(*place));
}

using vector = tensor<shape<2>>;

} // namespace

TEST_CASE("a handle of another live graph is no output and no operand") {
    dynamic_graph first;
    dynamic_graph second;
    const builder g1(first);
    const builder g2(second);
    const vector a = g1.input("a"_s, f16<2>);
    const vector b = g2.input("b"_s, f16<2>);
    CHECK_THROWS_WITH(g2.output("y"_s, a), "graph: y: the output is a value of another graph");
    CHECK_THROWS_WITH(add(a, b), Contains("graph: add: its operands belong to different graphs ("));
    CHECK_THROWS_WITH(add(a, b), Contains("identity.cpp:34)"));
    CHECK_THROWS_WITH(concat<axis{0}>(b, a), Contains("graph: concat: its operands belong to different graphs ("));
    CHECK_NOTHROW(g2.output("y"_s, b));
}

TEST_CASE("a handle of a graph that is gone does not fit the next one at its address") {
    std::optional<dynamic_graph> place;
    vector stale{};
    build_at(place, [&](const builder& g) { stale = relu(g.input("x"_s, f16<2>)); });
    build_at(place, [&](const builder& g) {
        const vector x = g.input("x"_s, f16<2>);
        const auto gone = "graph: tensor: the graph of this handle is gone, another one has taken its place";
        CHECK_THROWS_WITH(g.output("y"_s, stale), "graph: y: the output is a value of another graph");
        CHECK_THROWS_WITH(relu(stale), gone);
        CHECK_THROWS_WITH(stale + x, gone);
        CHECK_THROWS_WITH(x + stale, gone);
        CHECK_THROWS_WITH(stale * 2, gone);
        CHECK_THROWS_WITH(leaky_relu(stale), gone);
    });
    CHECK(place->nodes.size() == 1);
    CHECK(place->outputs.empty());
}

TEST_CASE("handles do not fit what their graph was assigned to, moved into or copied from") {
    dynamic_graph g;
    const vector x = builder(g).input("x"_s, f16<2>);
    const dynamic_graph copy = g;
    CHECK(copy.number() != g.number());
    CHECK_NOTHROW(relu(x));
    SUBCASE("moved from") {
        const dynamic_graph moved = std::move(g);
        CHECK_THROWS_AS(relu(x), error);
    }
    SUBCASE("assigned to") {
        g = copy;
        CHECK_THROWS_AS(relu(x), error);
    }
    CHECK_THROWS_WITH(relu(vector{}), "graph: tensor: no builder made this handle");
}

TEST_CASE("values of a dynamic builder do not fit the next one at its address") {
    std::optional<dynamic_builder> place(std::in_place);
    const dynamic_tensor stale = place->input("x", {2});
    place.emplace();
    place->input("x", {2});
    CHECK_THROWS_WITH(place->output("y", stale), "graph: y: its operands belong to different graphs");
    CHECK_THROWS_WITH(place->add(op::relu, {stale}), "graph: relu: its operands belong to different graphs");
}
