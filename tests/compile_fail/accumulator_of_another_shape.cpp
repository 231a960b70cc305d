// A sum that is wider than the variable which it is added to.
// expect: shape_fault<ane::op::add, ane::fault::the_left_side_of_an_assignment_keeps_its_extents, 64, 1>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<8, 64>);
    auto sum = reduce_sum<axes{1}>(x);
#ifdef OK
    auto y = x + sum;
#else
    auto y = sum += x;
#endif
    g.output("y"_s, y);
});

int main() {}
