// SARIF and JSON of the rules: URIs and texts here; whole documents by tests/python/sarif.py with Python's own reader.

#include "anemone/report/sarif.hpp"

#include "anemone/report/artifact.hpp"
#include "anemone/report/rule_report.hpp"
#include "anemone/report/shared_violation.hpp"
#include "anemone/report/verdicts.hpp"
#include "reported_models.hpp"
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace ane;
using namespace reported_models;

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

TEST_CASE("hazards that are only told of, and what no rule says") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto x = b.input("x"_s, f16<1, 64>, within(-1000, 1000));
        b.output("y"_s, linear(x, b.weight("w"_s, f16<64, 64>, bounded(1))));
    });
    const auto is_hazard = [](const violation& v) { return v.rule == rule::contraction_may_reach_ceiling; };
    const report_policy lenient({}, {rule::contraction_may_reach_ceiling});
    const report_policy strict(as_error(rule::contraction_may_reach_ceiling), lenient.warnings);
    CHECK_FALSE(verdicts(g).ok());
    CHECK_FALSE(verdicts(g, macs, strict).ok());
    const verdict_table told = verdicts(g, macs, lenient);
    CHECK(told.ok());
    for (const target_verdict& row : told.rows()) {
        const auto found = std::find_if(row.found.begin(), row.found.end(), is_hazard);
        REQUIRE(found != row.found.end()); // it is still there
        CHECK_FALSE(found->is_error);
        CHECK(found->got == 64000);
        CHECK(row.seconds.has_value());
        CHECK(row.residency.kernel_bytes == 64 * 64 * 2);
    }
    const aside seen{weight_digits, severity::warn, "half of {w} is gone", "/src/w.bin", 3};
    const std::string log = sarif(g, macs, {.root = "/src", .rules = lenient, .observed = {seen, seen}});
    CHECK(log.find("\"error\"") == std::string::npos);
    CHECK(log.find("half of {{w}} is gone.") != std::string::npos);
    CHECK(log.find("\"uri\": \"w.bin\"") != std::string::npos);
    CHECK(log.find("\"id\": \"weights.digits\"") == log.rfind("\"id\": \"weights.digits\"")); // one rule, two results
    CHECK(told.json("m", std::vector{seen}).find("\"message\": \"half of {w} is gone\"") != std::string::npos);
}

TEST_CASE("an error names the first target that takes its layer") {
    const verdict_table all = verdicts(ordinary());
    const auto& row = all.rows().front();
    for (std::size_t i = 0; i < row.found.size(); ++i) {
        const bool names = all.sentence(0, i).find("the first target that takes it is h16") != std::string::npos;
        CHECK(names == (row.found[i].rule == rule::kernel_width_exceeds));
    }
    CHECK(all.json().find("\"first_target\": \"h16\"") != std::string::npos);
}
