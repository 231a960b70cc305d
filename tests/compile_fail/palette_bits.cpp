// A palette with indices of five bits.
// expect: a palette index has 1, 2, 3, 4, 6 or 8 bits
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto w = g.weight("w"_s, f16<16, 8>);
#ifdef OK
    auto y = linear(x, compressed<palette<4>>(w));
#else
    auto y = linear(x, compressed<palette<5>>(w));
#endif
    g.output("y"_s, y);
});

int main() {}
