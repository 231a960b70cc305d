// Operands of concat differ on another axis than the joined one.
// expect: shape_fault<ane::op::concat, ane::fault::extents_must_be_equal_but_on_the_joined_axis, 7, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto z = g.input("z"_s, f16<1, 4, 7, 8>);
#ifdef OK
    auto y = concat<axis{1}>(x, slice<window{{0, 0, 0, 0}, {1, 4, 8, 8}}>(x));
    (void)z;
#else
    auto y = concat<axis{1}>(x, z);
#endif
    g.output("y"_s, y);
});

int main() {}
