// An image [C, H, W] goes into a convolution.
// expect: shape_fault<ane::op::conv2d, ane::fault::input_must_have_rank_4_as_N_C_H_W, 3, 4>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, f16<3, 32, 32>);
    auto w = g.weight("stem.w", f16<16, 3, 3, 3>);
#ifdef OK
    auto y = conv2d(reshape<1, 3, 32, 32>(x), w);
#else
    auto y = conv2d(x, w);
#endif
    g.output("y"_s, y);
});

int main() {}
