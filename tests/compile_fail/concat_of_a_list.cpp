// Operands of concat in braces.
// expect: operands are arguments of their own: concat<axis{1}>(x, y)
// except-gcc: errors 3: g++ tells twice of an unavailable function
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = concat<axis{1}>(x, x);
#else
    auto y = concat<axis{1}>({x, x});
#endif
    g.output("y"_s, y);
});

int main() {}
