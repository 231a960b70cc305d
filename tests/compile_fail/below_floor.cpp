// Softmax on a target before A13.
// expect: design_rule<ane::op::softmax, ane::rule::operation_below_its_floor, ane::target::h12, 17, 1, 1, 2
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
    auto y = relu(x);
#else
    auto y = softmax(x);
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h12>);

int main() {}
