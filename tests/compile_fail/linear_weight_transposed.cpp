// A weight [in, out] where linear wants [out, in].
// expect: shape_fault<ane::op::linear, ane::fault::input_features_must_equal_the_last_axis_of_the_weight_R053, 768, 3072>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 768>);
#ifdef OK
    auto y = linear(x, g.weight("w", f16<3072, 768>));
#else
    auto y = linear(x, g.weight("w", f16<768, 3072>));
#endif
    g.output("y"_s, gelu(y));
});

int main() {}
