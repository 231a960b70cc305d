// Three values of a megabyte alive together, in a model that declares a cut schedule an error.
// expect: design_rule<ane::op::add, ane::rule::live_set_exceeds, ane::target::h13, 19, 3, 3145728, 2097152
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 8, 256, 256>);
    auto y = relu(x);
    auto z = exp(y);
#ifdef OK
    g.output("y"_s, z);
#else
    g.output("y"_s, add(z, y));
#endif
});
static_assert(conforms<model, h13, as_error(rule::live_set_exceeds)>);

int main() {}
