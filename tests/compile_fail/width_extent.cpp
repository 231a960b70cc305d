// A row of 16385 elements.
// expect: design_rule<ane::op::input, ane::rule::tensor_width_exceeds, ane::target::h13, 16, 0, 16385, 16384
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = relu(g.input("x"_s, f16<1, 16384>));
#else
    auto y = relu(g.input("x"_s, f16<1, 16385>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
