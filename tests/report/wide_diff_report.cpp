// Comparisons with double precision as text, JSON and a picture.

#include "../diff/wide_models.hpp"
#include "../drawing/xml_check.hpp"
#include <anemone/report/wide_diff_report.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using namespace wide_models;

namespace {

bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct told {
    dynamic_graph model = root_mean_square();
    model_samples samples = sample_of({large_row});
    wide_difference found = diff(model, oracle13, exact, {}, samples);
    remedy_search remedies = find_remedies(model, oracle13, exact, {}, samples, found, {.chip = h13});
};

} // namespace

TEST_CASE("the text names the layer, the cause, the value and what helps") {
    const told t;
    const std::string text = wide_diff_report(t.model, t.found, t.remedies).str();
    CAPTURE(text);
    CHECK(tells(text, "oracle H13 against double precision"));
    CHECK(tells(text, "first layer beyond the bound: square"));
    CHECK(tells(text, "overflow: its values reach 96100, and fp16 ends at 65504"));
    CHECK(tells(text, "element 0 is inf, exactly 90000"));
    CHECK(tells(text, "the outputs are beyond the bound"));
    CHECK(tells(text, "what helps (each was run; relative error before: "));
    CHECK(tells(text, "1. scale square"));
    CHECK(tells(text, "on the host in fp32, 3 operations"));
    CHECK(tells(text, "inherited"));
    CHECK_FALSE(tells(text, "\x1b["));
    CHECK(tells(wide_diff_report(t.model, t.found, t.remedies).str(true), "\x1b[1;31moverflow"));
    std::ostringstream stream;
    stream << wide_diff_report(t.model, t.found);
    CHECK_FALSE(tells(stream.str(), "what helps"));
}

TEST_CASE("a model within the bound, several samples, and errors that add up") {
    const auto model = root_mean_square();
    model_samples samples = sample_of({std::vector<double>(8, 1.5)});
    CHECK(tells(wide_diff_report(model, diff(model, plain, exact, {}, samples)).str(), "no layer is beyond the bound"));
    add_sample(samples, {large_row});
    const std::string text = wide_diff_report(model, diff(model, plain, exact, {}, samples)).str();
    CAPTURE(text);
    CHECK(tells(text, "2 samples"));
    CHECK(tells(text, "in sample 1"));
    CHECK(tells(text, "outputs beyond the bound in 1 of 2 samples, the worst is sample 1"));
    const auto counted = build_graph([](auto& g) {
        auto s = g.state("s"_s, f16<1>);
        auto next = read(s) + g.input("x"_s, f16<1>);
        write(s, next);
        g.output("y"_s, next);
    });
    model_samples ones;
    for (int i = 0; i < 2100; ++i) {
        add_sample(ones, {{1}});
    }
    const std::string added =
        wide_diff_report(counted, diff(counted, plain, exact, {}, ones, {.bound = {.relative = 0.01}})).str();
    CAPTURE(added);
    CHECK(tells(added, "inherited: alone it is within the bound: the errors of the layers before it add up"));
}

TEST_CASE("of a large model the layers to blame are told, and the ends of what lies between") {
    dynamic_builder b;
    dynamic_tensor y = b.input("x", {1});
    for (int i = 0; i < 300; ++i) {
        y = i == 150 ? b.add(op::square, {y}, no_attributes{}) : b.add(op::abs, {y}, no_attributes{});
    }
    b.output("y", y);
    const dynamic_graph model = b.finish();
    const std::string text = wide_diff_report(model, diff(model, plain, exact, {}, sample_of({{300}}))).str();
    CAPTURE(text);
    CHECK(tells(text, "... 144 layers more"));
    CHECK(tells(text, "... 143 layers more"));
    CHECK(tells(text, "square #151"));
    CHECK(tells(text, "abs #3 "));
    CHECK_FALSE(tells(text, "abs #4 "));
    CHECK_FALSE(tells(text, "abs #297 "));
    CHECK(tells(text, "abs #298 "));
    CHECK(tells(text, "abs \"y\" "));
}

TEST_CASE("JSON has the same, with null for what is not finite") {
    const told t;
    const std::string json = wide_diff_report(t.model, t.found, t.remedies).json();
    CAPTURE(json);
    for (const char* const part : {"\"judged\": \"oracle H13\"", "\"reference\": \"f64\"", "\"relative\": 0.05",
                                   "\"absolute\": null", "\"first\": 0", "\"affected\": 1", "\"cause\": \"overflow\"",
                                   "\"got\": null", "\"expected\": 90000", "\"not_finite\": 4", "\"name\": \"y\"",
                                   "\"kind\": \"scale\"", "\"of_part\": false", "\"cut_short\": false"}) {
        CAPTURE(part);
        CHECK(tells(json, part));
    }
    CHECK_FALSE(tells(wide_diff_report(t.model, t.found).json(), "remedies"));
}

TEST_CASE("the picture is XML, with a row for each layer") {
    const told t;
    const std::string svg = draw_wide_diff(t.model, t.found);
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(tells(svg, ">overflow</text>"));
    CHECK(tells(svg, "4 of 8 elements are beyond the bound"));
    const auto none = build_graph([](auto& g) { g.output("y"_s, g.input("x"_s, f16<1>)); });
    CHECK(drawing_test::xml_error(
              draw_wide_diff(none, diff(none, plain, exact, {}, sample_of({{1}})), {.title = "a < b & c"})) == "");
}
