#include <anemone/build.hpp>
#include <anemone/cost/cost.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/report/cost_report.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace ane;

namespace {

constexpr auto costed = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 8, 16, 16>);
    auto c = conv2d<conv{.padding = same}>(x, g.weight("w"_s, f16<8, 8, 3, 3>), g.weight("b"_s, f16<8>));
    g.output("y"_s, relu(c));
});

} // namespace

TEST_CASE("costs in words") {
    const lowered_graph lowered = lower(costed);
    CHECK(
        cost_line(estimate(lowered.view(), h13)) ==
        "0.60 MFLOP, 17.6 kB, 34.1 FLOP/byte, dispatch-bound on h13 (M1): between 0.18 and 0.26 ms, typically 0.21 ms, 0.36 mJ, of which the engine 0.16 mJ (measured fit)");
    CHECK(cost_line(estimate(lowered.view(), u1)).find("time on u1 (reference) not known") != std::string::npos);
    CHECK(cost_line(estimate(lowered.view(), h15)).find("(predicted)") != std::string::npos);
    const std::string table = cost_report(costed, h13);
    CHECK(table.find("conv2d + add + relu #") != std::string::npos);
    CHECK(table.find("[2, 8, 16, 16]") != std::string::npos);
    CHECK(cost_report(costed, u1).find("not known") != std::string::npos);
}
