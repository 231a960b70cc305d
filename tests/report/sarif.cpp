// SARIF and JSON of the rules: URIs and texts here; whole documents by tests/python/sarif.py with Python's own reader.

#include "anemone/report/sarif.hpp"

#include "anemone/build.hpp"
#include "anemone/io/json.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/report/artifact.hpp"
#include "anemone/report/rule_report.hpp"
#include "anemone/report/shared_violation.hpp"
#include "anemone/report/verdicts.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

using namespace ane;

namespace {

void write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    REQUIRE(file.good());
}

/// A graph whose names, files and lines are what no author would write.
dynamic_graph hostile() {
    dynamic_graph g;
    const auto relu = [&g](std::string_view name, const char* file, int line, extents shape) {
        const std::string number = std::to_string(g.outputs.size());
        node n;
        n.attributes = contract{};
        n.shape = shape;
        n.name = g.intern("x" + number);
        n.where = {"/src/main.cpp", 10};
        const int operands[] = {g.append(n, {})};
        n.kind = op::relu;
        n.attributes = no_attributes{};
        n.name = g.intern(name);
        n.where = {file, line};
        g.add_output(g.append(n, operands), "y" + number);
    };
    relu("quote\" back\\slash {brace} [link](http://x) \x1b[2J \x01\x1f\x7f", "/src/a dir/m\"o\\d%el.cpp", 3,
         {1, 1, 1, 70000});
    relu("\u5377\u79ef \U0001F600 \u202e \u2028", "/src/\u6a21\u578b.cpp", 4, {1, 1, 1, 70001});
    relu("\xff\xfe\xc3", "/src/../src/./nested/x.cpp", 5, {1, 1, 1, 70002});
    relu("", "", 0, {1, 1, 1, 70003});
    relu(std::string_view("nul\0inside", 10), "relative dir/y.cpp", 0, {1, 1, 1, 70004});
    relu("elsewhere", "/other/z:1.cpp", 6, {1, 1, 1, 70005});
    return g;
}

dynamic_graph ordinary() {
    return build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16, 32, 32>);
#line 41 "/src/models/model.cpp"
        auto a = conv2d(x, b.weight("stem.weight", f16<16, 16, 3, 14>));
        b.output("y"_s, slice<window{{0, 0, 0, 1}, {1, 16, 30, 8}}>(relu(a)));
    });
}

/// Two layers of one scope.
dynamic_graph tied() {
    return build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16>);
        for (int i = 0; i < 2; ++i) {
#line 51 "/src/models/model.cpp"
            x = relu(linear(x, b.scope("layer", 0).weight("w", f16<16, 16>)));
        }
        b.output("y"_s, x);
    });
}

} // namespace

