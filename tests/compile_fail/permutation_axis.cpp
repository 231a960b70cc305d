// A permutation that names an axis before the first one.
// expect: shape_fault<ane::op::transpose, ane::fault::axis_must_be_one_of_the_tensor, -3, 2>
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
