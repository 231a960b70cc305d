// A clamp with one end.
// expect: clamp takes both ends: clamp(x, 0, 6); one end is maximum(x, 0) or minimum(x, 6)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = maximum(x, 0);
#else
    auto y = clamp(x, 0);
#endif
    g.output("y"_s, y);
});

int main() {}
