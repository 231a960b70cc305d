// A tensor without elements.
// expect: shape_fault<ane::op::relu, ane::fault::every_extent_must_be_at_least_1_R019, 0, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
#ifdef OK
    auto y = relu(x);
#else
    (void)x;
    auto y = relu(g.input("none"_s, f16<4, 0>));
#endif
    g.output("y"_s, y);
});

int main() {}
