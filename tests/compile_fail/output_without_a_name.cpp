// An output without a name.
// expect: an output has a name: g.output("y"_s, y)
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    g.output("y"_s, relu(x));
#else
    g.output(relu(x));
#endif
    g.output("x_again"_s, relu(x));
});

int main() {}
