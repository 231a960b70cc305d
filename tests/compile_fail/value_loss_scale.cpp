// Windows of a gradient that was multiplied by a large loss scale.
// expect: design_rule<ane::op::slice, ane::rule::width_slice_may_saturate, ane::target::h13, 19, 3, 8192, 4094
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto dy = g.input("dy"_s, f16<1, 4, 8, 10>, within(-8, 8));
#ifdef OK
    auto scaled = mul(dy, 256);
#else
    auto scaled = mul(dy, 1024);
#endif
    g.output("y"_s, slice<window{{0, 0, 0, 2}, {1, 4, 8, 8}}>(scaled)); // line
});
static_assert(conforms<model, h13>);

int main() {}
