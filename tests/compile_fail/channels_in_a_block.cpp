// A block is used on a tensor with other channels than its weight has.
// expect: shape_fault<ane::op::conv2d, ane::fault::weight_channels_times_groups_must_equal_the_input_channels, 64, 32>
#include <anemone/model.hpp>

using namespace ane;

template <int Channels, class Tensor> constexpr auto block(builder g, Tensor x) {
    return relu(conv2d<conv{.padding = same}>(x, g.weight("w", f16<Channels, Channels, 3, 3>))); // here
}

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<1, 3, 32, 32>);
    auto h = relu(conv2d(x, g.weight("stem.w", f16<32, 3, 3, 3>)));
#ifdef OK
    auto y = block<32>(g.scope("second"), h);
#else
    auto y = block<64>(g.scope("second"), h);
#endif
    g.output("y"_s, y);
});

int main() {}
