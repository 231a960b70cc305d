// A bias that is longer than the output has channels.
// expect: shape_fault<ane::op::conv2d, ane::fault::bias_must_have_one_value_for_each_output, 33, 32>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
    auto w = g.weight("w", f16<32, 16, 3, 3>);
#ifdef OK
    auto y = conv2d(x, w, g.weight("b", f16<32>));
#else
    auto y = conv2d(x, w, g.weight("b", f16<33>));
#endif
    g.output("y"_s, y);
});

int main() {}
