// A reduction over an axis that the tensor does not have.
// expect: shape_fault<ane::op::reduce_mean, ane::fault::axis_must_be_one_of_the_tensor, 4, 4>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reduce_mean<axes{3}>(x);
#else
    auto y = reduce_mean<axes{4}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
