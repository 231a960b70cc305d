// A palette with indices of five bits.
// expect: shape_fault<ane::op::compressed, ane::fault::stored_bits_must_be_1_2_3_4_6_or_8_R139, 5, 4>
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
