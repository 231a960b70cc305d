// The report at run time: sentences, counts, colour.

#include "anemone/rules/report.hpp"

#include "anemone/build.hpp"
#include "anemone/ops/ops.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace ane;

namespace {
const dynamic_graph& model() {
    static const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16, 32, 32>);
#line 41 "models/model.cpp"
        auto a = conv2d(x, b.weight("stem.weight", f16<16, 16, 3, 14>));
        b.output("y"_s, slice<window{{0, 0, 0, 1}, {1, 16, 30, 8}}>(relu(a)));
    });
    return g;
}
} // namespace

TEST_CASE("a sentence for each finding") {
    const rule_report r = report(model(), h13);
    const std::string text = r.str();
    CHECK(
        text.find(
            "reject: conv2d \"stem\" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); try: swap the axes") !=
        std::string::npos);
    CHECK(text.find("[R030, measured]") != std::string::npos);
    CHECK(text.find("hazard: slice \"y\" (model.cpp:42): begins inside the last axis") != std::string::npos);
    CHECK(text.find("warn: ") != std::string::npos);
    CHECK(text.find("h13 (M1 base): 2 errors, ") != std::string::npos);
    CHECK_FALSE(r.ok());
    CHECK(r.errors() == 2);
    for (const violation& v : r.found()) {
        CHECK(v.is_error == (v.severity != severity::warn));
        CHECK(text.find('{') == std::string::npos);
    }
}

TEST_CASE("a later target, a waived rule, an error by declaration") {
    CHECK(report(model(), h16).ok());
    CHECK_FALSE(report(model(), h13, waive(rule::kernel_width_exceeds)).ok());
    CHECK(report(model(), h13, waive(rule::kernel_width_exceeds, rule::width_slice_may_saturate)).ok());
    const rule_report strict = report(model(), h16, as_error(rule::width_is_not_a_granule));
    CHECK_FALSE(strict.ok());
    CHECK(strict.str().find("error: conv2d \"stem\" (model.cpp:41): rows of 38 bytes are padded to a multiple of 16") !=
          std::string::npos);
}

TEST_CASE("colour on demand, plain in a stream and in a file") {
    const rule_report r = report(model(), h13);
    CHECK(r.str(true).find("\x1b[1;31mreject\x1b[0m: conv2d") != std::string::npos);
    std::ostringstream stream;
    stream << r;
    CHECK(stream.str() == r.str());
    CHECK(stream.str().find('\x1b') == std::string::npos);

    std::FILE* file = std::tmpfile();
    REQUIRE(file != nullptr);
    r.print(file);
    std::string written(static_cast<std::size_t>(std::ftell(file)), '\0');
    std::rewind(file);
    CHECK(std::fread(written.data(), 1, written.size(), file) == written.size());
    std::fclose(file);
    CHECK(written == r.str());
}

TEST_CASE("a device without a product and a node without a name") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 1, 1, 1, 1, 2>);
        b.output("y"_s, relu(abs(x)));
    });
    const std::string text = report(g, derive(describe(h13),
                                              [](auto& d) {
                                                  d.product = "";
                                                  d.runtime = "h13x";
                                              }))
                                 .str();
    CHECK(text.find("abs #1 (") != std::string::npos);
    CHECK(text.find("rank 6 exceeds 5 on h13x; try: reshape or split [R010, measured]") != std::string::npos);
}

TEST_CASE("every sentence can be filled in") {
    for (std::size_t i = 0; i < rule_count; ++i) {
        violation v;
        v.rule = static_cast<rule>(i);
        v.node = 1;
        v.got = 123;
        v.limit = 45;
        const std::string text = format(v, model());
        CHECK(text.find('{') == std::string::npos);
    }
}
