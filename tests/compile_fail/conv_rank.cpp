// A convolution of a tensor without a batch axis.
// expect: shape_fault<ane::op::conv2d, ane::fault::input_must_have_rank_4_as_N_C_H_W, 3, 4>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<16, 8, 8>);
    auto w = g.weight("w", f16<16, 16, 3, 3>);
#ifdef OK
    auto y = conv2d(reshape<1, 16, 8, 8>(x), w);
#else
    auto y = conv2d(x, w);
#endif
    g.output("y"_s, y);
});

int main() {}
