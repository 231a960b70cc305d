// A pixel shuffle whose block does not divide the channels.
// expect: the channels must be divisible by the product of the factors (R098)
// expect-gcc: got = 12; long int want = 16
// expect-clang: '12L % 16L == 0'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
#ifdef OK
    auto y = pixel_shuffle<2>(x);
#else
    auto y = pixel_shuffle<4>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
