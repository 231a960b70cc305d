// A reflecting pad as large as its axis.
// expect: shape_fault<ane::op::reflect_pad, ane::fault::mirrored_padding_must_not_exceed_the_axis, 8, 7>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = reflect_pad<pads{{0, 7}, {0, 0}}>(x);
#else
    auto y = reflect_pad<pads{{0, 8}, {0, 0}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
