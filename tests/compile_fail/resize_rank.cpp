// An image without its batch axis is resized.
// expect: shape_fault<ane::op::resize, ane::fault::input_must_have_rank_4_as_N_C_H_W, 3, 4>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 12, 8, 8>);
    auto z = g.input("z"_s, f16<12, 8, 8>);
#ifdef OK
    (void)z;
    auto y = upsample_bilinear<2>(x);
#else
    (void)x;
    auto y = upsample_bilinear<2>(z);
#endif
    g.output("y"_s, y);
});

int main() {}
