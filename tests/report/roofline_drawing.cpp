#include "../drawing/xml_check.hpp"
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/report/roofline_drawing.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr auto drawn = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 64, 28, 28>);
    auto y = relu(conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<64, 64, 3, 3>)));
    g.output("y"_s, reshape<1, 64 * 14 * 14>(max_pool<pool{.kernel = 2, .stride = 2}>(y)));
});

} // namespace

TEST_CASE("the roofline plot has a dot for each layer with work, and the ceilings' figures") {
    const std::string svg = draw_roofline(drawn, h13);
    CHECK(drawing_test::xml_error(svg) == "");
    for (const std::string_view text : {"conv2d + relu #", "max_pool #", "ridge 222", "Roofline of h13 (M1)"}) {
        CAPTURE(std::string(text));
        CHECK(svg.find(text) != std::string::npos);
    }
    CHECK(svg.find("reshape") == std::string::npos);
    CHECK(drawing_test::xml_error(draw_roofline(drawn, h17s, {.title = "a < b", .theme = drawing::theme::dark})) == "");
}

TEST_CASE("without rates there is no plot") { CHECK_THROWS_AS(draw_roofline(drawn, u1), error); }
