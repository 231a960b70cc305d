// A byte image is scaled before it is fp16.
// expect: shape_fault<ane::op::mul, ane::fault::operands_must_be_fp16_use_to_f16_R002, 1, 3>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("image"_s, u8<1, 3, 32, 32>);
#ifdef OK
    auto y = to_f16(x) * (1.0 / 255);
#else
    auto y = x * (1.0 / 255);
#endif
    g.output("y"_s, y);
});

int main() {}
