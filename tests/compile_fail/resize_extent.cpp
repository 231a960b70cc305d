// A resize to no rows.
// expect: shape_fault<ane::op::resize, ane::fault::every_extent_must_be_at_least_1_R019, 0, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
#ifdef OK
    auto y = resize<sampling{.extent = {4, 4}}>(x);
#else
    auto y = resize<sampling{.extent = {0, 4}}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
