// A number is made a constant.
// expect: a number stands for itself, as in x + 3
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = x + 3;
#else
    auto y = x + g.constant(3);
#endif
    g.output("y"_s, y);
});

int main() {}
