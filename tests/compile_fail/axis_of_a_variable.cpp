// The axis of a softmax is a variable.
// expect-gcc: the value of ‘last’ is not usable in a constant expression
// expect-clang: invalid explicitly-specified argument for template parameter 'Axis'
// except-gcc: errors 4: g++ says of both overloads why the argument is no constant
#include <anemone/model.hpp>

using namespace ane;

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 16, 8, 8>);
#ifdef OK
    constexpr int last = 3;
    auto y = softmax<axis{last}>(x);
#else
    int last = 3;
    auto y = softmax<axis{last}>(x);
#endif
    g.output("y"_s, y);
});

int main() {}
