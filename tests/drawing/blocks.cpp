// Several operations in one box: every operation is in one, boxes stand in order, and depend on nothing after them.

#include "../analysis/random_graph.hpp"
#include "xml_check.hpp"
#include <anemone/build.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/drawing/picture.hpp>
#include <anemone/dynamic_builder.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ane;

namespace {

/// A stem, `layers` equal residual blocks of four operations, a head. Weights say where they stand if `named`.
dynamic_graph tower(int layers, bool named) {
    dynamic_builder b;
    const auto convolved = [&](const dynamic_tensor& x, const std::string& weight) {
        return b.add(op::conv2d, {x, b.weight(weight, {8, 8, 3, 3})}, conv{.padding = same});
    };
    dynamic_tensor x = b.add(op::relu, {convolved(b.input("image", {1, 8, 8, 8}), "stem.weight")});
    for (int i = 0; i < layers; ++i) {
        const std::string scope = (named ? "body." : "w") + std::to_string(i) + (named ? "." : "_");
        const dynamic_tensor y = b.add(op::relu, {convolved(x, scope + "a.weight")});
        x = b.add(op::add, {x, convolved(y, scope + "b.weight")});
    }
    b.output("y", b.add(op::relu, {x}));
    return b.finish();
}

std::vector<int> computed(const graph_view& g) {
    std::vector<int> order;
    for (int i = 0; i < g.size(); ++i) {
        if (!is_source(g[i].kind)) {
            order.push_back(i);
        }
    }
    return order;
}

std::string titles(const drawing::picture& p) {
    std::string all;
    for (const drawing::label& l : p.labels) {
        all += l.title + "|";
    }
    return all;
}

} // namespace

TEST_CASE("what is small is drawn as it is") {
    const dynamic_graph g = tower(6, true);
    CHECK(draw_svg(g, {.depth = readable_depth}) == draw_svg(g));
}

TEST_CASE("of equal blocks the first is drawn, and the others are one box") {
    const dynamic_graph g = tower(30, false); // 122 operations
    const drawing::picture p = drawing::arrange(g, {.depth = readable_depth});
    CHECK(titles(p) == "image|conv2d|relu|conv2d|relu|conv2d|add|29 more of #5–9|relu|y|");
    const auto& rest = p.labels[7];
    CHECK(rest.lines[0] == "116 operations: conv2d 58 · add 29");
    CHECK(rest.lines[1] == "relu 29");
    CHECK(rest.lines[2] == "[1, 8, 8, 8]");
    CHECK(rest.weights[0] == "58 weights with 33.4 k parameters"); // 58 * 8 * 8 * 9
    const std::string svg = draw_svg(g, {.depth = readable_depth});
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.find("data-to=\"block") != std::string::npos);
}

TEST_CASE("blocks by their names, to a depth") {
    const dynamic_graph g = tower(4, true);
    // The sums stand between body.0 and body.1, in body.
    CHECK(titles(drawing::arrange(g, {.depth = 2})) == "image|conv2d|relu|body.0|add|3 more of #5–9|relu|y|");
    CHECK(titles(drawing::arrange(g, {.depth = 1})) == "image|conv2d|relu|body|add|relu|y|");
}

TEST_CASE("every operation is in one box, and boxes depend on those before them only") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        const dynamic_graph g = passes_test::random_graph(seed, 150);
        const std::vector<int> order = computed(g);
        for (const int depth : {readable_depth, every_operation, 1, 2}) {
            std::vector<int> together;
            for (const drawing::unit& u : drawing::units_of(g, order, depth)) {
                CHECK(!u.nodes.empty());
                together.insert(together.end(), u.nodes.begin(), u.nodes.end());
            }
            CHECK(together == order); // runs of the execution order: no circle
            const std::string svg = draw_svg(g, {.depth = depth});
            CHECK(drawing_test::xml_error(svg) == "");
            for (const drawing::edge& e : drawing::arrange(g, {.depth = depth}).edges) {
                CHECK(e.from < e.to);
            }
        }
    }
}

TEST_CASE("many layers, each of a scope of its own, are a box each") {
    dynamic_builder b;
    dynamic_tensor x = b.input("image", {1, 1, 4, 4});
    constexpr int layers = 70; // more than readable, and no depth of names has fewer
    for (int i = 1; i <= layers; ++i) {
        x = b.add(op::conv2d, {x, b.weight("part" + std::to_string(i) + ".weight", {i + 1, i, 1, 1})}, conv{});
    }
    b.output("y", x);
    const dynamic_graph g = b.finish();
    CHECK(drawing::units_of(g, computed(g), readable_depth).size() == layers);
    CHECK(drawing_test::xml_error(draw_svg(g, {.depth = readable_depth})) == "");
}

TEST_CASE("two drawings in a page share no id and no style") {
    const dynamic_graph g = tower(2, true);
    const std::string one = draw_svg(g, {.id = "one"});
    CHECK(drawing_test::xml_error(one) == "");
    CHECK(one.find("<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"one\"") == 0);
    CHECK(one.find("id=\"node") == std::string::npos);
    CHECK(one.find("id=\"one-node") != std::string::npos);
    CHECK(one.find("data-from=\"one-node") != std::string::npos);
    const std::string sheet = drawing::confined("a,.b c{x:1;y:2}\n@media (q:r){\n.d{z:3}.e .f{w:4}\n}\n", "one");
    CHECK(sheet == "#one a,#one .b c{x:1;y:2}\n@media (q:r){\n#one .d{z:3}#one .e .f{w:4}\n}\n");
}
