// A convolution whose weight comes first.
// expect: shape_fault<ane::op::conv2d, ane::fault::the_image_comes_first_and_the_weight_second, 8, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto w = g.weight("w", f16<32, 16, 3, 3>);
#ifdef OK
    auto y = conv2d(x, w);
#else
    auto y = conv2d(w, x);
#endif
    g.output("y"_s, y);
});

int main() {}
