// A tensor of rank six.
// expect: design_rule<ane::op::input, ane::rule::rank_exceeds_five, ane::target::h13, 16, 0, 6, 5
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = relu(g.input("x"_s, f16<1, 2, 2, 2, 2>));
#else
    auto y = relu(g.input("x"_s, f16<1, 1, 2, 2, 2, 2>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
