// A reference that ends before the largest disparity.
// expect: shape_fault<ane::op::cost_volume, ane::fault::reference_must_be_as_wide_as_image_and_disparities, 66, 67>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 1, 32, 64>);
    auto r = g.input("r"_s, f16<1, 1, 32, 66>);
#ifdef OK
    auto y = cost_volume<3>(x, r);
#else
    auto y = cost_volume<4>(x, r);
#endif
    g.output("y"_s, y);
});

int main() {}
