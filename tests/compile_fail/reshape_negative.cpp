// Negative extents whose product is right.
// expect: shape_fault<ane::op::reshape, ane::fault::every_extent_must_be_at_least_1_R019, -2, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<6>);
#ifdef OK
    auto y = reshape<2, -1>(x);
#else
    auto y = reshape<-2, -3>(x);
#endif
    g.output("y"_s, y);
});