TEST_CASE("strings of JSON") {
    CHECK(json_string("") == "\"\"");
    CHECK(json_string("a\"b\\c/") == "\"a\\\"b\\\\c/\"");
    CHECK(json_string("\n\t\r\x01\x1f\x7f") == "\"\\n\\t\\u000d\\u0001\\u001f\\u007f\"");
    CHECK(json_string(std::string_view("a\0b", 3)) == "\"a\\u0000b\"");
    CHECK(json_string("\u5377\U0001F600") == "\"\u5377\U0001F600\"");
    CHECK(json_string("\u2028\u202e") == "\"\\u2028\\u202e\"");
    // Ill-formed: a stray byte, a cut sequence, an overlong form, a surrogate, beyond the last code point.
    CHECK(json_string("\xff") == "\"\uFFFD\"");
    CHECK(json_string("\xe5\x8d") == "\"\uFFFD\uFFFD\"");
    CHECK(json_string("\xc0\xaf") == "\"\uFFFD\uFFFD\"");
    CHECK(json_string("\xe0\x80\xaf") == "\"\uFFFD\uFFFD\uFFFD\"");
    CHECK(json_string("\xed\xa0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");
    CHECK(json_string("\xf4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
}

TEST_CASE("values, commas and brackets of JSON") {
    json_writer j;
    j.object().member("a", 1).member("b", true).key("c").array().end().key("d").object().end();
    j.key("e").array().value(-1.5).value("x").null().value(std::numeric_limits<double>::infinity()).end().end();
    CHECK(j.str() == "{\n  \"a\": 1,\n  \"b\": true,\n  \"c\": [],\n  \"d\": {},\n  \"e\": [\n    -1.5,\n    \"x\",\n"
                     "    null,\n    null\n  ]\n}\n");
    json_writer numbers;
    numbers.array().value(std::numeric_limits<std::int64_t>::min()).value(1e300).value(0.1).end();
    CHECK(numbers.str() == "[\n  -9223372036854775808,\n  1e+300,\n  0.1\n]\n");
}

TEST_CASE("where a file is") {
    using detail::artifact_of;
    CHECK(artifact_of("/src/models/model.cpp", "/src").uri == "models/model.cpp");
    CHECK(artifact_of("/src/models/model.cpp", "/src").below_root);
    CHECK(artifact_of("/src/models/model.cpp", "/src/").uri == "models/model.cpp");
    CHECK(artifact_of("/src/a/../b/x.cpp", "/src/./").uri == "b/x.cpp");
    CHECK(artifact_of("/src/..x/y.cpp", "/src").uri == "..x/y.cpp");
    CHECK(artifact_of("/src/a dir/m#1?.cpp", "/src").uri == "a%20dir/m%231%3F.cpp");
    CHECK(artifact_of("/src/\u6a21.cpp", "/src").uri == "%E6%A8%A1.cpp");
    CHECK(artifact_of("/other/z:1.cpp", "/src").uri == "file:///other/z%3A1.cpp");
    CHECK_FALSE(artifact_of("/other/z.cpp", "/src").below_root);
    CHECK_FALSE(artifact_of("/srcs/z.cpp", "/src").below_root);
    CHECK(artifact_of("tests/x.cpp", "/src").uri == "tests/x.cpp");
    CHECK(artifact_of("tests/x.cpp", "").uri == "tests/x.cpp");
    CHECK(artifact_of("/src/x.cpp", "").uri == "file:///src/x.cpp");
    CHECK(file_uri("/a b/") == "file:///a%20b/");
}

TEST_CASE("one result for a finding that is the same on several targets") {
    const dynamic_graph g = ordinary();
    const auto all = detail::shared_violations(g, macs, {});
    std::size_t found = 0;
    for (const auto& s : all) {
        found += s.targets.size();
        for (const target t : s.targets) {
            CHECK(macs.contains(t));
        }
    }
    std::size_t expected = 0;
    for (const target t : macs) {
        expected += violations(g, t).size();
    }
    CHECK(found == expected);
    CHECK(all.size() < expected);
    const std::string text = sarif(g, macs, {.root = "/src", .help_base = "", .rules = {}});
    CHECK(text.find(
              "kernel width 14 exceeds 13 on h13 (M1 base), h13g, h14, h14g, h15, h15g; the first target that takes "
              "it is h16 (M4 base); try: swap") != std::string::npos);
    CHECK(text.find("helpUri") == std::string::npos);
}

TEST_CASE("verdicts say that weights are shared, once for all targets") {
    const verdict_table all = verdicts(tied());
    REQUIRE(all.remarks().size() == 1);
    CHECK(
        all.remarks()[0].starts_with("1 weight is shared: \"layer.0.w\" [16, 16] is read by linear #2 (model.cpp:51)"));
    const std::string text = all.str();
    CHECK(text.find("\nnote: " + all.remarks()[0] + "\n") != std::string::npos);
    CHECK(text.find("\nnote: ") == text.rfind("\nnote: "));
    for (const target_verdict& row : all.rows()) {
        CHECK(row.counts.notes == report(tied(), row.target).notes());
    }
    CHECK(verdicts(ordinary()).remarks().empty());
    CHECK(sarif(ordinary(), macs).find("shared") == std::string::npos);
}

TEST_CASE("sarif files for the readers of other languages") {
    const char* const folder = std::getenv("ANEMONE_SARIF_DIR");
    if (folder == nullptr) {
        return;
    }
    const std::filesystem::path to = folder;
    const sarif_options options{.root = "/src", .help_base = "https://example.org/my%20rules/", .rules = {}};
    write(to / "hostile.sarif", sarif(hostile(), all_targets, options));
    write(to / "hostile.json", verdicts(hostile(), all_targets).json("\"{}\\\xff"));
    write(to / "ordinary.sarif", sarif(ordinary(), macs, options));
    write(to / "ordinary.json", verdicts(ordinary()).json("ordinary"));
    write(to / "strict.sarif",
          sarif(ordinary(), h16, {.root = {}, .help_base = {}, .rules = as_error(rule::width_is_not_a_granule)}));
    write(to / "tied.sarif", sarif(tied(), macs, options));
    write(to / "tied.json", verdicts(tied()).json("tied"));
    write(to / "empty.sarif", sarif(ordinary(), target_set{}, options));
    // Each code point and each byte, as names: how a reader takes them is known there.
    json_writer strings;
    strings.array();
    for (char32_t c = 0; c < 0x11000; ++c) {
        if (c < 0x80) {
            const char one = static_cast<char>(c);
            strings.value(std::string_view(&one, 1));
        } else if (c < 0x800) {
            const char two[] = {static_cast<char>(0xC0U | c >> 6U), static_cast<char>(0x80U | (c & 0x3FU))};
            strings.value(std::string_view(two, 2));
        } else if (c < 0xD800 || (c > 0xDFFF && c < 0x10000)) {
            const char three[] = {static_cast<char>(0xE0U | c >> 12U), static_cast<char>(0x80U | (c >> 6U & 0x3FU)),
                                  static_cast<char>(0x80U | (c & 0x3FU))};
            strings.value(std::string_view(three, 3));
        }
    }
    strings.end();
    write(to / "strings.json", strings.str());
}
