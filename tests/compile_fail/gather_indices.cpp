// Indices for each element of the result, with another extent on an axis that is not gathered.
// expect: gather_along_axis: the indices must have the tensor's extents on every other axis
// expect-gcc: (7 == 8)
// expect-clang: '7L == 8L'
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
