// A condition of numbers.
// expect: shape_fault<ane::op::select, ane::fault::operand_must_be_the_boolean_result_of_a_comparison, 3, 11>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto mask = g.input("mask"_s, f16<1, 16>);
#ifdef OK
    auto y = select(greater(mask, 0.5), x, -x);
#else
    auto y = select(mask, x, -x);
#endif
    g.output("y"_s, y);
});

int main() {}
