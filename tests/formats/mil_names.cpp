// Names of layers: from a builder into MIL text and netplists and back, whatever bytes they are of.

#include <anemone/backend/cpu/constants.hpp>
#include <anemone/build.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/mil_names.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/passes/print.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/netplist.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

/// The names of the operations of a graph, in its order.
std::vector<std::string> layers_of(const graph_view& g) {
    std::vector<std::string> names;
    for (int i = 0; i < g.size(); ++i) {
        if (!is_source(g[i].kind)) {
            names.emplace_back(g.name(i));
        }
    }
    return names;
}

/// A chain of relus with these names.
dynamic_graph chain(const std::vector<std::string>& names) {
    dynamic_builder g;
    dynamic_tensor x = g.input("x", {1, 4, 1, 8});
    for (const std::string& name : names) {
        g.layer(name);
        x = g.add(op::relu, {x});
    }
    g.output("y", x);
    return g.finish();
}

std::vector<std::string> through_mil(const graph_view& g) {
    const lowered_graph lowered = lower(g);
    const mil_program program = emit_mil(lowered.graph, fold_constants(lowered.graph, {}));
    const std::span<const std::byte> blob = program.weights.bytes();
    return layers_of(read_mil(program.text, [&](const std::string&) { return blob; }).graph);
}
std::vector<std::string> through_netplist(const graph_view& g) {
    const lowered_graph lowered = lower(g);
    return layers_of(read_netplist(emit_netplist(lowered.graph, fold_constants(lowered.graph, {}))).graph);
}

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("a layer is named by its function, behind the scope, and keeps its name when it is lowered") {
    constexpr auto model = graph([](builder& g) {
        const auto x = g.input("x", f16<1, 4>);
        const auto s = g.scope("blocks", 2);
        g.output("y", s.layer("soft plus", softplus(x)));
    });
    CHECK(layers_of(model) == strings{"blocks.2.soft plus"});
    const lowered_graph lowered = lower(model);
    CHECK(lowered.graph.nodes.size() > 4);
    for (const std::string& name : layers_of(lowered.graph)) {
        CHECK(name == "blocks.2.soft plus");
    }
    CHECK(through_mil(model) == strings(layers_of(lowered.graph).size(), "blocks_2_soft_plus"));
}

TEST_CASE("a source is no layer") {
    dynamic_builder g;
    const dynamic_tensor x = g.input("x", {1, 4});
    CHECK_THROWS_AS(g.layer("port", x), error);
    CHECK_THROWS_AS(build_graph([](builder& b) {
                        const auto w = b.input("w", f16<4>);
                        b.output("y", relu(b.layer("w", w)));
                    }),
                    error);
    g.layer("first");
    const dynamic_tensor y = g.add(op::relu, {x});
    CHECK_THROWS_AS(g.add(op::relu, {x, y}), error); // leaves no name behind
    g.layer("");
    g.output("y", g.layer("last", g.add(op::relu, {g.add(op::abs, {y})})));
    CHECK(layers_of(g.finish()) == strings{"first", "", "last"});
}

TEST_CASE("names of any bytes become identifiers, and each is used once") {
    const dynamic_graph g = chain({"/stem/Conv", "/stem/Conv", "stem_Conv__1", "say \"hi\"\\", "\x1b[31m\n", "fp16",
                                   "t7", "t7_axis", "", std::string(10'000, 'a'), "x", "1st", "\xe5\xb1\xa4", "y"});
    const strings found = through_mil(g);
    REQUIRE(found.size() == 14);
    CHECK(found[0] == "stem_Conv");
    CHECK(found[1] == "stem_Conv");
    CHECK(found[2] == "stem_Conv"); // it looks like a part of the others
    CHECK(found[3] == "say__hi__");
    CHECK(found[5] == "_fp16");
    CHECK(found[6] == "_t7");
    CHECK(found[7] == "_t7_axis");
    CHECK(found[8].empty());
    CHECK(found[9] == std::string(200, 'a'));
    CHECK(found[10] == "x__1"); // the port has the name itself
    CHECK(found[13] == "y");
    for (const std::string& name : found) {
        CHECK((name.empty() || is_identifier(name)));
    }
    const strings units = through_netplist(g);
    REQUIRE(units.size() == 14);
    for (const std::string& name : units) {
        CHECK(is_identifier(name));
    }
    CHECK(units[0] == "stem_Conv");
    CHECK(units[9] == std::string(200, 'a'));
}

TEST_CASE("a name of ten thousand layers takes no longer than other names") {
    const strings found = through_mil(chain(strings(10'000, "layer")));
    CHECK(std::count(found.begin(), found.end(), "layer") == 10'000);
}

TEST_CASE("names that the writers make up are told from others") {
    using formats::is_made_up_mil_name;
    using formats::layer_of_part;
    for (const std::string_view made : {"t0", "t12", "t_3", "t12_axis", "t__4_weight_scale"}) {
        CHECK(is_made_up_mil_name(made));
    }
    for (const std::string_view given : {"", "t", "t_", "tanh", "tanh_1", "t1a", "x1", "T1"}) {
        CHECK(!is_made_up_mil_name(given));
    }
    CHECK(layer_of_part("stem__2") == "stem");
    CHECK(layer_of_part("a__b__10") == "a__b");
    for (const std::string_view whole : {"", "stem", "stem_2", "__2", "2", "stem__", "stem__x"}) {
        CHECK(layer_of_part(whole) == whole);
    }
}
