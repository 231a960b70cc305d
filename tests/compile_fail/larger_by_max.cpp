// The larger of two by the name that C++ gives it.
// expect: the larger element of two is maximum(a, b), of an axis reduce_max<axes{1}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = maximum(x, 0);
#else
    auto y = max(x, 0);
#endif
    g.output("y"_s, y);
});

int main() {}
