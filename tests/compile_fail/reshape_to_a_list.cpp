// Extents of a reshape in braces.
// expect: extents stand in angle brackets: reshape<1, 64>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = reshape<1, -1>(x);
#else
    auto y = reshape(x, {1, -1});
#endif
    g.output("y"_s, y);
});

int main() {}
