#include <anemone/analysis/error_envelope.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/report/error_report.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace ane;

TEST_CASE("both products of an attention are in the report, and the scale is named") {
    const dynamic_graph g = build_graph([](auto& b) {
        auto q = b.input("q"_s, f16<1, 2, 1024, 64>, bounded(0.25) & deviating(0.05));
        b.output("y"_s, attention(q, q, q));
    });
    CHECK(error_envelope(g).empty());
    const error_report report = report_errors(g, h13);
    REQUIRE(report.errors().size() == 2);
    CHECK(report.errors()[0].terms == 64);
    CHECK(report.errors()[1].terms == 1024);
    CHECK(report.errors()[1].scale > 0); // shares of about 2^-10 times values of 2^-4
    CHECK(report.str().find("attention") != std::string::npos);
    CHECK(report.str().find(fmt::format("scaled<{}>", report.errors()[1].scale)) != std::string::npos);
}
