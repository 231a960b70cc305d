// Padding on the channel axis.
// expect: design_rule<ane::op::pad, ane::rule::padding_is_not_on_height_or_width, ane::target::h13, 17, 2, 1, 2
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
    auto y = pad<pads{{0, 0, 1, 1}, {0, 0, 1, 1}}>(x);
#else
    auto y = pad<pads{{0, 1, 0, 0}, {0, 1, 0, 0}}>(x);
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
