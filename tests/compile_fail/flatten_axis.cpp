// Flattening from an axis that is not there.
// expect: shape_fault<ane::op::reshape, ane::fault::axis_must_be_one_of_the_tensor, 7, 3>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<2, 3>);
#ifdef OK
    auto y = flatten<axis{1}>(x);
#else
    auto y = flatten<axis{7}>(x);
#endif
    g.output("y"_s, y);
});
