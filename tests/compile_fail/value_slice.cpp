// A slice inside the last axis of values that are declared to pass 4094.
// expect: design_rule<ane::op::slice, ane::rule::width_slice_may_saturate, ane::target::h13, 18, 1, 4096, 4094
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<4, 16>, within(-4094, 4094));
#else
    auto x = g.input("x"_s, f16<4, 16>, within(-4096, 4096));
#endif
    g.output("y"_s, slice<window{{0, 8}, {4, 8}}>(x)); // line
});
static_assert(conforms<model, h13>);

int main() {}
