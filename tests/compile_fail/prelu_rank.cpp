// One slope for each channel of a tensor without channels.
// expect: the operand has too few axes
// expect-gcc: (2 >= 3)
// expect-clang: '2L >= 3L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16>);
    auto slope = g.weight("slope", f16<16>);
#ifdef OK
    auto y = prelu(reshape<1, 16, 1>(x), slope);
#else
    auto y = prelu(x, slope);
#endif
    g.output("y"_s, y);
});

int main() {}
