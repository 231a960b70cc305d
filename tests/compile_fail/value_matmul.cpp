// A matrix product whose rows are declared to add up to 32768.
// expect: design_rule<ane::op::linear, ane::rule::contraction_may_reach_ceiling, ane::target::h13, 19, 2, 32768, 32768
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<16, 4096>, within(-8, 8));
#ifdef OK
    auto w = g.weight("w", f16<64, 4096>, row_l1(4094));
#else
    auto w = g.weight("w", f16<64, 4096>, row_l1(4096));
#endif
    g.output("y"_s, linear(x, w)); // line
});
static_assert(conforms<model, h13>);

int main() {}
