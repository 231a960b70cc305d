// An axis with two elements is squeezed.
// expect: shape_fault<ane::op::reshape, ane::fault::squeezed_axis_must_have_extent_1_R128, 2, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 2, 8>);
#ifdef OK
    auto y = squeeze<axes{0}>(x);
#else
    auto y = squeeze<axes{1}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
