// A tensor beyond the on-chip memory, in a model that declares that an error.
// expect: design_rule<ane::op::relu, ane::rule::working_set_exceeds, ane::target::h14, 16, 1, 2099200, 2097152
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = relu(g.input("x"_s, f16<1, 1, 1024, 1024>));
#else
    auto y = relu(g.input("x"_s, f16<1, 1, 1025, 1024>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h14, as_error(rule::working_set_exceeds)>);

int main() {}
