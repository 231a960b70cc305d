// A vector of scales with one value too few.
// expect: quantisation: a vector of scales or zero points has one value for each index of the axis
// expect-gcc: (11 == 12)
// expect-clang: '11L == 12L'
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
#ifdef OK
    auto y =
        dequantize<axis{1}>(quantize<quantization{.axis = 1}>(x, g.weight("s"_s, f16<12>)), g.weight("s"_s, f16<12>));
#else
    auto y =
        dequantize<axis{1}>(quantize<quantization{.axis = 1}>(x, g.weight("s"_s, f16<11>)), g.weight("s"_s, f16<11>));
#endif
    g.output("y"_s, y);
});

int main() {}
