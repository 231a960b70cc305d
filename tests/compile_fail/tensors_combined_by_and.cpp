// Two conditions combined as C++ combines truth values.
// expect: conditions on tensors are combined by logical_and(c, d)
// except-gcc: errors 3: g++ tells twice of an unavailable function
// except-clang: errors 3: clang tells twice of an unavailable operator
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    auto y = select(logical_and(x > 0, x < 1), x, 0);
#else
    auto y = select(x > 0 && x < 1, x, 0);
#endif
    g.output("y"_s, y);
});

int main() {}
