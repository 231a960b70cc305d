// Indices for each element of the result, with another extent on an axis that is not gathered.
// expect: shape_fault<ane::op::gather_along_axis, ane::fault::indices_must_have_the_extents_of_every_other_axis, 7, 8>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
    auto i = g.input("i"_s, f16<1, 5, 8, 8>);
    auto j = g.input("j"_s, f16<1, 5, 7, 8>);
#ifdef OK
    (void)j;
    auto y = gather_along_axis<axis{1}>(x, i);
#else
    (void)i;
    auto y = gather_along_axis<axis{1}>(x, j);
#endif
    g.output("y"_s, y);
});

int main() {}
