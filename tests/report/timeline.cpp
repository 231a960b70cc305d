#include "../drawing/xml_check.hpp"
#include <anemone/report/timeline_drawing.hpp>
#include <anemone/report/timeline_report.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

// Two programs: the page docs/timeline.md has this text and its drawing.
timeline two_programs(target t = h13) {
    const std::vector<program_time> programs{program_time_of(0.7e-3, t), program_time_of(0.1e-3, t)};
    std::vector<request> list;
    for (int i = 0; i < 4; ++i) {
        list.push_back({0, i * 1.5e-3});
        list.push_back({1, i * 0.8e-3 + 0.2e-3});
    }
    for (int i = 0; i < 3; ++i) {
        list.push_back({1, 9e-3 + i * 0.1e-3});
    }
    return simulate(programs, list, t);
}
const std::vector<std::string> two_names{"encoder", "classifier"};

std::size_t count_of(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

std::string content_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The number behind `key` in the tag of a bar: x="84.00" is 84.
double number_in(std::string_view tag, std::string_view key) {
    const std::size_t at = tag.find(std::string(" ") + std::string(key) + "=\"");
    return std::stod(std::string(tag.substr(at + key.size() + 3)));
}

} // namespace

TEST_CASE("the table of a timeline has a row for each request, and the summary the sums") {
    const timeline t = two_programs();
    const std::string text = timeline_text(t, {.names = two_names});
    CHECK(count_of(text, "\n") == 1 + 11 + 6);
    CHECK(text.find(" \n") == std::string::npos);
    CHECK(text.find("11 requests on h13 (M1) in 10.4 ms: 1055 a second") != std::string::npos);
    CHECK(text.find("classifier") != std::string::npos);
    CHECK(text.find("first calls, switched\n") != std::string::npos);
    CHECK(text.find("5 switches of the program; 7.93 mJ") != std::string::npos);
    CHECK(text.find("CC17: guide chapter 10") != std::string::npos);
    CHECK(text.find("simulated; the constants are measured on M1\n") != std::string::npos);
    CHECK(timeline_text(two_programs(h17s)).find("simulated; predicted: ") != std::string::npos);
    CHECK(timeline_text(t, {.rows = 2}).find("and 9 more\n") != std::string::npos);
    CHECK(timeline_text(t, {.rows = 0}).find("request  program") == std::string::npos);

    const std::vector<program_time> one{program_time_of(0, h13)};
    const timeline crowd = simulate(one, std::vector<request>(128), h13);
    CHECK(timeline_text(crowd).find("1 request found 127 of its program outstanding and was held back (R117)") !=
          std::string::npos);
    const timeline pause = simulate(one, std::vector<request>{{0, 0}, {0, 2, 0}}, h13, {.first_calls = warm_up::none});
    CHECK(timeline_text(pause).find("1 pause between 1 and 5 s, of which nothing is known") != std::string::npos);
    CHECK(timeline_text(simulate(one, std::vector<request>{}, h13)) == "no requests on h13 (M1)\n");
    CHECK_THROWS_WITH_AS(timeline_text(t, {.names = {"one"}}), "argument: names: 1 for 2 programs", error);
}

TEST_CASE("the table of a sweep has a row for each batch") {
    const int batches[] = {1, 512};
    const auto points = batch_sweep(
        batches, h13, [](int batch) { return program_time{.fixed = 190e-6, .work = batch * 1.13e-6, .joules = 1e-6}; });
    const std::string text = batch_text(std::span(points.data(), points.size()));
    CHECK(text.find("      1     191.1 us    191.13 us        1   99.4 %") != std::string::npos);
    CHECK(text.find("    512     768.6 us      1.50 us    127.3   24.7 %") != std::string::npos); // fus_002
}

TEST_CASE("the drawing has a bar for each part of a request, in place") {
    const timeline t = two_programs();
    const std::string svg = draw_timeline(t, {.names = two_names, .width = 1000});
    CHECK(drawing_test::xml_error(svg) == "");
    for (const std::string_view part :
         {"Dispatches on h13 (M1)", ">host<", ">queue<", ">engine<", ">encoder<", ">classifier<", "time, ms",
          "prefers-color-scheme:dark", "simulated from measured constants", "waits for its turn"}) {
        CAPTURE(std::string(part));
        CHECK(svg.find(part) != std::string::npos);
    }
    CHECK(count_of(svg, ": work,") == 11);
    CHECK(count_of(svg, ": to the engine and back,") == 11);
    CHECK(count_of(svg, ": first calls,") == 6);
    CHECK(count_of(svg, ": completion,") == 11);
    // The work of the last request ends where its completion begins, and that ends at the right edge.
    const std::size_t completion = svg.find("request 10, classifier: completion");
    REQUIRE(completion != std::string::npos);
    const std::string tag = svg.substr(completion, svg.find("/>", completion) - completion);
    CHECK(number_in(tag, "x") + number_in(tag, "width") == doctest::Approx(84 + 1000).epsilon(1e-4));
    const std::size_t work = svg.find("request 10, classifier: work");
    const std::string before = svg.substr(work, svg.find("/>", work) - work);
    CHECK(number_in(before, "x") + number_in(before, "width") == doctest::Approx(number_in(tag, "x")).epsilon(1e-4));
    CHECK(number_in(before, "width") == doctest::Approx(0.1e-3 / t.seconds() * 1000).epsilon(1e-3));
}

