// Tensors of two shapes are stacked.
// expect: shape_fault<ane::op::concat, ane::fault::extents_must_be_equal_but_on_the_joined_axis, 6, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto z = g.input("z"_s, f16<4, 6>);
#ifdef OK
    (void)z;
    auto y = stack(x, x);
#else
    auto y = stack(x, z);
#endif
    g.output("y"_s, y);
});

int main() {}
