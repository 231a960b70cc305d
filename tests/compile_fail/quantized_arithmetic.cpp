// Arithmetic on quantized numbers: dequantize comes first.
// expect: operands must be fp16
// expect-gcc: (2 == 3)
// expect-clang: '2L == 3L'
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
