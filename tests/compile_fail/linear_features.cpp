// A fully connected layer with another number of input features.
// expect: shape_fault<ane::op::linear, ane::fault::input_features_must_equal_the_last_axis_of_the_weight_R053, 128, 64>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

using namespace ane;

constexpr auto model = graph([](auto& g) {
    auto x = g.input("x"_s, f16<4, 128>);
#ifdef OK
    auto y = linear(x, g.weight("w", f16<10, 128>));
#else
    auto y = linear(x, g.weight("w", f16<10, 64>));
#endif
    g.output("y"_s, y);
});

int main() {}