TEST_CASE("bars of one row that overlap lie in lanes of their own") {
    const std::vector<program_time> one{program_time_of(1e-3, h13)};
    for (const int requests : {5, 100, 300}) {
        CAPTURE(requests);
        const std::string svg =
            draw_timeline(simulate(one, std::vector<request>(static_cast<std::size_t>(requests)), h13));
        CHECK(drawing_test::xml_error(svg) == "");
        std::vector<std::vector<double>> bars; // left, right, top, bottom
        for (std::size_t at = svg.find("<title>request"); at != std::string::npos;
             at = svg.find("<title>request", at + 1)) {
            const std::string tag = svg.substr(at, svg.find("/>", at) - at);
            bars.push_back({number_in(tag, "x"), number_in(tag, "x") + number_in(tag, "width"), number_in(tag, "y"),
                            number_in(tag, "y") + number_in(tag, "height")});
        }
        CHECK(bars.size() > static_cast<std::size_t>(requests) * 4);
        bool apart = true;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const bool overlap = bars[i][0] < bars[j][1] - 0.03 && bars[j][0] < bars[i][1] - 0.03 &&
                                     bars[i][2] < bars[j][3] - 0.03 && bars[j][2] < bars[i][3] - 0.03;
                apart = apart && !overlap;
            }
        }
        CHECK(apart);
    }
}

TEST_CASE("every program has a colour of its own, and a window shows what lies in it") {
    const std::vector<program_time> programs(128, program_time_of(0, h13));
    std::vector<request> list(128);
    for (int p = 0; p < 128; ++p) {
        list[static_cast<std::size_t>(p)] = {p, p * 1e-3};
    }
    const timeline t = simulate(programs, list, h13);
    const std::string svg = draw_timeline(t, {.id = "many", .theme = drawing::theme::dark});
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.find("#many .program127 rect{fill:hsl(") != std::string::npos);
    CHECK(svg.find(">program 127<") != std::string::npos);

    const std::string window = draw_timeline(t, {.from = 10e-3, .until = 12e-3});
    CHECK(drawing_test::xml_error(window) == "");
    CHECK(window.find("request 10,") != std::string::npos);
    CHECK(window.find("request 1,") == std::string::npos);
    CHECK(window.find(">program 40<") == std::string::npos);

    CHECK(drawing_test::xml_error(draw_timeline(t, {.title = "a < b", .names = std::vector<std::string>(128, "&")})) ==
          "");
}

TEST_CASE("what cannot be drawn is refused") {
    const timeline t = two_programs();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(draw_timeline(t, {.from = 1, .until = 1}), error);
    CHECK_THROWS_AS(draw_timeline(t, {.from = 0, .until = nan}), error);
    CHECK_THROWS_WITH_AS(draw_timeline(t, {.width = 10}), "argument: width: 10 pixels, it must be 100 to 100000",
                         error);
    CHECK_THROWS_AS(draw_timeline(t, {.names = {"one"}}), error);
    CHECK_THROWS_AS(draw_timeline(simulate({}, {}, h13)), error);
}

TEST_CASE("the page of timelines has what the functions give") {
    const std::string docs = std::string(ANEMONE_TEST_DATA) + "/../docs/";
    const std::string text = timeline_text(two_programs(), {.names = two_names});
    const std::string svg = draw_timeline(two_programs(), {.title = "Two programs on an M1", .names = two_names});
    if (const char* const wanted = std::getenv("ANEMONE_UPDATE_DOCS"); wanted != nullptr && *wanted == '1') {
        std::ofstream(docs + "images/timeline.svg", std::ios::binary) << svg;
    }
    CHECK(content_of(docs + "images/timeline.svg") == svg);
    const std::string page = content_of(docs + "timeline.md");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(page.find("    " + line + "\n") != std::string::npos);
    }
}
