// A byte image goes into a convolution as it is.
// expect: shape_fault<ane::op::conv2d, ane::fault::operands_must_be_fp16_use_to_f16_R002, 1, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, u8<1, 3, 32, 32>);
    auto w = g.weight("stem.w", f16<16, 3, 3, 3>);
#ifdef OK
    auto y = conv2d(to_f16(x), w);
#else
    auto y = conv2d(x, w);
#endif
    g.output("y"_s, y);
});

int main() {}
