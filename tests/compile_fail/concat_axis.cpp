// An axis before the first one.
// expect: the axis must be one of the tensor's axes
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
