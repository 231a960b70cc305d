// A convolution whose weight is computed in the graph, at batch two.
// expect: design_rule<ane::op::conv2d, ane::rule::dynamic_weight_batch_exceeds_one, ane::target::h13, 19, 3, 2, 1
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto x = g.input("x"_s, f16<1, 4, 8, 8>);
#else
    auto x = g.input("x"_s, f16<2, 4, 8, 8>);
#endif
    auto w = relu(g.input("w"_s, f16<4, 4, 3, 3>));
    g.output("y"_s, conv2d(x, w)); // line
});
static_assert(conforms<model, h13>);

int main() {}
