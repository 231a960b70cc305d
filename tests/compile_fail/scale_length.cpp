// A vector of scales with one value too few.
// expect: shape_fault<ane::op::dequantize, ane::fault::scale_must_have_one_value_for_each_index_of_the_axis, 11, 12>
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
        dequantize<axis{1}>(quantize<quantization{.axis = 1}>(x, g.weight("s"_s, f16<12>)), g.weight("t"_s, f16<11>));
#endif
    g.output("y"_s, y);
});

int main() {}
