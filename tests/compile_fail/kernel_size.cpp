// A kernel that is larger than the padded image.
// expect: shape_fault<ane::op::conv2d, ane::fault::kernel_must_fit_into_the_padded_height_R033, 9, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = conv2d<conv{.padding = 1}>(x, g.weight("w", f16<16, 16, 9, 3>));
#else
    auto y = conv2d(x, g.weight("w", f16<16, 16, 9, 3>));
#endif
    g.output("y"_s, y);
});

int main() {}
