// A function that no target has.
// expect: tan has no path on any target (R130); instead: div(sin(x), cos(x)) from A15, or a ratio of polynomials
// except-gcc: errors 3: g++ tells twice of an unavailable function
// forbid: called in a constant expression
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 8>, within(-1, 1));
#ifdef OK
    auto y = div(sin(x), cos(x));
#else
    auto y = tan(x);
#endif
    g.output("y"_s, relu(y));
});

int main() {}
