// A classifier whose weight has another number of features.
// expect: shape_fault<ane::op::linear, ane::fault::input_features_must_equal_the_last_axis_of_the_weight_R053, 400, 512>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 5, 5>);
    auto flat = flatten(x);
#ifdef OK
    auto y = linear(flat, g.weight("head.w", f16<10, 400>), g.weight("head.b", f16<10>));
#else
    auto y = linear(flat, g.weight("head.w", f16<10, 512>), g.weight("head.b", f16<10>));
#endif
    g.output("y"_s, y);
});

int main() {}
