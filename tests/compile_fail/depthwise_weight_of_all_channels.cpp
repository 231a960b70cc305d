// A depthwise convolution with the weight of a full one.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 256, 16>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = conv2d<conv{.padding = same, .groups = 16}>(x, g.weight("w", f16<16, 1, 3, 3>));
#else
    auto y = conv2d<conv{.padding = same, .groups = 16}>(x, g.weight("w", f16<16, 16, 3, 3>));
#endif
    g.output("y"_s, y);
});

int main() {}
