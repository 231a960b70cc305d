#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/report/residency_report.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;

TEST_CASE("residency: a row for each operation, limits marked, colour on demand") {
    static constexpr auto model = graph([](auto& g) {
        auto x = g.input("x"_s, f16<1, 64, 128, 160>);
        auto y = conv2d<conv{.padding = same}>(x, g.weight("a.weight"_s, f16<64, 64, 3, 3>));
        g.output("y"_s, conv2d<conv{.stride = 6}>(y, g.weight("b.weight"_s, f16<200, 64, 1, 1>)));
    });
    // 2 621 440 bytes for x and y: streamed on h13, above the nominal size on h17s. 73 728 bytes of weights.
    const residency_report m1_report(model, h13);
    const std::string text = m1_report.str();
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("residency on h13 (M1 base): on-chip memory 2.10 MB, streamed above 2.28 MB (measured), kernel "
                    "memory 65.5 kB (16.8 MB streamed)\n") == 0);
    std::istringstream lines(text);
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
        all.push_back(line);
        CHECK((line.empty() || line.back() != ' '));
    }
    // The head, the titles, two rows; totals: operations, peak, weights, lanes, Winograd, marks (nothing reconverges).
    REQUIRE(all.size() == 10);
    const auto words = [](const std::string& line) {
        std::istringstream in(line);
        std::vector<std::string> w;
        for (std::string word; in >> word;) {
            w.push_back(word);
        }
        return w;
    };
    // Rows of 320 bytes are 20 granules: g = 4, 128 rows over 16 banks are 8 requests.
    CHECK(words(all[2]) == std::vector<std::string>{"conv2d", "#2", "[1,", "64,", "128,", "160]", "2.62", "MB!", "5.24",
                                                    "MB!", "73.7", "kB!", "2!", "0.0", "%", "8", "64", "2.25x"});
    // 22 x 27 results: rows of 54 bytes are stored as 64; 4 granules, 22 rows over 16 banks.
    CHECK(words(all[3]) == std::vector<std::string>{"conv2d",      "#4",   "[1,",     "200,", "22,",  "27]",
                                                    "2.62",        "MB!",  "2.86",    "MB!",  "25.6", "kB",
                                                    "1",           "15.6", "%",       "2",    "13!",  "stride",
                                                    "decomposed,", "a",    "further", "pass", "in",   "part"});
    CHECK(text.find("split into at least 1 more layers") != std::string::npos);
    CHECK(text.find("working set measured") != std::string::npos);

    CHECK(m1_report.str(true).find("\x1b[1;31m2.62 MB!\x1b[0m") != std::string::npos);
    const std::string m5_text = residency_report(model, h17s).str();
    CHECK(m5_text.find("2.62 MB!") == std::string::npos);
    CHECK(m5_text.find("above the nominal size") != std::string::npos);
    CHECK(m5_text.find("no: target") != std::string::npos);
    CHECK(residency_report(model, h14).str().find("working set decompiled") != std::string::npos);

    std::ostringstream stream;
    stream << m1_report;
    CHECK(stream.str() == text);
    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    m1_report.print(file);
    std::string written(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    CHECK(std::fread(written.data(), 1, written.size(), file) == written.size());
    std::fclose(file);
    CHECK(written == text);
}
