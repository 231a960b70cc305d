// An image without its batch axis is resized.
// expect: the input must have this rank (NCHW for windows)
// expect-gcc: (3 == 4)
// expect-clang: '3L == 4L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
    auto z = g.input("z"_s, f16<12, 8, 8>);
#ifdef OK
    (void)z;
    auto y = upsample_bilinear<2>(x);
#else
    (void)x;
    auto y = upsample_bilinear<2>(z);
#endif
    g.output("y"_s, y);
});

int main() {}
