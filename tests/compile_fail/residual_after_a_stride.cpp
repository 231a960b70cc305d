// A residual connection around a convolution with a stride.
// expect: shape_fault<ane::op::add, ane::fault::extents_must_be_equal_or_one_R026, 56, 28>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 64, 56, 56>);
    auto h = conv2d<conv{.stride = 2, .padding = same}>(x, g.weight("w", f16<64, 64, 3, 3>));
#ifdef OK
    auto y = relu(max_pool<pool{.kernel = 2}>(x) + h);
#else
    auto y = relu(x + h);
#endif
    g.output("y"_s, y);
});

int main() {}
