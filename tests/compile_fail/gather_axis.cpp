// A gather along an axis that the tensor does not have.
// expect: shape_fault<ane::op::gather, ane::fault::axis_must_be_one_of_the_tensor, 4, 4>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
    auto i = g.input("i"_s, f16<5>);
#ifdef OK
    auto y = gather<axis{3}>(x, i);
#else
    auto y = gather<axis{4}>(x, i);
#endif
    g.output("y"_s, y);
});

int main() {}
