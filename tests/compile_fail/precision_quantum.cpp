// Operands of order 1/sqrt(K): the products sit near the accumulator's quantum, a warning that was raised to an error.
// expect: design_rule<ane::op::linear, ane::rule::products_are_near_the_quantum, ane::target::h13, 19, 2, 273, 20
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr contract small = bounded(0.125) & deviating(1.0 / 64);

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<64, 4096>, small);
    auto w = g.weight("w", f16<64, 4096>, small);
#ifdef OK
    g.output("y"_s, linear(x, scaled<7>(w)));
#else
    g.output("y"_s, linear(x, w));
#endif
});
static_assert(conforms<model, h13, as_error(rule::products_are_near_the_quantum)>);

int main() {}
