// A slice that begins inside the last axis, of values that nothing bounds, on the M1.
// expect: design_rule<ane::op::slice, ane::rule::width_slice_may_saturate, ane::target::h13, 16, 1, 65504, 4094
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = slice<window{{0, 2}, {4, 4}}>(g.input("x"_s, f16<4, 8>, within(-1, 1)));
#else
    auto y = slice<window{{0, 2}, {4, 4}}>(g.input("x"_s, f16<4, 8>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, macs>);

int main() {}
