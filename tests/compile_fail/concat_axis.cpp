// An axis before the first one.
// expect: shape_fault<ane::op::concat, ane::fault::axis_must_be_one_of_the_tensor, -3, 2>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3>);
#ifdef OK
    auto y = concat<axis{-2}>(x, x);
#else
    auto y = concat<axis{-3}>(x, x);
#endif
    g.output("y"_s, y);
});
