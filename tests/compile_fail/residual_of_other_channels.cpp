// A residual connection around a convolution that doubles the channels.
// expect: shape_fault<ane::op::add, ane::fault::extents_must_be_equal_or_one_R026, 64, 128>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 64, 28, 28>);
    auto h = conv2d<conv{.padding = same}>(x, g.weight("w", f16<128, 64, 3, 3>));
#ifdef OK
    auto y = relu(add(conv2d(x, g.weight("p", f16<128, 64, 1, 1>)), h));
#else
    auto y = relu(add(x, h));
#endif
    g.output("y"_s, y);
});

int main() {}
