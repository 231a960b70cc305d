// An index of the largest of 2049 elements.
// expect: design_rule<ane::op::arg_max, ane::rule::arg_reduction_axis_exceeds, ane::target::h13, 16, 1, 2049, 2048
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = arg_max(g.input("x"_s, f16<4, 2048>));
#else
    auto y = arg_max(g.input("x"_s, f16<4, 2049>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
