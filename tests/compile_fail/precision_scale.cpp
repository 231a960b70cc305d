// A scale beyond what fp16 holds both ways.
// expect: shape_fault<ane::op::mul, ane::fault::scale_must_lie_between_2_to_minus_14_and_2_to_14, 15, 14>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

#ifdef OK
constexpr int scale = 14;
#else
constexpr int scale = 15;
#endif
constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<8, 16>);
    g.output("y"_s, linear(x, scaled<scale>(g.weight("w", f16<4, 16>)))); // here
});

int main() {}
