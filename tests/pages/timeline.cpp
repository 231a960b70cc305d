// The snippet of docs/timeline.md.
#include <anemone/io/file.hpp>
#include <anemone/report/timeline_drawing.hpp>
#include <anemone/report/timeline_report.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <vector>

// clang-format off: the page's lines
TEST_CASE("the page of timelines runs") {
    const std::vector<ane::program_time> programs{ane::program_time_of(0.7e-3, ane::h13), // s of work on the engine
                                                  ane::program_time_of(0.1e-3, ane::h13)};
    std::vector<ane::request> list;
    for (int i = 0; i < 4; ++i) {
        list.push_back({0, i * 1.5e-3}); // program 0, when it is called
        list.push_back({1, i * 0.8e-3 + 0.2e-3});
    }
    for (int i = 0; i < 3; ++i) {
        list.push_back({1, 9e-3 + i * 0.1e-3});
    }
    const ane::timeline t = ane::simulate(programs, list, ane::h13);
    fmt::print("{}", ane::timeline_text(t, {.names = {"encoder", "classifier"}}));
    ane::write_file("timeline.svg", ane::draw_timeline(t, {.names = {"encoder", "classifier"}}));
    CHECK(t.requests.size() == 11);
    std::remove("timeline.svg");
}
// clang-format on
