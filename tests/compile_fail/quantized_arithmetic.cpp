// Arithmetic on quantized numbers: dequantize comes first.
// expect: shape_fault<ane::op::relu, ane::fault::operands_must_be_fp16_use_to_f16_R002, 2, 3>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 8>);
    auto scale = g.constant(f16<>, 0.25);
    auto q = quantize(x, scale);
#ifdef OK
    auto y = relu(dequantize(q, scale));
#else
    auto y = relu(q);
#endif
    g.output("y"_s, y);
});

int main() {}
