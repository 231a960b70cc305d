// A decoder joins an upsampled map with a skip connection of another height.
// expect: shape_fault<ane::op::concat, ane::fault::extents_must_be_equal_but_on_the_joined_axis, 29, 28>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<1, 8, 29, 29>);
    auto skip = relu(conv2d<conv{.padding = same}>(x, g.weight("down.w", f16<16, 8, 3, 3>)));
    auto low = max_pool<pool{.kernel = 2}>(skip);
    auto up = upsample_bilinear<2>(low);
#ifdef OK
    auto y = concat<axis{1}>(up, crop<0, 1, 0, 1>(skip));
#else
    auto y = concat<axis{1}>(up, skip);
#endif
    g.output("y"_s, y);
});

int main() {}
