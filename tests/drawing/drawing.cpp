#include "../analysis/random_graph.hpp"
#include "xml_check.hpp"
#include <anemone/build.hpp>
#include <anemone/drawing/drawing.hpp>
#include <anemone/drawing/picture.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace ane;

namespace {

constexpr auto network = graph([](auto& g) {
    auto x = g.input("image"_s, f16<1, 3, 16, 16>, within(0, 1));
    auto stem = relu(conv2d<conv{.stride = 2, .padding = same}>(x, g.weight("stem.weight"_s, f16<8, 3, 3, 3>),
                                                                g.weight("stem.bias"_s, f16<8>)));
    auto a = relu(conv2d<conv{.padding = same}>(stem, g.weight("a.weight"_s, f16<8, 8, 3, 3>)));
    auto b = conv2d<conv{.padding = same, .groups = 2}>(a, g.weight("b.weight"_s, f16<8, 4, 3, 3>));
    auto sum = b + stem;
    auto pooled = concat(max_pool<pool{.kernel = 2, .stride = 2}>(sum), avg_pool<pool{.kernel = 2, .stride = 2}>(sum));
    auto flat = leaky_relu(flatten(pooled), 0.2) * 0.5;
    auto y = linear(flat, g.weight("head.weight"_s, f16<10, 256>), g.weight("head.bias"_s, f16<10>));
    g.output("flat"_s, flat);
    g.output("probabilities"_s, softmax<axis{-1}>(y));
});

int occurrences(const std::string& text, std::string_view wanted) {
    int count = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) {
        ++count;
    }
    return count;
}

void check_picture(const drawing::picture& p) {
    for (std::size_t i = 0; i < p.boxes.size(); ++i) {
        const drawing::box& a = p.boxes[i];
        CAPTURE(p.labels[i].tooltip);
        CHECK(a.left >= -1e-6);
        CHECK(a.top >= -1e-6);
        CHECK(a.right() <= p.width + 1e-6);
        CHECK(a.bottom() <= p.height + 1e-6);
        for (std::size_t k = 0; k < i; ++k) {
            const drawing::box& b = p.boxes[k];
            const bool apart = a.right() + 8 <= b.left || b.right() + 8 <= a.left || a.bottom() + 8 <= b.top ||
                               b.bottom() + 8 <= a.top;
            CHECK(apart);
        }
        for (const std::string& line : p.labels[i].lines) {
            CHECK(drawing::text_width(line, drawing::size::text) + 2 * drawing::size::side <= a.width + 1e-6);
        }
        for (const std::string& line : p.labels[i].weights) {
            CHECK(drawing::text_width(line, drawing::size::small) + 2 * drawing::size::side <= a.width + 1e-6);
        }
    }
    for (const drawing::edge& e : p.edges) {
        const drawing::box& from = p.boxes[static_cast<std::size_t>(e.from)];
        const drawing::box& to = p.boxes[static_cast<std::size_t>(e.to)];
        const drawing::point& start = e.path.front();
        const drawing::point& end = e.path.back();
        CHECK(from.layer < to.layer);
        CHECK(std::abs(start.y - from.bottom()) < 1e-6);
        CHECK((start.x > from.left && start.x < from.right()));
        CHECK(std::abs(end.y - to.top) < 1e-6);
        CHECK((end.x > to.left && end.x < to.right()));
        // No segment crosses a box: the vertical ones keep aside, the others stay between two layers.
        for (std::size_t s = 1; s < e.path.size(); ++s) {
            const drawing::point& a = e.path[s - 1];
            const drawing::point& b = e.path[s];
            CHECK(b.y >= a.y - 1e-6);
            for (const drawing::box& box : p.boxes) {
                const double low = std::min(a.x, b.x), high = std::max(a.x, b.x);
                const bool inside =
                    high > box.left && low < box.right() && b.y > box.top + 1e-6 && a.y < box.bottom() - 1e-6;
                CHECK(!inside);
            }
        }
    }
}

} // namespace

