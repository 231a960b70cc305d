// A reshape with two extents that are left open.
// expect: shape_fault<ane::op::reshape, ane::fault::one_extent_may_be_minus_1_for_what_the_others_leave, 2, 1>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reshape<1, 16, -1>(x);
#else
    auto y = reshape<1, -1, -1>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
