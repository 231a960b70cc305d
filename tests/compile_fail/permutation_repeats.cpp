// A permutation that names an axis twice.
// expect: shape_fault<ane::op::transpose, ane::fault::axis_must_not_be_given_twice, 1, 1>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = transpose<permutation{0, 2, 1, 3}>(x);
#else
    auto y = transpose<permutation{0, 1, 1, 3}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
