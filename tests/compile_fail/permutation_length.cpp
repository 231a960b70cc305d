// A permutation of another rank.
// expect: shape_fault<ane::op::transpose, ane::fault::order_must_name_every_axis_once, 3, 4>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = transpose<permutation{0, 1, 3, 2}>(x);
#else
    auto y = transpose<permutation{0, 2, 1}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
