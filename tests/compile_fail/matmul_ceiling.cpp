// Declared ranges whose products may add up to more than the engine can store.
// expect: design_rule<ane::op::linear, ane::rule::contraction_may_reach_ceiling, ane::target::h13, 17, 2, 65536, 32768
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 1024>, within(0, 64));
#ifdef OK
    auto y = linear(x, g.weight("w", f16<10, 1024>, bounded(0.25)));
#else
    auto y = linear(x, g.weight("w", f16<10, 1024>, bounded(1)));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
