// A weight for three channels on an image that has one.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 3, 1>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<1, 1, 28, 28>);
#ifdef OK
    auto y = conv2d(x, g.weight("stem.w", f16<16, 1, 3, 3>), g.weight("stem.b", f16<16>));
#else
    auto y = conv2d(x, g.weight("stem.w", f16<16, 3, 3, 3>), g.weight("stem.b", f16<16>));
#endif
    g.output("y"_s, relu(y));
});

int main() {}
