// The report at run time: sentences, counts, drawings, colour.

#include "anemone/report/rule_report.hpp"

#include "anemone/build.hpp"
#include "anemone/cost/cost.hpp"
#include "anemone/ops/ops.hpp"
#include "anemone/passes/lowering.hpp"
#include "anemone/report/terminal.hpp"
#include "anemone/report/verdicts.hpp"
#include "anemone/rules/phrases.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

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
            "reject: conv2d \"stem\" (model.cpp:41): kernel width 14 exceeds 13 on h13 (M1 base); the first target that "
            "takes it is h16 (M4 base); try: swap the axes") != std::string::npos);
    CHECK(text.find("[R030, measured]") != std::string::npos);
    CHECK(text.find("hazard: slice \"y\" (model.cpp:42): begins inside the last axis") != std::string::npos);
    CHECK(text.find("warn: ") != std::string::npos);
    CHECK(text.find("h13 (M1 base): 2 errors, ") != std::string::npos);
    CHECK_FALSE(r.ok());
    CHECK(r.errors() == 2);
    for (const violation& v : r.found()) {
        CHECK(v.is_error == (v.severity == severity::reject || v.severity == severity::hazard));
        CHECK(text.find("{got}") == std::string::npos);
    }
}

TEST_CASE("a later target, a waived rule, an error by declaration") {
    CHECK(report(model(), h16).ok());
    CHECK_FALSE(report(model(), h13, waive(rule::kernel_width_exceeds)).ok());
    CHECK(report(model(), h13, waive(rule::kernel_width_exceeds, rule::width_slice_may_saturate)).ok());
    const rule_report strict = report(model(), h16, as_error(rule::width_is_not_a_granule));
    CHECK_FALSE(strict.ok());
    CHECK(strict.str().find("error: conv2d \"stem\" (model.cpp:41): rows of 38 bytes are padded to a multiple of 16 on "
                            "h16 (M4 base); no Mac takes it; try:") != std::string::npos);
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
    CHECK(text.find("rank 6 exceeds 5 on h13x; no Mac takes it; try: reshape or split [R010, measured]") !=
          std::string::npos);
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

namespace {

/// A finding that the registry has no record of, to be formatted alone.
violation finding_of(rule r, std::int64_t got, std::int64_t limit) {
    violation v;
    v.broken = true;
    v.rule = r;
    v.severity = record_of(r).level;
    v.got = got;
    v.limit = limit;
    return v;
}

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("plurals and the words of a count") {
    CHECK(detail::counted_findings(1, 2, 0) == "1 error, 2 warnings");
    CHECK(detail::counted_findings(0, 1, 1) == "0 errors, 1 warning, 1 note");
    CHECK(detail::counted_findings(2, 0, 3) == "2 errors, 0 warnings, 3 notes");
}

TEST_CASE("every severity has a colour of its own; a raised warning is red") {
    CHECK(detail::colour_of(severity::reject, true) == "\x1b[1;31m");
    CHECK(detail::colour_of(severity::hazard, true) == "\x1b[1;35m");
    CHECK(detail::colour_of(severity::warn, false) == "\x1b[33m");
    CHECK(detail::colour_of(severity::note, false) == "\x1b[36m");
    CHECK(detail::colour_of(severity::warn, true) == "\x1b[1;31m");
    CHECK(detail::colour_of(severity::note, true) == "\x1b[1;31m");
}

TEST_CASE("a magnitude that nothing bounds is told as infinity") {
    const std::string text = format(finding_of(rule::width_slice_may_saturate, 1'000'000'000'000'000, 4094), model());
    CHECK(text.find("values up to infinity may occur: above 4094") != std::string::npos);
}

TEST_CASE("advice that lists alternatives is told as several suggestions") {
    const auto suggested = [](const char* advice) {
        rule_record r = record_of(rule::kernel_width_exceeds);
        r.advice = advice;
        return detail::suggestions_of(r);
    };
    using list = std::vector<std::string>;
    CHECK(suggested("").empty());
    CHECK(suggested("keep it; small") == list{"keep it; small"});
    CHECK(suggested("swap a or b") == list{"swap a or b"});
    CHECK(suggested("one, or two") == list{"one", "two"});
    CHECK(suggested("one, two, or within(a, b)") == list{"one", "two", "within(a, b)"});
    CHECK(suggested("flatten to [N, C], or wait") == list{"flatten to [N, C]", "wait"});
    CHECK(suggested("declare, so that it is known; or scale") == list{"declare, so that it is known", "scale"});
    const std::string text = format(finding_of(rule::width_slice_may_saturate, 5000, 4094), model());
    CHECK(text.find("; try: begin at 0; or: slice another axis; or: clamp the value to 4094; or: promise "
                    "a narrower range of the inputs that it is computed from [R090") != std::string::npos);
}

TEST_CASE("the neighbourhood of a node with the offending numbers marked") {
    violation wide = finding_of(rule::kernel_width_exceeds, 14, 13);
    wide.node = 2;
    const neighbourhood drawn = draw_neighbourhood(model(), wide);
    CHECK(drawn.str() == "      |   input   \"x\"            fp16 [1, 16, 32, 32]\n"
                         "      |   weight  \"stem.weight\"  fp16 [16, 16, 3, 14]\n"
                         "      |                                           ^^\n"
                         "      +=> conv2d  \"stem\"         fp16 [1, 16, 30, 19]  kernel 3\u00d714\n"
                         "      |                                                         ^^\n"
                         "      +-> relu    #3             fp16 [1, 16, 30, 19]\n");
    const std::string coloured = drawn.str(true);
    CHECK(coloured.find("[16, 16, 3, \x1b[1;31m14\x1b[0m]") != std::string::npos);
    CHECK(coloured.find('^') == std::string::npos);
    CHECK(lines_of(coloured) + 2 == lines_of(drawn.str()));

    // The number of an axis, of an operand or of a rank is not looked for in the shapes.
    CHECK(draw_neighbourhood(model(), finding_of(rule::rank_exceeds_five, 16, 5)).str().find('^') == std::string::npos);
}

TEST_CASE("drawings stand below the errors of a node, once, and can be left out") {
    const rule_report r = report(model(), h13);
    const std::string with = r.str(report_style{false, true});
    const std::string without = r.str(report_style{false, false});
    CHECK(with == r.str());
    CHECK(without.find("=>") == std::string::npos);
    std::size_t drawings = 0;
    for (std::size_t at = with.find("+=>"); at != std::string::npos; at = with.find("+=>", at + 1)) {
        ++drawings;
    }
    CHECK(drawings == 2); // the convolution and the slice
    CHECK(lines_of(without) == r.found().size() + 1);
    CHECK(report(model(), h16).str().find("=>") == std::string::npos); // warnings alone are not drawn
}

TEST_CASE("many operands and readers are counted, not drawn") {
    const dynamic_graph g = build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<4, 8>);
        auto y = relu(x);
        auto c = concat<axis{0}>(y, y, y, y, y, y, y, y, y);
        b.output("joined"_s, c);
        for (int i = 0; i < 9; ++i) {
            b.output("out" + std::to_string(i), abs(y));
        }
    });
    violation v;
    v.node = 2;
    v.operation = op::concat;
    CHECK(draw_neighbourhood(g, v).str().find("|   and 3 more\n") != std::string::npos);
    v.node = 1;
    CHECK(draw_neighbourhood(g, v).str().find("+-> and 4 more\n") != std::string::npos);
}

TEST_CASE("names with wide letters, controls and ill-formed bytes; no name; a file with blanks; no file") {
    CHECK(detail::display_width("stem") == 4);
    CHECK(detail::display_width("\u5377\u79ef") == 4); // two ideographs
    CHECK(detail::display_width("e\u0301") == 1);      // a combining accent
    CHECK(detail::display_width("\xff\xfe") == 2);     // one each
    CHECK(detail::printable("a\x1b[31mb") == "a\\u001b[31mb");
    CHECK(detail::printable("\u202e\xc3") == "\\u202e\\xc3");
    CHECK(detail::printable("\u5377") == "\u5377");
    CHECK(detail::padded("\u5377", 4) == "\u5377  ");

    dynamic_graph g;
    node input;
    input.shape = {1, 1, 4, 70000};
    input.attributes = contract{};
    input.name = g.intern("x");
    int last = g.append(input, {});
    node reader; // ports have identifiers for names, other nodes any
    reader.kind = op::relu;
    reader.shape = input.shape;
    reader.name = g.intern("\u5377\u79ef\x1b[2J");
    reader.where = {"/a dir/my model.cpp", 7};
    for (int i = 0; i < 3; ++i) {
        const int operands[] = {last};
        last = g.append(reader, operands);
        reader.name = {};
        reader.where = {};
    }
    g.add_output(last, "y");
    const std::string text = report(g, h13).str();
    CHECK(text.find("relu \"\u5377\u79ef\\u001b[2J\" (my model.cpp:7): width 70000 exceeds 16384") !=
          std::string::npos);
    CHECK(text.find("relu \"\"") == std::string::npos); // an empty name is none
    CHECK(text.find("relu #2: width 70000") != std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    // The number stands under the same column whatever the width of the letters.
    const std::size_t shape = text.find("+=> relu");
    REQUIRE(shape != std::string::npos);
    const std::size_t end = text.find('\n', shape);
    const std::string first = text.substr(text.rfind('\n', shape) + 1, end - text.rfind('\n', shape) - 1);
    const std::string second = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
    CHECK(detail::display_width(first.substr(0, first.find("70000"))) == second.find('^'));
}

TEST_CASE("the verdict of every target: counts, blockers once, exit codes, time") {
    const verdict_table all = verdicts(model(), macs);
    CHECK(all.rows().size() == 11);
    CHECK_FALSE(all.ok());
    CHECK(all.exit_code() == 1);
    for (const target_verdict& row : all.rows()) {
        const rule_report r = report(model(), row.target);
        CHECK(row.accepted() == r.ok());
        CHECK(row.counts.errors == r.errors());
        CHECK(row.counts.warnings == r.warnings());
        CHECK(row.first_blocker.empty() == r.ok());
        CHECK(row.seconds.has_value() == r.ok());
        if (row.seconds) {
            CHECK(*row.seconds == estimate(lower(model()).view(), row.target).seconds);
        }
    }
    const std::string text = all.str();
    CHECK(text.find("h13, h13g, h14, h14g, h15, h15g: conv2d \"stem\" (model.cpp:41): kernel width 14") !=
          std::string::npos);
    CHECK(lines_of(text) == 13); // a heading, eleven targets, one blocker
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(verdicts(model(), {h16, h17s}).exit_code() == 0);
    CHECK(verdicts(model(), {h16}, as_error(rule::width_is_not_a_granule)).exit_code() == 1);
    CHECK(verdicts(model(), target_set{}).exit_code() == 0);
}

TEST_CASE("a report says what stays between runs") {
    const auto text_of = [](auto function) { return report(build_graph(function), h13).str(); };
    const std::string one = text_of([](auto& b) {
        auto s = b.state("s"_s, f16<4, 8>);
        write(s, relu(b.input("x"_s, f16<4, 8>)));
        b.output("y"_s, read(s));
    });
    CHECK(one.find("note: a state of 64 bytes stays between runs (\"s\" fp16 [4, 8])") != std::string::npos);
    const std::string two = text_of([](auto& b) {
        auto s = b.state("s"_s, f16<4>);
        auto t = b.state("t"_s, f16<4>);
        write(s, b.input("x"_s, f16<4>));
        write(t, read(s));
    });
    CHECK(two.find("2 states of 16 bytes stay between runs") != std::string::npos);
    CHECK(two.find("inferred, run nowhere") != std::string::npos);
}
