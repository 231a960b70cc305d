// A permutation that names an axis before the first one.
// expect: the axis must be one of the tensor's axes
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3>);
#ifdef OK
    auto y = transpose<permutation{-1, 0}>(x);
#else
    auto y = transpose<permutation{0, -3}>(x);
#endif
    g.output("y"_s, y);
});
