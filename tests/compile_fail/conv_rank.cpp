// A convolution of a tensor without a batch axis.
// expect: the input must have this rank (NCHW for windows)
// expect-gcc: (3 == 4)
// expect-clang: '3L == 4L'
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
