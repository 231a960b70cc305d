// 65537 channels.
// expect: design_rule<ane::op::input, ane::rule::tensor_channels_exceed, ane::target::h13, 16, 0, 65537, 65536
// forbid: exceeds maximum
// forbid: step limit
// forbid: called in a constant expression
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/rules/conforms.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
#ifdef OK
    auto y = relu(g.input("x"_s, f16<1, 65536, 1, 1>));
#else
    auto y = relu(g.input("x"_s, f16<1, 65537, 1, 1>));
#endif
    g.output("y"_s, y);
});
static_assert(conforms<model, h13>);

int main() {}
