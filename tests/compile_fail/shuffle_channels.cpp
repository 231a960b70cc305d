// A pixel shuffle whose block does not divide the channels.
// expect: shape_fault<ane::op::pixel_shuffle, ane::fault::channels_must_be_divisible_by_the_factors_R098, 12, 16>
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
