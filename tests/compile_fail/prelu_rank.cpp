// One slope for each channel of a tensor without channels.
// expect: shape_fault<ane::op::prelu, ane::fault::input_must_have_channels_on_axis_1_and_rank_3, 2, 3>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto slope = g.weight("slope", f16<16>);
#ifdef OK
    auto y = prelu(reshape<1, 16, 1>(x), slope);
#else
    auto y = prelu(x, slope);
#endif
    g.output("y"_s, y);
});

int main() {}