TEST_CASE("the drawing of a network is well-formed and complete") {
    const graph_view g = network;
    const std::string svg = draw_svg(g, {.title = "Network"});
    CHECK(drawing_test::xml_error(svg) == "");
    for (int i = 0; i < g.size(); ++i) {
        CAPTURE(i);
        const bool drawn = g[i].kind != op::weight && g[i].kind != op::constant;
        CHECK(occurrences(svg, fmt::format("id=\"node{}\"", i)) == (drawn ? 1 : 0));
        if (g[i].kind == op::weight) {
            CHECK(svg.find(std::string(g.name(i)) + " [") != std::string::npos);
        }
    }
    CHECK(occurrences(svg, "id=\"output") == 2);
    for (const std::string_view text : {"kernel 3 \u00b7 stride 2", "groups 2", "alpha 0.2", "axis 1", ">0.5<",
                                        "[1, 10]", ">probabilities<", ">image<", "skips layers"}) {
        CAPTURE(text);
        CHECK(svg.find(text) != std::string::npos);
    }
    check_picture(drawing::arrange(g));
}

TEST_CASE("weights can have boxes, and every edge of the graph is drawn") {
    const graph_view g = network;
    const drawing_options boxes{.fold_weights = false};
    const std::string svg = draw_svg(g, boxes);
    CHECK(drawing_test::xml_error(svg) == "");
    for (int i = 0; i < g.size(); ++i) {
        CAPTURE(i);
        CHECK(occurrences(svg, fmt::format("id=\"node{}\"", i)) == 1);
        for (const int o : g.operands(i)) {
            CHECK(occurrences(svg, fmt::format("data-from=\"node{}\" data-to=\"node{}\"", o, i)) == 1);
        }
    }
    check_picture(drawing::arrange(g, boxes));
}

TEST_CASE("a lowered graph names the weights behind folded constants") {
    const lowered_graph lowered = lower(network);
    const std::string svg = draw_svg(lowered.view());
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.find("stem.bias as [1, 8, 1, 1]") != std::string::npos);
    check_picture(drawing::arrange(lowered.view()));
}

TEST_CASE("the residual skips layers, the chain beside it is straight") {
    const drawing::picture p = drawing::arrange(network);
    int skipping = 0;
    for (const drawing::edge& e : p.edges) {
        skipping += e.crosses_layers ? 1 : 0;
        const auto kind_at = [&](int box) { return p.labels[static_cast<std::size_t>(box)].title; };
        if (kind_at(e.from) == "conv2d" && kind_at(e.to) == "relu") {
            CHECK(e.path.front().x == doctest::Approx(e.path.back().x));
        }
    }
    CHECK(skipping == 1);
}

TEST_CASE("names with markup, control characters and broken UTF-8 stay harmless") {
    dynamic_graph g;
    node x;
    x.kind = op::input;
    x.shape = {1, 4};
    x.attributes = contract{};
    x.name = g.intern("x");
    const int in = g.append(x, {});
    node w = x; // ports have identifiers for names, weights those of a file
    w.kind = op::weight;
    w.name = g.intern("a<b>&\"c'\x01\xff\xed\xa0\x80 ]]>&amp;" + std::string(200, 'm'));
    node y;
    y.kind = op::mul;
    y.shape = x.shape;
    const int operands[] = {in, g.append(w, {})};
    g.add_output(g.append(y, operands), "y");
    const std::string svg = draw_svg(g, {.title = "<&>"});
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.find("a&lt;b&gt;&amp;&quot;c&apos;\xEF\xBF\xBD") != std::string::npos);
    CHECK(svg.find("\xE2\x80\xA6") != std::string::npos); // cut with an ellipsis
    check_picture(drawing::arrange(g));
    CHECK(drawing_test::xml_error("<a><b></a></b>") != "");
    CHECK(drawing_test::xml_error("<a x=\"1\" x=\"2\"/>") != "");
    CHECK(drawing_test::xml_error("<a>&nbsp;</a>") != "");
}

TEST_CASE("random graphs, up to 200 operations") {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        const dynamic_graph g = passes_test::random_graph(seed, seed == 30 ? 200 : 2 + static_cast<int>(seed) * 2);
        const drawing_options options{.theme = seed % 2 == 0 ? drawing::theme::dark : drawing::theme::automatic,
                                      .fold_weights = seed % 3 != 0};
        CHECK(drawing_test::xml_error(draw_svg(g, options)) == "");
        check_picture(drawing::arrange(g, options));
    }
}

TEST_CASE("least squares under an order") {
    const auto x = drawing::detail::nearest_in_order({5, 5, 100}, {1, 1, 1}, {10, 10});
    CHECK(x[0] == doctest::Approx(0));
    CHECK(x[1] == doctest::Approx(10));
    CHECK(x[2] == doctest::Approx(100));
    const auto weighted = drawing::detail::nearest_in_order({5, 5}, {3, 1}, {10});
    CHECK(weighted[0] == doctest::Approx(2.5));
    CHECK(weighted[1] == doctest::Approx(12.5));
}
