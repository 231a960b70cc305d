// A convolution whose weight is an input, at batch two.
// expect: design_rule<ane::op::conv2d, ane::rule::dynamic_weight_batch_exceeds_one, ane::target::h13, 17, 2, 2, 1
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto w = g.input("w"_s, f16<4, 4, 3, 3>);
#ifdef OK
    auto y = conv2d(g.input("x"_s, f16<1, 4, 8, 8>), w);
#else
    auto y = conv2d(g.input("x"_s, f16<2, 4, 8, 8>), w);
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
