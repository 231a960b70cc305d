// A norm that is asked for without its parameters.
// expect: its parameters are weights of the model: layer_norm(x, gamma, beta)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 64>);
#ifdef OK
    auto y = layer_norm<axis{-1}>(x, g.weight("gamma"_s, f16<64>), g.weight("beta"_s, f16<64>));
#else
    auto y = layer_norm<axis{-1}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
