// A power by the sign of other languages.
// expect: a power is pow(x, 3), square(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
// except-clang: errors 3: clang tells twice of an unavailable operator
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = pow(x, 3);
#else
    auto y = x ^ 3;
#endif
    g.output("y"_s, y);
});

int main() {}
