// A layer norm over the last axis with parameters for the channels.
// expect: shape_fault<ane::op::layer_norm, ane::fault::parameter_must_have_the_length_of_the_normalised_axis, 192, 14>
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 192, 14, 14>);
    auto gamma = g.weight("norm.gamma", f16<192>);
    auto beta = g.weight("norm.beta", f16<192>);
#ifdef OK
    auto y = layer_norm<axis{1}>(x, gamma, beta);
#else
    auto y = layer_norm(x, gamma, beta);
#endif
    g.output("y"_s, y);
});

int main() {}
