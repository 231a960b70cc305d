// A model that takes longer than its budget: the message names the costliest layer.
// expect: budget_exceeded<ane::target::h13,
// expect: 400, ane::op::linear, 16, 6,
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/budget.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 1024>);
    auto y = linear(x, g.weight("fc1.weight", f16<1024, 1024>));
#ifndef OK
    y = linear(linear(y, g.weight("fc2.weight", f16<16384, 1024>)), g.weight("fc3.weight", f16<1024, 16384>));
#endif
    g.output("y"_s, relu(y));
});
static_assert(within_budget<model, h13, microseconds{400}>);

int main() {}
