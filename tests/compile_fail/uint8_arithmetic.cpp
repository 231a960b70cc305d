// A uint8 image reaches arithmetic without a conversion.
// expect: shape_fault<ane::op::mul, ane::fault::operands_must_be_fp16_use_to_f16_R002, 1, 3>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto image = g.input("image"_s, u8<1, 3, 8, 8>);
#ifdef OK
    auto y = to_f16(image) * 0.5;
#else
    auto y = image * 0.5;
#endif
    g.output("y"_s, y);
});

int main() {}
