// A group count that does not divide the channels.
// expect: shape_fault<ane::op::conv2d, ane::fault::groups_must_divide_the_input_channels_R037, 16, 3>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = conv2d<conv{.groups = 4}>(x, g.weight("w", f16<16, 4, 3, 3>));
#else
    auto y = conv2d<conv{.groups = 3}>(x, g.weight("w", f16<16, 4, 3, 3>));
#endif
    g.output("y"_s, y);
});

int main() {}
