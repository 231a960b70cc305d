#include "../drawing/xml_check.hpp"
#include <anemone/base/error.hpp>
#include <anemone/report/plot.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

plot example() {
    return {.title = "errors < 1 & more",
            .note = "two series",
            .x = {.label = "K", .ticks = {100, 1000}},
            .y = {.label = "error"},
            .series = {{"a line", plot_style::line, {{100, 0.01}, {1000, 0.1}}},
                       {"published", plot_style::rings, {{100, 0.02}, {1000, 0.09}}}}};
}

} // namespace

TEST_CASE("a plot has its lines, its marks, its axes and a key, as valid XML") {
    const std::string svg = draw_plot(example());
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(count(svg, "<path class=\"curve line0\"") == 2); // the line and its key
    CHECK(count(svg, "<circle class=\"ring\"") == 3);      // two points and the key
    CHECK(svg.find(">1000<") != std::string::npos);
    CHECK(svg.find("errors &lt; 1 &amp; more") != std::string::npos);
    CHECK(svg.find("infinity") == std::string::npos);
    CHECK(svg == draw_plot(example()));
    // Both axes are logarithmic: a decade each, and equal steps for equal factors.
    plot p = example();
    p.series = {{"points", plot_style::dots, {{1, 1}, {10, 10}, {100, 100}}}};
    p.x.ticks = {1, 10, 100};
    p.width = 200;
    const std::string dots = draw_plot(p);
    std::vector<double> places;
    for (std::size_t at = dots.find("cx=\""); at != std::string::npos; at = dots.find("cx=\"", at + 1)) {
        places.push_back(std::stod(dots.substr(at + 4)));
    }
    REQUIRE(places.size() == 4);
    CHECK(places[1] - places[0] == doctest::Approx(places[2] - places[1]).epsilon(0.01));
}

TEST_CASE("infinite values have rows of their own; what an axis cannot hold is left out") {
    plot p = example();
    p.x.logarithmic = false;
    p.y.logarithmic = false;
    p.series.push_back(
        {"beyond", plot_style::dots, {{200, infinity}, {300, -infinity}, {400, std::nan("")}, {infinity, 1}}});
    std::string svg = draw_plot(p);
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(count(svg, ">infinity<") == 1);
    CHECK(count(svg, ">-infinity<") == 1);
    CHECK(count(svg, "<circle class=\"dot1\"") == 3); // two points and the key
    CHECK(svg.find("nan") == std::string::npos);
    p.y.logarithmic = true;
    p.series = {{"no logarithm", plot_style::dots, {{1, 0}, {2, -1}, {3, 5}}}};
    svg = draw_plot(p);
    CHECK(count(svg, "<circle class=\"dot0\"") == 2);
    p.series = {{"nothing", plot_style::dots, {{1, -1}}}};
    CHECK_THROWS_AS(draw_plot(p), error);
    p.series = {{"one value", plot_style::line, {{5, 7}, {5, 7}}}};
    p.theme = drawing::theme::dark;
    CHECK(drawing_test::xml_error(draw_plot(p)) == "");
    p.x.ticks = {0, -1, infinity, 5, 10}; // a linear axis holds all but infinity, a logarithmic one neither 0 nor -1
    p.y.ticks = {0, -1, infinity, 5, 10};
    svg = draw_plot(p);
    CHECK(count(svg, ">0<") == 1);
    CHECK(count(svg, ">-1<") == 1);
    CHECK(count(svg, ">10<") == 2);
    CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("ticks end where doubles do: neighbours without a number between them, the smallest and the largest") {
    plot p = example();
    p.x = {.label = "x", .logarithmic = false};
    p.y = {.label = "y"};
    p.series = {{"points", plot_style::dots, {{1e17, 5e-324}, {1e17 + 16, 1.7e308}}}};
    const std::string svg = draw_plot(p);
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.size() < 100000);
}
