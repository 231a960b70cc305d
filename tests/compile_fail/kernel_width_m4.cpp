// A kernel of width 16 on generations from A16 on.
// expect: design_rule<ane::op::conv2d, ane::rule::kernel_width_exceeds, ane::target::h16, 17, 2, 16, 15
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 32, 32>);
#ifdef OK
    auto y = conv2d(x, g.weight("w", f16<16, 16, 3, 15>));
#else
    auto y = conv2d(x, g.weight("w", f16<16, 16, 3, 16>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, from<h16>>);

int main() {}
