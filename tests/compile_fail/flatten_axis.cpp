// Flattening from an axis that is not there.
// expect: the axis must be one of the tensor's axes
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
