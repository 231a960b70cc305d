// A recurrent layer.
// expect: lstm has no path on any target
// except-gcc: errors 3: g++ tells twice of an unavailable function
// forbid: called in a constant expression
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 8>);
#ifdef OK
    auto y = sigmoid(linear(x, g.weight("gate"_s, f16<16, 8>)));
#else
    auto y = lstm(x, g.weight("gate"_s, f16<16, 8>));
#endif
    g.output("y"_s, linear(y, g.weight("last"_s, f16<4, 16>)));
});

int main() {}
