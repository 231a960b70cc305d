// An operation by another library's name.
// expect: write arg_max<axis{1}>(x)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = arg_max<axis{1}>(x);
#else
    auto y = argmax(x);
#endif
    g.output("y"_s, y);
});

int main() {}
