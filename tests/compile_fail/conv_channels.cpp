// A weight whose input channels are not the tensor's.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 8, 16>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = conv2d(x, g.weight("w", f16<32, 16, 3, 3>));
#else
    auto y = conv2d(x, g.weight("w", f16<32, 8, 3, 3>));
#endif
    g.output("y"_s, y);
});

int main() {}
