// A condition of numbers.
// expect: the operand must be the boolean result of a comparison
// expect-gcc: (3 == 11)
// expect-clang: '3L == 11L'
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
